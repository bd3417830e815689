"""Spark with Delta, at the tables that the tests write.

    tables.py JARS WAREHOUSE       JARS: a folder with what pom.xml names

Reads one request a line from standard input and writes one answer a line, both JSON:

  {"rows": TABLE}          all rows, printed as lakewheel cat prints them
  {"predicates": TABLE}    what predicates at the least and the greatest value of each column find that a search of all rows does not
  {"sql": STATEMENT}       the rows of a statement, as lists
  {"append": TABLE}        one more row, of NULLs
"""
import functools, glob, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "readers"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spark"))
from asking import session
from printing import lines
from pyspark.sql import functions as F


def rows(path):
    return lines(spark.read.format("delta").load(path).toArrow())


def predicates(path):
    """Statistics of the log skip files, those of Parquet skip row groups: none may have a row that is asked for. One pass over all rows, which casts hide from
    the statistics, and one over each column that can skip."""
    frame = spark.read.format("delta").load(path)
    whole = frame.toArrow()
    plain = spark.createDataFrame(whole).cache()
    bounds = plain.agg(*[f(name).alias(f"{kind} {name}") for name in frame.columns for kind, f in (("least", F.min), ("greatest", F.max))]).first()
    asked = {}
    for name in frame.columns:
        for kind in ("least", "greatest"):
            v = bounds[f"{kind} {name}"]
            asked[f"{name} = {v}"] = F.col(name) == F.lit(v).cast(frame.schema[name].dataType)
    want = plain.agg(*[F.count_if(c).alias(what) for what, c in asked.items()]).first()
    counts = [frame.filter(c).agg(F.lit(what).alias("what"), F.count("*").alias("n")) for what, c in asked.items()]
    got = {row.what: row.n for row in functools.reduce(lambda a, b: a.unionAll(b), counts).collect()}
    return [f"{what}: {got[what]} rows instead of {want[what]}" for what in asked if got[what] != want[what]]


def sql(statement):
    return [[str(v) for v in row] for row in spark.sql(statement).collect()]


def append(path):
    schema = spark.read.format("delta").load(path).schema
    spark.createDataFrame([tuple(None for _ in schema)], schema).write.format("delta").mode("append").save(path)
    return True


answers = os.fdopen(os.dup(1), "w")  # VACUUM prints to standard output from Java
os.dup2(2, 1)
jars = ",".join(sorted(glob.glob(os.path.join(sys.argv[1], "*.jar"))))
spark = session(spark_jars=jars, spark_sql_extensions="io.delta.sql.DeltaSparkSessionExtension", spark_sql_catalog_spark__catalog="org.apache.spark.sql.delta.catalog.DeltaCatalog",
                spark_sql_warehouse_dir=sys.argv[2], spark_sql_shuffle_partitions="1", spark_default_parallelism="1", spark_databricks_delta_snapshotPartitions="1",
                spark_databricks_delta_retentionDurationCheck_enabled="false")
for line in sys.stdin:
    (what, argument), = json.loads(line).items()
    print(json.dumps(globals()[what](argument)), file=answers, flush=True)
