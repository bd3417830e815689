"""Makes streams at random and asks Spark for them, one a line with its answer as "expect":

    pip install -r requirements.txt
    python gen_streams.py FIRST LAST > streams.jsonl

FIRST and LAST are numbers of streams. The recorded ones are in cmd/lakewheel/internal/scenario/testdata/spark.
"""
import json
import sys

from answer import Oracle


def main():
    oracle = Oracle()
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        print(json.dumps(oracle.stream(seed), ensure_ascii=False), flush=True)
    oracle.spark.stop()


if __name__ == "__main__":
    main()
