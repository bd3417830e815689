"""Does the table hold what the generator says it must? Read by programs that are not ours: delta-rs names the live files, DuckDB reads them.

  check.py TABLE EXPECTED.json RUN.json      a Delta table
  check.py FILE.parquet EXPECTED.json RUN.json

Prints one line and adds the size of the live files to RUN.json; exits 1 when the result is wrong.
"""
import json, os, sys
import duckdb
from deltalake import DeltaTable

path, expected = sys.argv[1], json.load(open(sys.argv[2]))
files = [path] if os.path.isfile(path) else DeltaTable(path).file_uris()
db = duckdb.connect()
rows, ids, users = db.execute("select count(*), count(distinct event_id), sum(user_id) from read_parquet(?)", [files]).fetchone()
codecs = [c for (c,) in db.execute("select distinct compression from parquet_metadata(?)", [files]).fetchall()]
size = sum(os.path.getsize(f.removeprefix("file://")) for f in files)
good = rows == expected["rows"] and ids == rows and users == expected["sumUserId"]
print(f"{'right' if good else 'WRONG'}: {rows} rows, {ids} ids, sum(user_id) {users}; {len(files)} files, {size / 1e6:.1f} MB, {'/'.join(codecs)}")
with open(sys.argv[3]) as f:
    run = json.load(f)
with open(sys.argv[3], "w") as f:
    json.dump({**run, "writtenMB": size / 1e6}, f)
sys.exit(0 if good else 1)
