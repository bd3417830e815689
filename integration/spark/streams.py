"""Runs streams on Spark, step by step, and notes what each step did.

A stream is a JSON object:

  sources   name -> {"schema": DDL, "watermark": {"column", "delay"}, "dedup": {"keys", "within_watermark"}}; the last two may be left out
  query     SQL over the sources
  mode      append, update or complete
  settings  of the pipeline, if it has any: {"no_data_batches": false, "watermark_policy": "max"}
  steps     [{source: [row, ...]}, ...]: the rows of one batch each, which the batches without data follow
  restarts  the steps before which the query is stopped and started again

The answer: {"columns", "types", "steps": [{"rows", "state", "dropped", "watermark_after"}, ...]}, or {"error": condition}. Rows are
those put out in the step, in complete mode the newest result; state and dropped are by stateful operator, from the sink down;
watermark_after is the one that the next step begins with.
"""
import datetime
import decimal
import json
import os
import re
import shutil
import tempfile
import time

from pyspark.sql import types as T

from asking import condition

os.environ["TZ"] = "UTC"  # collect() turns times into local ones
time.tzset()

SETTINGS = {
    "no_data_batches": ("spark.sql.streaming.noDataMicroBatches.enabled", lambda on: str(on).lower()),
    "watermark_policy": ("spark.sql.streaming.multipleWatermarkPolicy", str),
}
ALWAYS = {  # few rows: compiling a plan takes longer than running it
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.pollingDelay": "2",
    "spark.sql.streaming.noDataProgressEventInterval": "3600000",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
}


def cell(value, kind):
    """A value as JSON: times in six digits, decimals as text, NaN and the infinities as text."""
    if value is None:
        return None
    if isinstance(kind, (T.FloatType, T.DoubleType)):
        return value if value - value == 0 else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(kind, T.StructType):
        return {f.name: cell(value[i], f.dataType) for i, f in enumerate(kind.fields)}
    if isinstance(kind, T.ArrayType):
        return [cell(x, kind.elementType) for x in value]
    return value


class Stream:
    """One stream in a folder of its own. All sources are in the same files, so that a file is a batch of each."""

    def __init__(self, spark, stream, folder):
        self.spark, self.mode, self.folder = spark, stream["mode"], folder
        self.inbox = os.path.join(folder, "in")
        os.makedirs(self.inbox)
        schemas = {name: T._parse_datatype_string(s["schema"]) for name, s in stream["sources"].items()}
        columns = {f.name: f.dataType.simpleString() for schema in schemas.values() for f in schema.fields}
        ddl = ", ".join([f"`{name}` {kind}" for name, kind in columns.items()] + ["_source STRING"])
        everything = spark.readStream.schema(ddl).option("maxFilesPerTrigger", 1).json(self.inbox)
        for name, source in stream["sources"].items():
            self.view(name, source, everything.where(f"_source = '{name}'").select(*schemas[name].names))
        self.frame = spark.sql(stream["query"])
        self.query = None

    def view(self, name, source, frame):
        if "watermark" in source:
            frame = frame.withWatermark(source["watermark"]["column"], source["watermark"]["delay"])
        if "dedup" in source:
            drop = frame.dropDuplicatesWithinWatermark if source["dedup"]["within_watermark"] else frame.dropDuplicates
            frame = drop(source["dedup"]["keys"])
        frame.createOrReplaceTempView(name)

    def start(self):
        self.stop()
        self.rows, self.seen = {}, set()  # rows by batch; batches whose progress has been read
        kinds = [f.dataType for f in self.frame.schema.fields]

        def sink(batch, number):
            self.rows[number] = [[cell(r[i], kind) for i, kind in enumerate(kinds)] for r in batch.collect()]
        writer = self.frame.writeStream.outputMode(self.mode).foreachBatch(sink)
        self.query = writer.option("checkpointLocation", os.path.join(self.folder, "checkpoint")).start()

    def stop(self):
        if self.query is not None:
            self.query.stop()

    def step(self, number, rows):
        """Feeds the rows of a step and returns the progress of its batches."""
        hidden = os.path.join(self.folder, "new")
        with open(hidden, "w") as f:
            for source, documents in rows.items():
                for d in documents:
                    f.write(json.dumps({**d, "_source": source}) + "\n")
        os.rename(hidden, os.path.join(self.inbox, f"{number:04d}.json"))
        self.query.processAllAvailable()
        return self.progress()

    def progress(self):
        """That of the batches since the last call; it comes a moment after their rows."""
        for _ in range(1000):
            new = {p.batchId: p for p in self.query.recentProgress if p.batchId in self.rows and p.batchId not in self.seen}
            if self.seen | set(new) == set(self.rows):
                break
            time.sleep(0.01)
        self.seen |= set(new)
        return [new[b] for b in sorted(new)]

    def outcome(self, batches):
        rows = [r for p in (batches[-1:] if self.mode == "complete" else batches) for r in self.rows[p.batchId]]
        dropped = {}
        for p in batches:
            for i, operator in enumerate(p.stateOperators):
                dropped[i] = dropped.get(i, 0) + operator.numRowsDroppedByWatermark
        return {"rows": sorted(rows, key=json.dumps), "state": [o.numRowsTotal for o in batches[-1].stateOperators] if batches else [],
                "dropped": [dropped[i] for i in sorted(dropped)]}


def steps(spark, stream, folder):
    s, out = Stream(spark, stream, folder), []
    try:
        s.start()
        for i, rows in enumerate(stream["steps"]):
            if i in stream.get("restarts", []):
                s.start()
            batches = s.step(i, rows)
            if out and batches:
                out[-1]["watermark_after"] = batches[0].eventTime.get("watermark", "")
            out.append(s.outcome(batches))
    finally:
        s.stop()
    return {"columns": s.frame.columns, "types": [f.dataType.simpleString() for f in s.frame.schema.fields], "steps": out}


def fault(error):
    """The condition of an error; that of a running query is within the text of others."""
    outer = {"STREAM_FAILED", "FOREACH_BATCH_USER_FUNCTION_ERROR"}
    inner = [c for c in re.findall(r"\[([A-Z][A-Z_0-9.]+)\]", str(error)) if c not in outer]
    name = condition(error)
    return name if name not in outer else inner[0] if inner else "STREAM_FAILED"


def run(spark, stream):
    """What Spark makes of a stream."""
    settings = dict(ALWAYS)
    for name, value in stream.get("settings", {}).items():
        key, text = SETTINGS[name]
        settings[key] = text(value)
    before = {key: spark.conf.get(key) for key in settings}
    folder = tempfile.mkdtemp()
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        return steps(spark, stream, folder)
    except Exception as e:
        return {"error": fault(e)}
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
        shutil.rmtree(folder, ignore_errors=True)
