"""Independent readers of a table: delta-rs says which files are live, DuckDB reads them.

  readers.py count TABLE COLUMN     rows, distinct values of the column, newest version
  readers.py query TABLE SQL        rows of the query; the table is t
  readers.py rows TABLE             all rows, as each of the readers finds them, printed as lakewheel cat prints them
  readers.py scan TABLE             all rows, as delta-rs finds them
  readers.py watch TABLE COLUMN     count, again and again until standard input ends: rows and distinct values at each newer version
  readers.py predicates TABLE       what predicates at the least and the greatest value of each column find that a search of all rows does not, or the
                                    other way round, by reader
  readers.py layout TABLE COLUMN..  of each file: what row groups say of their order, whether each column has a page index, and what the Bloom filters
                                    of the columns say: how many values that are there, and how many that are not, they exclude
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
import json, os, sys, threading, time
import duckdb, pyarrow as pa, pyarrow.compute as pc, pyarrow.dataset as ds, pyarrow.fs, pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import TableNotFoundError
from printing import lines

def count(path, column):
    t = DeltaTable(path)
    files = t.file_uris()
    rows, distinct = (0, 0) if not files else duckdb.connect().execute(
        f'select count(*), count(distinct "{column}") from read_parquet(?)', [files]).fetchone()
    return {"rows": rows, "distinct": distinct, "version": t.version(), "files": len(files),
            "reader": t.protocol().min_reader_version, "writer": t.protocol().min_writer_version}

def watch(path, column):
    """What a reader sees that never stops. A version that it has seen must look the same ever after."""
    seen, odd, ended = {}, [], threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    while not ended.is_set() or not seen:
        try:
            c = count(path, column)
        except TableNotFoundError:
            if ended.is_set():
                break
            time.sleep(0.05)
            continue
        looks = (c["rows"], c["distinct"])
        if seen.setdefault(c["version"], looks) != looks:
            odd.append(f"version {c['version']}: {seen[c['version']]}, then {looks}")
    return {"seen": sorted([v, *looks] for v, looks in seen.items()), "odd": odd}

def query(path, sql):
    files = DeltaTable(path).file_uris()
    con = duckdb.connect()
    con.execute("create view t as select * from read_parquet([" + ",".join("'" + f.replace("'", "''") + "'" for f in files) + "])")
    return con.execute(sql).fetchall()

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

OPERATORS = {"=": pc.equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal}

def text(t, v):
    """A value as a text that is cast to its type."""
    if pa.types.is_timestamp(t):
        return v.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if t.tz else "")
    return str(v)

def literal(t, v):
    """A value in the SQL of DataFusion."""
    if pa.types.is_boolean(t):
        return str(v).lower()
    if pa.types.is_binary(t):
        return "X'" + v.hex() + "'"
    names = {"int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64", "float": "Float32", "double": "Float64", "string": "Utf8", "date32[day]": "Date32",
             "timestamp[us, tz=UTC]": 'Timestamp(Microsecond, Some("UTC"))', "timestamp[us]": "Timestamp(Microsecond, None)"}
    name = f"Decimal128({t.precision}, {t.scale})" if pa.types.is_decimal(t) else names[str(t)]
    return "arrow_cast('" + text(t, v).replace("'", "''") + "', '" + name.replace("'", "''") + "')"

def predicates(path):
    table = DeltaTable(path)
    files = table.file_uris()
    whole = pa.concat_tables(pq.read_table(f) for f in files)
    con, engine = duckdb.connect(), QueryBuilder().register("t", table)
    readers = {
        "DuckDB": lambda c, t, op, v: con.execute(f'select count(*) from read_parquet($files) where "{c}" {op} $v', {"files": files, "v": v}).fetchone()[0],
        "pyarrow": lambda c, t, op, v: ds.dataset(files).count_rows(filter=OPERATORS[op](ds.field(c), pa.scalar(v, t))),
        "delta-rs, log": lambda c, t, op, v: table.to_pyarrow_dataset().count_rows(filter=OPERATORS[op](ds.field(c), pa.scalar(v, t))),
        "delta-rs, SQL": lambda c, t, op, v: pa.table(engine.execute(f'select count(*) n from t where "{c}" {op} {literal(t, v)}').read_all())["n"][0].as_py(),
    }
    wrong, tried = [], 0
    for f in whole.schema:
        values = sorted(v for v in whole[f.name].unique().to_pylist() if v is not None)
        for v in (values[0], values[-1]):
            for op, compare in OPERATORS.items():
                want = pc.sum(compare(whole[f.name], pa.scalar(v, f.type))).as_py()
                for name, find in readers.items():
                    got, tried = find(f.name, f.type, op, v), tried + 1
                    if got != want:
                        wrong.append(f"{name}: {f.name} {op} {v}: {got} rows instead of {want}")
    return {"wrong": wrong, "tried": tried}

def excluded(con, file, column, v):
    """Whether the filter of each row group excludes a value."""
    return [r[0] for r in con.execute("select bloom_filter_excludes from parquet_bloom_probe($file, $column, $v)", {"file": file, "column": column, "v": v}).fetchall()]

def layout(path, *columns):
    con, out = duckdb.connect(), []
    for file in DeltaTable(path).file_uris():
        meta, whole = pq.ParquetFile(file).metadata, pq.read_table(file)
        groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
        found = {"order": [[[c.column_index, c.descending, c.nulls_first] for c in g.sorting_columns] for g in groups],
                 "indexed": all(g.column(i).has_column_index and g.column(i).has_offset_index for g in groups for i in range(g.num_columns)),
                 "hidden": 0, "others": 0, "excluded": 0}
        for c in columns:
            values = [v for v in whole[c].unique().to_pylist() if v is not None]
            for v in values[:40]:
                found["hidden"] += all(excluded(con, file, c, v))
            for v in values[:40]:
                other = v + "?" if isinstance(v, str) else v + b"?" if isinstance(v, bytes) else type(v)(v * 3 + 1) if isinstance(v, int) else None
                if other is not None and other not in values:
                    found["others"] += 1
                    found["excluded"] += all(excluded(con, file, c, other))
        out.append(found)
    return out

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
