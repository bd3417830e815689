#!/usr/bin/env bash
# Small batches: RATE events a second for SECONDS, a trigger and a commit every second; prints percentiles of batchDuration.
#
#   RATE=1000 SECONDS_OF_LOAD=30 bench/latency.sh       see lib.sh for BENCH_DIR, BENCH_BROKERS and BENCH_PYTHON
source "$(dirname "$0")/lib.sh"
rate=${RATE:-1000} seconds=${SECONDS_OF_LOAD:-30} topic=latency-$$ run=$work/runs/latency
build
broker
fresh latency
pipeline latency "$topic" earliest > "$work/latency.yaml"
"$work/gen" -n 0 -brokers "$brokers" -topic "$topic" > "$work/runs/latency.gen"
timeout -s TERM "$((seconds + 4))" "$work/lakewheel" run --json "$work/latency.yaml" > "$run.progress" 2> "$run.log" &
engine=$!
sleep 2
"$work/gen" -n "$((rate * seconds))" -rate "$rate" -live -brokers "$brokers" -topic "$topic" >> "$work/runs/latency.gen"
wait "$engine" || [ $? -eq 124 ] || { tail -20 "$run.log" >&2; exit 1; }
python "$bench/report.py" latency "$run.progress"
