"""Does the table hold every closed window, once, with the values that DuckDB computes from the events in a file?

  check_windows.py TABLE EVENTS.ndjson KEY

A window is closed when the watermark, the newest event less 10 seconds, has reached its end. Sums may differ by rounding.
"""
import sys
import duckdb
from deltalake import DeltaTable

table, events, key = sys.argv[1:]
db = duckdb.connect()
db.execute("SET TimeZone='UTC'")
db.execute(f"""CREATE TABLE want AS WITH e AS (SELECT * FROM read_json('{events}', format='newline_delimited',
      columns={{ts: 'TIMESTAMP', user_id: 'BIGINT', page: 'VARCHAR', amount: 'DOUBLE'}}))
    SELECT time_bucket(INTERVAL 10 SECONDS, ts) AS window_start, {key} AS key, count(*) AS n, sum(amount) AS amount
    FROM e GROUP BY ALL HAVING window_start + INTERVAL 10 SECONDS <= (SELECT date_trunc('millisecond', max(ts)) - INTERVAL 10 SECONDS FROM e)""")
db.execute("CREATE TABLE got AS SELECT window_start::TIMESTAMP AS window_start, key, n, amount FROM read_parquet(?)", [DeltaTable(table).file_uris()])
(rows,), (differ,) = db.execute("SELECT count(*) FROM got").fetchone(), db.execute("""SELECT count(*) FROM got FULL JOIN want USING (window_start, key)
    WHERE got.n IS DISTINCT FROM want.n OR got.amount IS NULL OR want.amount IS NULL OR abs(got.amount - want.amount) > 1e-9 * abs(want.amount)""").fetchone()
twice = db.execute("SELECT count(*) - count(DISTINCT (window_start, key)) FROM got").fetchone()[0]
good = rows > 0 and differ == 0 and twice == 0
print(f"{'right' if good else 'WRONG'}: {rows} rows of closed windows, {differ} differ from DuckDB's, {twice} twice")
sys.exit(0 if good else 1)
