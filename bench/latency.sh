#!/usr/bin/env bash
# Small batches: RATE events a second for SECONDS_OF_LOAD, a trigger and a commit every second; prints percentiles of batchDuration, first of a filter,
# then of count and sum by page in windows of 10 seconds.
#
#   RATE=1000 SECONDS_OF_LOAD=60 bench/latency.sh       see lib.sh for BENCH_DIR, BENCH_BROKERS and BENCH_PYTHON
source "$(dirname "$0")/lib.sh"
rate=${RATE:-1000} seconds=${SECONDS_OF_LOAD:-60} cpus=$(getconf _NPROCESSORS_ONLN)
build
broker

busy() { awk '/^cpu /{print $2 + $3 + $4 + $7 + $8}' /proc/stat; }

# measure NAME TOPIC: the pipeline file NAME.yaml, under load
measure() {
  local run=$work/runs/$1 engine before
  fresh "$1"
  "$work/gen" -n 0 -brokers "$brokers" -topic "$2" > "$run.gen"
  timeout -s TERM "$((seconds + 4))" "$work/lakewheel" run --json "$work/$1.yaml" > "$run.progress" 2> "$run.log" &
  engine=$!
  sleep 2
  before=$(busy)
  "$work/gen" -n "$((rate * seconds))" -rate "$rate" -live -brokers "$brokers" -topic "$2" >> "$run.gen"
  echo "$1: the machine was $(((100 * ($(busy) - before)) / (seconds * cpus * $(getconf CLK_TCK)))) % busy, broker and generator included"
  wait "$engine" || [ $? -eq 124 ] || { tail -20 "$run.log" >&2; exit 1; }
  python "$bench/report.py" latency "$run.progress"
}

pipeline latency "filter-$$" earliest > "$work/latency.yaml"
windows latency_windows "windows-$$" page > "$work/latency_windows.yaml"
measure latency "filter-$$"
measure latency_windows "windows-$$"
