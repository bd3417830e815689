# Sourced by the scripts here: builds, Python, the broker and the pipeline file. All traffic is on loopback.
#
#   BENCH_DIR       where everything is put (default .cache/bench)
#   BENCH_BROKERS   a broker that runs already; else one is started, and stopped at the end
#   BENCH_PYTHON    a Python that has requirements.txt; else a venv is made
set -euo pipefail
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) root=$bench/..
work=${BENCH_DIR:-$root/.cache/bench}
mkdir -p "$work"
work=$(cd "$work" && pwd)

build() {
  (cd "$root" && CGO_ENABLED=0 go build -trimpath -o "$work/lakewheel" ./cmd/lakewheel && CGO_ENABLED=0 go build -o "$work/gen" ./bench/gen)
}

python() { # python FILE ARGS
  if [ -z "${BENCH_PYTHON:-}" ]; then
    BENCH_PYTHON=$work/venv/bin/python
    if [ ! -e "$work/venv/.done" ]; then
      python3 -m venv "$work/venv" && "$BENCH_PYTHON" -m pip install -q -r "$bench/requirements.txt" && touch "$work/venv/.done"
    fi
  fi
  "$BENCH_PYTHON" "$@"
}

# broker sets $brokers and, of a broker of our own, $broker_pid.
broker() {
  brokers=${BENCH_BROKERS:-} broker_pid=${BENCH_BROKER_PID:-}
  [ -z "$brokers" ] || return 0
  export KAFKA_PORT=${KAFKA_PORT:-29192}
  brokers=127.0.0.1:$KAFKA_PORT
  local was=""
  [ ! -s "$work/kafka/kafka.pid" ] || ! kill -0 "$(cat "$work/kafka/kafka.pid")" 2>/dev/null || was=up
  "$root/integration/kafka/run-kafka.sh" start "$work/kafka" >&2
  broker_pid=$(cat "$work/kafka/kafka.pid")
  [ -n "$was" ] || trap '"$root/integration/kafka/run-kafka.sh" stop "$work/kafka"' EXIT
}

pipeline() { # pipeline NAME TOPIC START > FILE
  cat <<YAML
name: $1
sources:
  events:
    kafka: {brokers: ["$brokers"], topic: $2, start: $3}
    schema: event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, amount DOUBLE, kind STRING
query: |
  SELECT event_id, ts, user_id, page, country, amount, kind FROM events WHERE kind = 'buy' OR amount > 250
sink:
  delta: {path: "$work/tables/$1"}
YAML
}

windows() { # windows NAME TOPIC KEY > FILE
  cat <<YAML
name: $1
sources:
  events:
    kafka: {brokers: ["$brokers"], topic: $2, start: earliest}
    schema: event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, amount DOUBLE, kind STRING
    watermark: {column: ts, delay: 10 seconds}
query: |
  SELECT window.start AS window_start, $3 AS key, count(*) AS n, sum(amount) AS amount FROM events GROUP BY window(ts, '10 seconds'), $3
sink:
  delta: {path: "$work/tables/$1"}
YAML
}

fresh() { # fresh NAME: no table of an earlier run
  rm -rf "$work/tables/$1" "$work/tables/$1_dead_letter"
  mkdir -p "$work/tables" "$work/runs"
}

measured() { # measured RUN COMMAND: RUN.json and RUN.progress
  local run=$1
  shift
  python "$bench/measure.py" "$run.json" --stdout "$run.progress" --foreign-pids "${broker_pid:-}" -- "$@" 2> "$run.log" ||
    { tail -20 "$run.log" >&2; return 1; }
}
