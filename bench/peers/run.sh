#!/usr/bin/env bash
# The ingest benchmark beside other programs, in turns on the same machine; one table at the end.
#
#   PEERS="duckdb spark" N=5000000 RUNS=3 bench/peers/run.sh      needs Java 17 and Maven for Spark
#
# SPARK_CORES (all), SPARK_MEMORY (4g) and SPARK_ROWS_PER_BATCH (1000000, the default of Lakewheel) tune Spark.
# DuckDB is a batch from a file: no Kafka, no commits, nothing to resume from. Spark does the same work as Lakewheel.
source "$(dirname "$0")/../lib.sh"
here=$bench/peers peers=${PEERS-duckdb spark} n=${N:-5000000} topic=${TOPIC:-events} runs=${RUNS:-3} out=$work/peers
if [ -z "${BENCH_PYTHON:-}" ]; then
  BENCH_PYTHON=$work/peers-venv/bin/python
  export BENCH_PYTHON
  [ -e "$work/peers-venv/.done" ] || { python3 -m venv "$work/peers-venv" &&
    "$BENCH_PYTHON" -m pip install -q setuptools -r "$here/requirements.txt" && touch "$work/peers-venv/.done"; }
fi
build
broker
export BENCH_BROKERS=$brokers BENCH_BROKER_PID=$broker_pid
rm -rf "$work/runs"
mkdir -p "$out" "$work/runs"

duckdb() { # duckdb RUN
  local file=$work/events-$n.ndjson
  [ -e "$file" ] || "$work/gen" -n "$n" -file "$file"
  measured "$1" "$BENCH_PYTHON" "$here/duck.py" "$file" "$out/duck.parquet"
  echo "  $(python "$bench/check.py" "$out/duck.parquet" "$work/expected-$n.json" "$1.json")"
}

spark() { # spark RUN
  if [ ! -e "$work/jars/.done" ]; then
    mvn -B -q -f "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.10.0:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$work/jars"
    touch "$work/jars/.done"
  fi
  SPARK_HOME=$("$BENCH_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
  export SPARK_HOME PYSPARK_PYTHON=$BENCH_PYTHON PYSPARK_DRIVER_PYTHON=$BENCH_PYTHON
  rm -rf "$out/spark"
  measured "$1" "$SPARK_HOME/bin/spark-submit" --master "local[${SPARK_CORES:-$(nproc)}]" --driver-memory "${SPARK_MEMORY:-4g}" \
    --jars "$(printf '%s\n' "$work"/jars/*.jar | paste -sd,)" --conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 \
    "$here/spark.py" "$brokers" "$topic" "$out/spark" "${SPARK_ROWS_PER_BATCH:-1000000}"
  python -c 'import json, sys
run = sys.argv[1]
m, p = json.load(open(run + ".json")), json.loads([x for x in open(run + ".progress") if x.startswith("{")][-1])
assert p["records"] == int(sys.argv[2]), p
json.dump({**m, **p}, open(run + ".json", "w"))
print("  batches, ms:", p["batchMs"])' "$1" "$n"
  echo "  $(python "$bench/check.py" "$out/spark/table" "$work/expected-$n.json" "$1.json")"
}

for i in $(seq "$runs"); do
  FIRST=$i RUNS=1 "$bench/run.sh"
  for peer in $peers; do
    echo "$peer-$i:"
    "$peer" "$work/runs/$peer-$i"
  done
done
python "$bench/report.py" table "$n" "$work/runs"
