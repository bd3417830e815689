#!/usr/bin/env bash
# The ingest benchmark: N JSON events in a topic of 4 partitions, filtered into a Delta table, as fast as possible, then read by DuckDB.
#
#   N=5000000 RUNS=3 bench/run.sh       see lib.sh for BENCH_DIR, BENCH_BROKERS and BENCH_PYTHON
#   TOPIC=events LABEL=lakewheel        topic, made if it is not there; name of the runs
source "$(dirname "$0")/lib.sh"
n=${N:-5000000} topic=${TOPIC:-events} label=${LABEL:-lakewheel}
build
broker
"$work/gen" -n "$n" -brokers "$brokers" -topic "$topic"
"$work/gen" -n "$n" -expect > "$work/expected-$n.json"
pipeline "$label" "$topic" earliest > "$work/$label.yaml"
for i in $(seq "${FIRST:-1}" "$((${FIRST:-1} + ${RUNS:-3} - 1))"); do
  fresh "$label"
  run=$work/runs/$label-$i
  measured "$run" "$work/lakewheel" run --available-now "$work/$label.yaml"
  python "$bench/report.py" ingest "$n" "$run"
  echo "  $(python "$bench/check.py" "$work/tables/$label" "$work/expected-$n.json" "$run.json")"
done
