"""Answers what Spark makes of expressions, queries and documents, for the tests in this folder.

Reads one request a line from standard input and writes one answer a line, both JSON:

  {"do": "table", "schema": DDL, "rows": [document, ...]}  the table t that what follows reads
  {"do": "columns", "exprs": [sql, ...]}    for each {"type", "values", "errors"}: JSON texts by row and conditions by row; or {"error"}
  {"do": "queries", "queries": [sql, ...]}  for each {"columns", "types", "rows"}: a row being a JSON array as text; or {"error"}
  {"do": "infer", "sets": [[document, ...], ...]}  for each the schema that the documents have in common
  {"do": "stream", "seed": number}          a stream made at random, see streams.py, with what Spark made of it as "expect"
"""
import json
import logging
import sys

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType

import random_streams
import streams
from asking import as_json, condition, session


class Oracle:
    def __init__(self):
        # Without common subexpressions an expression is worth what its text says, whatever else the plan has.
        self.spark = session(spark_sql_subexpressionElimination_enabled="false", spark_sql_alwaysInlineCommonExpr="true")
        self.jvm = self.spark._jvm
        self.printers = {}

    def table(self, schema, rows):
        frame = self.read(rows, self.spark._jsparkSession.read().schema(schema).option("mode", "FAILFAST"))
        frame.localCheckpoint().createOrReplaceTempView("t")
        self.rows = list(self.spark.table("t")._jdf.queryExecution().executedPlan().executeCollect())
        return len(self.rows)

    def read(self, docs, reader):
        texts = self.spark._jsparkSession.createDataset(docs, self.jvm.org.apache.spark.sql.Encoders.STRING())
        return DataFrame(reader.json(texts), self.spark)

    def projection(self, frame):
        """The expressions of a SELECT, to be evaluated row by row without any optimization."""
        plan, rules = frame._jdf.queryExecution().analyzed(), self.jvm.org.apache.spark.sql.catalyst.optimizer
        plan = rules.ComputeCurrentTime.apply(rules.ReplaceExpressions.apply(plan))
        return self.jvm.org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection(plan.projectList(), plan.child().output())

    def columns(self, exprs):
        return [self.attempt(self.column, e) for e in exprs]

    def column(self, expr):
        frame = self.spark.sql(f"SELECT {expr} AS v FROM t")
        kind = frame.schema[0].dataType
        evaluate, text = self.projection(frame), self.printer(kind)
        values, errors = [], {}
        for i, row in enumerate(self.rows):
            try:
                values.append(text.apply(evaluate.apply(row)).toString()[1:-1])
            except Exception as e:
                values.append("")
                errors[i] = condition(e)
        return {"type": kind.simpleString(), "values": values, "errors": errors}

    def printer(self, kind):
        name = kind.json()
        if name not in self.printers:
            empty = self.spark.createDataFrame([], StructType([StructField("v", kind)]))
            self.printers[name] = self.projection(empty.selectExpr(as_json(kind, "v")))
        return self.printers[name]

    def queries(self, queries):
        return [self.attempt(self.query, q) for q in queries]

    def query(self, sql):
        frame = self.spark.sql(sql)
        names, kinds = frame.columns, [f.dataType for f in frame.schema]
        frame = frame.toDF(*[f"c{i}" for i in range(len(names))])
        rows = frame.selectExpr(*[as_json(k, f"c{i}") for i, k in enumerate(kinds)]).collect()
        return {"columns": names, "types": [k.simpleString() for k in kinds], "rows": ["[" + ",".join(v or "null" for v in r) + "]" for r in rows]}

    def infer(self, sets):
        return [self.read(docs, self.spark._jsparkSession.read()).schema.simpleString() for docs in sets]

    def stream(self, seed):
        stream = random_streams.make(seed)
        return {**stream, "expect": streams.run(self.spark, stream)}

    def attempt(self, ask, text):
        try:
            return ask(text)
        except Exception as e:
            return {"error": condition(e)}


def main():
    logging.disable(logging.CRITICAL)  # every refused expression would be told with its stack
    oracle = Oracle()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(oracle, request.pop("do"))(**request), ensure_ascii=False), flush=True)
    oracle.spark.stop()


if __name__ == "__main__":
    main()
