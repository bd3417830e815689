#!/usr/bin/env bash
# Memory against backlog: the ingest benchmark with a small and a large number of waiting events; peak RSS should not follow it.
#
#   SIZES="5000000 50000000" bench/backlog.sh       50 M events take 10 GB of disk; see lib.sh for the rest
source "$(dirname "$0")/lib.sh"
build
broker
export BENCH_BROKERS=$brokers BENCH_BROKER_PID=$broker_pid RUNS=1
for n in ${SIZES:-5000000 50000000}; do
  N=$n TOPIC=events-$n LABEL=backlog-$n "$bench/run.sh"
done
