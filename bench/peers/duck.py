"""The benchmark's query in DuckDB: a batch from an NDJSON file into one Parquet file, no Kafka and no table.

  duck.py NDJSON OUT.parquet
"""
import sys
import duckdb

source, out = sys.argv[1:]
db = duckdb.connect()
db.execute("SET TimeZone='UTC'")
db.execute(f"""COPY (SELECT * FROM read_json('{source}', format='newline_delimited', columns={{event_id: 'VARCHAR', ts: 'TIMESTAMP',
    user_id: 'BIGINT', page: 'VARCHAR', country: 'VARCHAR', amount: 'DOUBLE', kind: 'VARCHAR'}})
  WHERE kind = 'buy' OR amount > 250.0) TO '{out}' (FORMAT parquet, COMPRESSION zstd)""")
