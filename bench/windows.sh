#!/usr/bin/env bash
# The window benchmark: N JSON events in a topic of 4 partitions, count and sum in tumbling windows of 10 seconds by a key, closed windows
# into a Delta table, as fast as possible, then compared with what DuckDB computes from the same events in a file.
#
#   N=5000000 RUNS=3 bench/windows.sh      KEYS="page user_id": 1,000 and 100,000 values; see lib.sh for the rest
source "$(dirname "$0")/lib.sh"
n=${N:-5000000} topic=${TOPIC:-events}
build
broker
"$work/gen" -n "$n" -brokers "$brokers" -topic "$topic"
file=$work/events-$n.ndjson
[ -e "$file" ] || "$work/gen" -n "$n" -file "$file"

windows() { # windows NAME KEY > FILE
  cat <<YAML
name: $1
sources:
  events:
    kafka: {brokers: ["$brokers"], topic: $topic, start: earliest}
    schema: event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, amount DOUBLE, kind STRING
    watermark: {column: ts, delay: 10 seconds}
query: |
  SELECT window.start AS window_start, $2 AS key, count(*) AS n, sum(amount) AS amount FROM events GROUP BY window(ts, '10 seconds'), $2
sink:
  delta: {path: "$work/tables/$1"}
YAML
}

for key in ${KEYS:-page user_id}; do
  label=windows_$key
  windows "$label" "$key" > "$work/$label.yaml"
  for i in $(seq "${RUNS:-3}"); do
    fresh "$label"
    run=$work/runs/$label-$i
    measured "$run" "$work/lakewheel" run --available-now "$work/$label.yaml"
    python "$bench/report.py" ingest "$n" "$run"
    echo "  $(python "$bench/check_windows.py" "$work/tables/$label" "$file" "$key")"
  done
done
