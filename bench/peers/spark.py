"""The benchmark's query in Spark Structured Streaming: Kafka into a Delta table, AvailableNow. Run by spark-submit.

  spark.py BROKERS TOPIC FOLDER ROWS_PER_BATCH

Prints one line of JSON: seconds of the query without the start of the session, and what every batch took.
"""
import json, sys, time
from pyspark.sql import SparkSession

brokers, topic, folder, per_batch = sys.argv[1:]
spark = (SparkSession.builder.appName("ingest")
         .config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false")
         .config("spark.sql.parquet.compression.codec", "zstd").config("spark.databricks.delta.snapshotPartitions", "2")
         .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
         .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog").getOrCreate())
spark.sparkContext.setLogLevel("ERROR")
start = time.time()
query = (spark.readStream.format("kafka").option("kafka.bootstrap.servers", brokers).option("subscribe", topic)
         .option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", per_batch).load()
         .selectExpr("from_json(cast(value as string), 'event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, "
                     "amount DOUBLE, kind STRING') AS e").select("e.*").where("kind = 'buy' OR amount > 250")
         .writeStream.format("delta").outputMode("append").option("checkpointLocation", folder + "/checkpoint")
         .trigger(availableNow=True).start(folder + "/table"))
query.awaitTermination()
progress = [json.loads(p.json) for p in query.recentProgress]
print(json.dumps({"query": time.time() - start, "records": sum(p["numInputRows"] for p in progress),
                  "batchMs": [p["durationMs"]["triggerExecution"] for p in progress]}))
spark.stop()
