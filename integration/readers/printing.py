"""Rows of pyarrow, printed as lakewheel cat prints them."""
import json
import pyarrow as pa

def value(t, v):
    """A value of pyarrow as cat prints it; types that JSON has not become texts."""
    types = pa.types
    if v is None:
        return None
    if types.is_map(t):
        return [[value(t.key_type, k), value(t.item_type, x)] for k, x in v]
    if types.is_list(t) or types.is_large_list(t):
        return [value(t.value_type, x) for x in v]
    if types.is_struct(t):
        return {f.name: value(f.type, v[f.name]) for f in t}
    if types.is_timestamp(t):
        text = v.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return (text[:-3] if v.microsecond % 1000 == 0 else text) + ("Z" if t.tz else "")
    if types.is_date(t):
        return v.isoformat()
    if types.is_decimal(t):
        return f"{v:.{t.scale}f}"
    if isinstance(v, bytes):
        return v.hex()
    return v

def lines(table):
    columns = {f.name: [value(f.type, v) for v in table[f.name].to_pylist()] for f in table.schema}
    return [json.dumps(dict(zip(columns, row)), sort_keys=True) for row in zip(*columns.values())]
