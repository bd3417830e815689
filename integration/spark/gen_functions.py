"""Asks Spark what SQL expressions are worth, for columnar/compute/testdata.

Reads expressions from standard input, one a line, either as SQL text or as a JSON object with the
key "expr", so that a file of answers can be asked again:

    pip install -r requirements.txt
    python gen_functions.py < functions_more.json > fresh.json

Writes one JSON object a line: {"expr", "type", "value"} or {"expr", "error"}, the error being Spark's
condition. Values print as CAST to STRING does, BINARY in hex, BOOLEAN and integers as JSON has them.
"""
import json
import sys

from asking import PLAIN, condition, session


def printable(kind, text):
    """Returns SQL that gives a value of a kind in the form that the file keeps."""
    if kind in PLAIN or kind.startswith(("array", "map", "struct")):
        return text
    if kind == "binary":
        return f"lower(hex({text}))"
    return f"cast(({text}) as string)"


def plain(value):
    """Makes rows and maps into what JSON has."""
    if isinstance(value, dict):
        return [[plain(k), plain(v)] for k, v in value.items()]
    if hasattr(value, "asDict"):
        return {k: plain(v) for k, v in value.asDict().items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def ask(spark, text):
    try:
        kind = spark.sql(f"select {text}").schema[0].dataType.simpleString()
        value = spark.sql(f"select {printable(kind, text)}").collect()[0][0]
    except Exception as e:
        return {"expr": text, "error": condition(e)}
    return {"expr": text, "type": kind, "value": plain(value)}


def main():
    spark = session()
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line:
            text = json.loads(line)["expr"] if line.startswith('{"expr"') else line
            print(json.dumps(ask(spark, text), ensure_ascii=False))
    spark.stop()


if __name__ == "__main__":
    main()
