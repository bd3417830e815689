"""Independent readers of a table: delta-rs says which files are live, DuckDB reads them.

  readers.py count TABLE COLUMN     rows, distinct values of the column, newest version
  readers.py query TABLE SQL        rows of the query; the table is t
  readers.py rows TABLE             all rows, as each of the readers finds them, printed as lakewheel cat prints them
  readers.py scan TABLE             all rows, as delta-rs finds them
  readers.py folder FOLDER          all rows of plain Parquet files with Hive's folders, as DuckDB (on disk) and pyarrow find them by their names
  readers.py make TABLE             a small table of another program
  readers.py append TABLE           one more row of another writer, with the table's schema
  readers.py optimize TABLE         merge small files
  readers.py restore TABLE VERSION  go back, as RESTORE does
  readers.py checkpoint TABLE       write a checkpoint
  readers.py delete TABLE SQL       delete the rows that fit
  readers.py vacuum TABLE           remove the files that no version needs any more, at once
  readers.py expire TABLE           remove the log entries that a checkpoint covers
  readers.py overwrite TABLE        one row of another writer instead of all others
Prints one line of JSON.
"""
import json, os, sys
import duckdb, pyarrow as pa, pyarrow.dataset as ds, pyarrow.fs, pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, write_deltalake

def count(path, column):
    t = DeltaTable(path)
    files = t.file_uris()
    rows, distinct = (0, 0) if not files else duckdb.connect().execute(
        f'select count(*), count(distinct "{column}") from read_parquet(?)', [files]).fetchone()
    return {"rows": rows, "distinct": distinct, "version": t.version(), "files": len(files),
            "reader": t.protocol().min_reader_version, "writer": t.protocol().min_writer_version}

def query(path, sql):
    files = DeltaTable(path).file_uris()
    con = duckdb.connect()
    con.execute("create view t as select * from read_parquet([" + ",".join("'" + f.replace("'", "''") + "'" for f in files) + "])")
    return con.execute(sql).fetchall()

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

def rows(path):
    t = DeltaTable(path)
    files = t.file_uris()
    return {
        "pyarrow": lines(pa.concat_tables(pq.read_table(f) for f in files)),
        "DuckDB": lines(duckdb.connect().sql("select * from read_parquet($files)", params={"files": files}).to_arrow_table()),
        "delta-rs": scan(path),
    }

def scan(path):
    return lines(pa.table(QueryBuilder().register("t", DeltaTable(path)).execute("select * from t").read_all()))

def folder(path):
    if path.startswith("s3://"):
        where = os.environ["AWS_ENDPOINT_URL"].split("://")
        s3 = pyarrow.fs.S3FileSystem(endpoint_override=where[1], scheme=where[0], region="us-east-1")
        return {"pyarrow": lines(ds.dataset(path[5:], filesystem=s3, format="parquet", partitioning="hive").to_table())}
    con = duckdb.connect()
    return {
        "pyarrow": lines(ds.dataset(path, format="parquet", partitioning="hive").to_table()),
        "DuckDB": lines(con.sql("select * from read_parquet($files, hive_partitioning = true, union_by_name = true)", params={"files": path + "/**/*.parquet"}).to_arrow_table()),
    }

def make(path):
    write_deltalake(path, pa.table({"other": pa.array([1, 2, 3], pa.int64())}))
    return {}

def append(path, mode="append"):
    t = DeltaTable(path)
    schema = pa.schema(t.schema().to_arrow())
    write_deltalake(path, pa.table({f.name: pa.nulls(1, f.type) for f in schema}, schema=schema), mode=mode)
    return {}

def overwrite(path):
    return append(path, "overwrite")

def optimize(path):
    return {"metrics": str(DeltaTable(path).optimize.compact())}

def restore(path, version):
    DeltaTable(path).restore(int(version))
    return {}

def checkpoint(path):
    DeltaTable(path).create_checkpoint()
    return {}

def delete(path, predicate):
    return {"metrics": str(DeltaTable(path).delete(predicate))}

def vacuum(path):
    return {"removed": DeltaTable(path).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)}

def expire(path):
    DeltaTable(path).cleanup_metadata()
    return {}

print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
