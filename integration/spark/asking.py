"""What the programs of this folder have in common: a session of Spark, the condition of an error,
and values as JSON text.

    pip install -r requirements.txt
"""
import json

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import types as T

PLAIN = {"boolean", "tinyint", "smallint", "int", "bigint"}


def session(**conf):
    """Starts Spark on one core, in UTC and with ANSI mode. Conf has underscores for dots, two for an underscore."""
    builder = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.sql.ansi.enabled", "true").config("spark.sql.session.timeZone", "UTC").config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC -XX:TieredStopAtLevel=1"))
    for key, value in conf.items():
        builder = builder.config(key.replace("__", "\0").replace("_", ".").replace("\0", "_"), value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def condition(error):
    """The condition of an error as Spark names it, or the class of an exception that has none."""
    if isinstance(error, PySparkException):
        return error.getCondition() or type(error).__name__
    java = getattr(error, "java_exception", None)
    while java is not None:
        if hasattr(java, "getCondition"):
            try:
                if java.getCondition():
                    return java.getCondition()
            except Exception:
                pass
        if java.getCause() is None:
            return java.getClass().getSimpleName()
        java = java.getCause()
    text = str(error)
    return text.split("[", 1)[1].split("]", 1)[0] if "[" in text else type(error).__name__


def quoted(text):
    """Text as a literal of SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def as_json(kind, value, depth=0):
    """SQL that prints a value of a type as JSON: numbers, texts and flags as such, maps as pairs,
    binary in hex, the others as the text of their cast. NULL is NULL."""
    def nested(kind, value):
        return f"coalesce({as_json(kind, value, depth + 1)}, 'null')"
    x = f"x{depth}"
    if isinstance(kind, T.NullType):
        return "cast(null as string)"
    if kind.simpleString() in PLAIN:
        return f"cast({value} as string)"
    if isinstance(kind, T.StringType):
        return f"if({value} IS NULL, NULL, regexp_extract(to_json(array({value})), '(?s)^.(.*).$'))"
    if isinstance(kind, T.BinaryType):
        return f"concat('\"', lower(hex({value})), '\"')"
    if isinstance(kind, T.ArrayType):
        return f"concat('[', array_join(transform({value}, {x} -> {nested(kind.elementType, x)}), ','), ']')"
    if isinstance(kind, T.MapType):
        pair = f"concat('[', {nested(kind.keyType, x + '.key')}, ',', {nested(kind.valueType, x + '.value')}, ']')"
        return f"concat('[', array_join(transform(map_entries({value}), {x} -> {pair}), ','), ']')"
    if isinstance(kind, T.StructType):
        fields = [quoted(json.dumps(f.name, ensure_ascii=False) + ":") + ", " + nested(f.dataType, f"{value}.`{f.name.replace('`', '``')}`") for f in kind.fields]
        comma = ", ',', "
        return f"if({value} IS NULL, NULL, concat('{{', {comma.join(fields)}, '}}'))"
    return f"concat('\"', cast({value} as string), '\"')"
