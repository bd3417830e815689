#!/usr/bin/env bash
# An idle engine: the share of one CPU that it uses over SECONDS_IDLE seconds on a topic where nothing happens, and its RSS.
#
#   SECONDS_IDLE=30 bench/idle.sh       see lib.sh for BENCH_DIR and BENCH_BROKERS
source "$(dirname "$0")/lib.sh"
seconds=${SECONDS_IDLE:-30} topic=idle-$$
build
broker
fresh idle
pipeline idle "$topic" earliest > "$work/idle.yaml"
"$work/gen" -n 0 -brokers "$brokers" -topic "$topic" > "$work/runs/idle.gen"
"$work/gen" -n 1000 -brokers "$brokers" -topic "$topic" >> "$work/runs/idle.gen"
"$work/lakewheel" run --json "$work/idle.yaml" > "$work/runs/idle.progress" 2> "$work/runs/idle.log" &
engine=$!
ticks() { awk '{print $14 + $15}' "/proc/$engine/stat"; }
sleep 5
before=$(ticks)
sleep "$seconds"
after=$(ticks)
rss=$(awk '/^VmRSS/{print $2}' "/proc/$engine/status")
kill -TERM "$engine"
wait "$engine"
awk -v d="$((after - before))" -v s="$seconds" -v hz="$(getconf CLK_TCK)" -v rss="$rss" \
  'BEGIN {printf "idle: %.2f CPU-s in %d s, %.2f %% of one CPU; RSS %.0f MiB\n", d / hz, s, 100 * d / hz / s, rss / 1024}'
