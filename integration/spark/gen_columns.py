"""Asks Spark again for the expressions of a file of answers by row, and for those on standard input, one a line:

    pip install -r requirements.txt
    python gen_columns.py ../../planner/testdata/spark/found_columns.json < more.txt

and writes the file anew: the schema and rows of a table, and for each expression its type, its values by
row as JSON texts and the conditions of the rows that fail, or the condition of the expression.
"""
import json
import sys

from answer import Oracle


def main():
    with open(sys.argv[1]) as f:
        file = json.load(f)
    exprs = list(dict.fromkeys([c["expr"] for c in file["cases"]] + [line.strip() for line in sys.stdin if line.strip()]))
    oracle = Oracle()
    oracle.table(file["schema"], [json.dumps(r) for r in file["rows"]])
    cases = [{"expr": e, **a} for e, a in zip(exprs, oracle.columns(exprs))]
    oracle.spark.stop()

    def lines(list):
        return ",\n".join(json.dumps(x, ensure_ascii=False) for x in list)
    with open(sys.argv[1], "w") as f:
        f.write('{"schema": ' + json.dumps(file["schema"]) + ',\n"rows": [\n' + lines(file["rows"]) + '],\n"cases": [\n' + lines(cases) + "]}\n")


if __name__ == "__main__":
    main()
