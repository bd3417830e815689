"""Fills in what Spark 4.0.1 answers in the cases of columnar/compute/testdata/kernels: a
line "expression ; columns" without a result gets one, or all lines do with --all:

    pip install -r requirements.txt
    TZ=UTC python gen_kernels.py ../../columnar/compute/testdata/kernels/*.txt
"""
import datetime
import decimal
import json
import sys

from pyspark.sql import types as T

from asking import condition, session

spark = session(spark_sql_codegen_wholeStage="false", spark_sql_codegen_factoryMode="NO_CODEGEN")


def values(text):
    out, text, read = [], text.strip(), json.JSONDecoder()
    while text:
        if text[0] in "_!":
            token, _, text = text.partition(" ")
            out.append(None)
        else:
            v, end = read.raw_decode(text)
            out.append(v)
            text = text[end:]
        text = text.strip()
    return out


def floating(v, single):
    if v != v or v in (float("inf"), float("-inf")):
        return {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}[str(v)]
    text = repr(v)
    if single:
        import struct
        text = next(t for p in range(1, 10) if struct.unpack("f", struct.pack("f", float(t := f"{v:.{p}g}")))[0] == v)
    if v and not 1e-6 <= abs(v) < 1e21:
        m, e = f"{decimal.Decimal(text).normalize():E}".split("E")
        return f"{m}e{int(e):+03d}"
    text = f"{decimal.Decimal(text):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def cell(v, t):
    if v is None:
        return "null"
    if isinstance(t, T.ArrayType):
        return "[" + ",".join(cell(x, t.elementType) for x in v) + "]"
    if isinstance(t, T.MapType):
        return "{" + ",".join(name(cell(k, t.keyType)) + ":" + cell(x, t.valueType) for k, x in v.items()) + "}"
    if isinstance(t, T.StructType):
        return "{" + ",".join(name(json.dumps(f.name, ensure_ascii=False)) + ":" + cell(x, f.dataType) for f, x in zip(t, v)) + "}"
    if isinstance(t, (T.DoubleType, T.FloatType)):
        return floating(v, isinstance(t, T.FloatType))
    if isinstance(t, T.DecimalType):
        return f'"{v:f}"'
    if isinstance(t, T.BinaryType):
        return f'"{v.hex()}"'
    if isinstance(t, T.DateType):
        return f'"{v.isoformat()}"'
    if isinstance(t, (T.TimestampType, T.TimestampNTZType)):
        text = v.isoformat(timespec="microseconds")
        text = text[:-3] if text.endswith("000") else text
        return f'"{text}{"" if isinstance(t, T.TimestampNTZType) else "Z"}"'
    return json.dumps(v, ensure_ascii=False)


def name(text):
    return text if text.startswith('"') else f'"{text}"'


def sql_name(t):
    if isinstance(t, T.ArrayType):
        return f"ARRAY<{sql_name(t.elementType)}>"
    if isinstance(t, T.MapType):
        return f"MAP<{sql_name(t.keyType)}, {sql_name(t.valueType)}>"
    if isinstance(t, T.StructType):
        return "STRUCT<" + ", ".join(f"{f.name}: {sql_name(f.dataType)}" for f in t) + ">"
    return t.simpleString().upper()


class Table:
    def __init__(self, parts):
        heads = [p.split(" =", 1) for p in parts]
        self.ddl = ", ".join(h[0] for h in heads)
        columns = {h[0].split(" ", 1)[0]: values(h[1]) for h in heads}
        names = list(columns)
        docs = [json.dumps(dict(zip(names, row))) for row in zip(*columns.values())]
        self.frames = [self.frame(docs)] + [self.frame([d]) for d in docs]
        self.n = len(docs)

    def frame(self, docs):
        rows = ", ".join("('" + d.replace("\\", "\\\\").replace("'", "\\'") + "')" for d in docs)
        return spark.sql(f"SELECT r.* FROM (SELECT from_json(d, '{self.ddl}', map('mode', 'FAILFAST')) AS r FROM VALUES {rows} AS v(d))")

    def answer(self, expr):
        try:
            out = self.frames[0].selectExpr(expr + " AS v")
            return sql_name(out.schema[0].dataType), [show(r[0], out.schema[0].dataType) for r in out.collect()]
        except Exception as e:
            if self.n == 1 or "AnalysisException" in type(e).__name__ or "ParseException" in type(e).__name__:
                return None, ["!" + condition(e)]
        cells, typ = [], None
        for frame in self.frames[1:]:
            try:
                out = frame.selectExpr(expr + " AS v")
                typ = sql_name(out.schema[0].dataType)
                cells.append(show(out.collect()[0][0], out.schema[0].dataType))
            except Exception as e:
                cells.append("!" + condition(e))
        return typ, cells


def show(v, t):
    return "_" if v is None else cell(v, t)


def main():
    every = "--all" in sys.argv
    for path in sys.argv[1:]:
        if path == "--all":
            continue
        out, table, own = [], None, None
        for line in open(path, encoding="utf-8").read().splitlines():
            if line.startswith("with "):
                table = Table(line[5:].split(" ; "))
            elif line and line[0] != "#":
                parts = line.split(" ; ")
                done = len(parts) > 1 and parts[-1].split(" =")[0].isupper() or len(parts) > 1 and parts[-1].startswith(("ARRAY", "MAP", "STRUCT"))
                if every and done:
                    parts, done = parts[:-1], False
                if not done:
                    on = Table(parts[1:]) if len(parts) > 1 else table
                    typ, cells = on.answer(parts[0])
                    line = " ; ".join(parts + [f"{typ or 'REFUSED'} = {' '.join(cells)}"])
            out.append(line)
        open(path, "w", encoding="utf-8").write("\n".join(out) + "\n")
    spark.stop()


main()
