"""Asks Spark 4.0.1 for the type and value, or the error condition, of expressions over
dates, timestamps and intervals, and writes them as JSON, one a line:

    pip install -r requirements.txt
    python gen_time.py > ../../planner/testdata/spark/time_more.json

ANSI mode, session zone UTC. Answers do not depend on the day on which this runs.
"""
import itertools
import json

from asking import condition, session

DATES = ["0001-01-01", "1582-10-04", "1582-10-15", "1900-02-28", "1969-12-31", "1999-12-31", "2000-02-29", "2023-01-01", "2024-02-29", "2024-12-30", "9999-12-31"]
TIMES = ["0001-01-01 00:00:00", "1582-10-10 12:00:00", "1900-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00",
         "2000-02-29 13:05:09.5", "2024-02-29 00:30:00", "2024-12-31 12:34:56.789123", "9999-12-31 23:59:59.999999"]
DT = ["INTERVAL '1' DAY", "INTERVAL '-3' HOUR", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-0 00:00:00.000001' DAY TO SECOND",
      "INTERVAL '10:30' HOUR TO MINUTE", "INTERVAL '90' MINUTE", "INTERVAL '59.999999' SECOND", "INTERVAL '106751991 04:00:54.775807' DAY TO SECOND"]
YM = ["INTERVAL '1' MONTH", "INTERVAL '-1' YEAR", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-0-11' YEAR TO MONTH", "INTERVAL '13' MONTH", "INTERVAL '178956970-7' YEAR TO MONTH"]
NTZ = ["TIMESTAMP_NTZ'2024-02-29 12:34:56.789'", "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'"]


def ts(text):
    return f"TIMESTAMP'{text}'"


def d(text):
    return f"DATE'{text}'"


def literals():
    yield from """
INTERVAL '1' DAY|INTERVAL 1 DAY|INTERVAL -1 DAY|INTERVAL '-1' DAY|INTERVAL -'1' DAY|-INTERVAL '1' DAY|-INTERVAL -'1' DAY|INTERVAL '+1' DAY
INTERVAL 10 MINUTES|INTERVAL '10' MINUTES|INTERVAL 10 minute|INTERVAL 1.5 SECOND|INTERVAL '1.5' SECOND|INTERVAL 1.5 SECONDS|INTERVAL '1.5' DAY|INTERVAL 1.5 DAYS
INTERVAL '1 02:03:04.5' DAY TO SECOND|INTERVAL '1-2' YEAR TO MONTH|INTERVAL '-1-2' YEAR TO MONTH|INTERVAL -'1-2' YEAR TO MONTH|INTERVAL '10 minutes'
INTERVAL '1 day 2 hours'|INTERVAL 1 DAY 2 HOURS|INTERVAL 1 DAY -2 HOURS|INTERVAL 3 HOURS 1 DAY|INTERVAL 1 WEEK|INTERVAL '2 weeks 1 day'|INTERVAL '1 week'
INTERVAL 5 MILLISECONDS|INTERVAL 5 MICROSECONDS|INTERVAL 5 MILLISECOND|INTERVAL '5' MICROSECOND|INTERVAL 5 NANOSECONDS|INTERVAL 1 YEAR 2 MONTHS|INTERVAL '1 year 2 months'
INTERVAL 2 YEARS|INTERVAL '2' YEAR|INTERVAL 14 MONTHS|INTERVAL '14' MONTH|INTERVAL 1 MONTH 1 DAY|INTERVAL '1 month 1 day'|INTERVAL '1 year 1 second'
INTERVAL 1 DAY 1 DAY|INTERVAL '1 day 1 day'|INTERVAL '24' HOUR|INTERVAL '100' HOUR|INTERVAL '24:00' HOUR TO MINUTE|INTERVAL '23:59' HOUR TO MINUTE|INTERVAL '23:60' HOUR TO MINUTE
INTERVAL '1 24' DAY TO HOUR|INTERVAL '1 23' DAY TO HOUR|INTERVAL '1 2:3' DAY TO MINUTE|INTERVAL '1 02:03' DAY TO MINUTE|INTERVAL '1:2:3' HOUR TO SECOND|INTERVAL '01:02:03.123456' HOUR TO SECOND
INTERVAL '59:59' MINUTE TO SECOND|INTERVAL '60:59' MINUTE TO SECOND|INTERVAL '59:60' MINUTE TO SECOND|INTERVAL '1:2.5' MINUTE TO SECOND|INTERVAL '1 1:1:1.123456789' DAY TO SECOND|INTERVAL '1 1:1:1.1234567891' DAY TO SECOND
INTERVAL '1-11' YEAR TO MONTH|INTERVAL '1-12' YEAR TO MONTH|INTERVAL '1-0' YEAR TO MONTH|INTERVAL '1' YEAR TO MONTH|INTERVAL '1-2' YEAR|INTERVAL '1-2' MONTH|INTERVAL '1 2' DAY TO SECOND
INTERVAL 'abc' DAY|INTERVAL 'abc'|INTERVAL ''|INTERVAL '' DAY|INTERVAL '1'|INTERVAL 1|INTERVAL '1 fortnight'|INTERVAL 1 FORTNIGHT|INTERVAL '1 day 2'|INTERVAL '  1   day  '|INTERVAL '1DAY'|INTERVAL '-1 day'|INTERVAL '- 1 day'|INTERVAL '+ 1 day'
INTERVAL '1.5 seconds'|INTERVAL '-1.5 seconds'|INTERVAL '.5 seconds'|INTERVAL '1. seconds'|INTERVAL '1.5 minutes'|INTERVAL '0.0000001 seconds'|INTERVAL '0.1234567890 seconds'|INTERVAL 'interval 1 day'|INTERVAL 'INTERVAL 1 day'
INTERVAL '1 millisecond 1 microsecond'|INTERVAL '1 hour' DAY|INTERVAL '1' day|interval '1' DaY|INTERVAL '1 02' DAY TO HOUR|INTERVAL '1' SECOND TO DAY|INTERVAL '1' DAY TO MONTH|INTERVAL '1' HOUR TO DAY
INTERVAL '106751991' DAY|INTERVAL '106751992' DAY|INTERVAL 106751991 DAYS|INTERVAL 106751992 DAYS|INTERVAL '2562047788' HOUR|INTERVAL '2562047789' HOUR|INTERVAL 9223372036854775807 MICROSECONDS|INTERVAL 9223372036854775808 MICROSECONDS
INTERVAL '178956970' YEAR|INTERVAL '178956971' YEAR|INTERVAL 2147483647 MONTHS|INTERVAL 2147483648 MONTHS|INTERVAL '-178956970-8' YEAR TO MONTH|INTERVAL '178956970-8' YEAR TO MONTH|INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND|INTERVAL '106751991 04:00:54.775808' DAY TO SECOND
INTERVAL '0' DAY|INTERVAL '-0' DAY|INTERVAL '0-0' YEAR TO MONTH|INTERVAL '-0 00:00:01' DAY TO SECOND|INTERVAL '00:00:00' HOUR TO SECOND|INTERVAL '1 0:0:0' DAY TO SECOND|INTERVAL 1 SECOND|INTERVAL 1 SECOND 1 MILLISECOND|INTERVAL 1 HOUR 30 MINUTES 5 SECONDS
INTERVAL (1) DAY|INTERVAL (1 + 2) DAYS|INTERVAL 1 days 2 days|INTERVAL '1' DAY '2' HOUR|INTERVAL '1-2' YEAR TO MONTH '3' DAY|INTERVAL INTERVAL '1' DAY|INTERVAL ' 1 ' DAY|INTERVAL ' 1 02:03:04 ' DAY TO SECOND|INTERVAL '1  02:03:04' DAY TO SECOND|INTERVAL '001' DAY|INTERVAL '1 002:03:04' DAY TO SECOND
INTERVAL '-1 02:03:04' DAY TO SECOND|INTERVAL '+1 02:03:04' DAY TO SECOND|INTERVAL -'-1 02:03:04' DAY TO SECOND|INTERVAL '- 1 02:03:04' DAY TO SECOND|INTERVAL '1 -02:03:04' DAY TO SECOND|INTERVAL '10' SECOND|INTERVAL '-10.5' SECOND|INTERVAL '10.123456' SECOND|INTERVAL '10.1234567' SECOND|INTERVAL '100000.5' SECOND
""".strip().replace("\n", "|").split("|")
    yield from """
DATE'2024'|DATE'2024-2'|DATE'2024-2-9'|DATE'2024-02-09T'|DATE'2024-02-09 abc'|DATE'2024-02-09abc'|DATE' 2024-02-09 '|DATE''|DATE'-0001-01-01'|DATE'0000-01-01'|DATE'10000-01-01'|DATE'+10000-01-01'|DATE'1582-10-10'|DATE'1900-02-29'|DATE'202402'
TIMESTAMP'2024-01-01'|TIMESTAMP'2024'|TIMESTAMP'2024-01-01 10'|TIMESTAMP'2024-01-01 10:20:30.5 Europe/Paris'|TIMESTAMP'2024-07-01 10:20:30 Europe/Paris'|TIMESTAMP'2024-03-31 02:30:00 Europe/Paris'|TIMESTAMP'2024-10-27 02:30:00 Europe/Paris'|TIMESTAMP'2024-01-01 10:20:30+5:30'|TIMESTAMP'2024-01-01 10:20:30 UTC+3'|TIMESTAMP'2024-01-01 10:20:30 GMT-03:30'|TIMESTAMP'2024-01-01 10:20:30Z'|TIMESTAMP'2024-01-01 10:20:30 z'|TIMESTAMP'2024-01-01T10:20:30.123456789Z'
TIMESTAMP'2024-01-01 24:00:00'|TIMESTAMP'2024-01-01 23:59:60'|TIMESTAMP'2024-01-01 1:2:3'|TIMESTAMP'2024-01-01  10:20:30'|TIMESTAMP'2024-01-01 10:20:30 CET'|TIMESTAMP'2024-01-01 10:20:30 EST'|TIMESTAMP'2024-01-01 10:20:30 PST'|TIMESTAMP'2024-01-01 10:20:30 JST'|TIMESTAMP'2024-01-01 10:20:30 Japan'|TIMESTAMP'2024-01-01 10:20:30 america/new_york'|TIMESTAMP'2024-01-01 10:20:30 Nowhere/City'|TIMESTAMP'2024-01-01 10:20:30+18:00'|TIMESTAMP'2024-01-01 10:20:30+18:01'|TIMESTAMP'2024-01-01 10:20:30 +02'|TIMESTAMP'2024-01-01 10:20:30+0230'|TIMESTAMP'2024-01-01 10:20:30+02:30:15'|TIMESTAMP'2024-01-01 10:20:30 Etc/GMT+5'|TIMESTAMP'2024-01-01 10:20:30 EST5EDT'|TIMESTAMP'2024-01-01 10:20:30 UTC'|TIMESTAMP'2024-01-01 10:20:30 UT'|TIMESTAMP'2024-01-01 10:20:30 GMT0'
TIMESTAMP_NTZ'2024-01-01 10:20:30'|TIMESTAMP_NTZ'2024-01-01'|TIMESTAMP_NTZ'2024-01-01 10:20:30Z'|TIMESTAMP_NTZ'2024-01-01 10:20:30 Europe/Paris'|TIMESTAMP_NTZ'abc'|TIMESTAMP_LTZ'2024-01-01 10:20:30'|TIMESTAMP_LTZ'2024-01-01 10:20:30+01:00'|TIMESTAMP_NTZ'10:20:30'|TIMESTAMP_NTZ'2024'|timestamp_ntz'0001-01-01 00:00:00.000001'|TIMESTAMP_NTZ'294247-01-10T04:00:54.775807'|TIMESTAMP'294247-01-10T04:00:54.775807'|TIMESTAMP'294247-01-10T04:00:54.775808'|TIMESTAMP'-290308-12-21T19:59:05.224192Z'
""".strip().replace("\n", "|").split("|")


SAMPLES = {"date": "DATE'2024-02-29'", "timestamp": "TIMESTAMP'2024-02-29 12:34:56.789'", "timestamp_ntz": "TIMESTAMP_NTZ'2024-02-29 12:34:56.789'",
           "string": "'2024-02-29 12:34:56.789'", "boolean": "true", "tinyint": "5Y", "smallint": "5S", "int": "5", "bigint": "5L", "float": "1.5F", "double": "1.5D",
           "decimal(10,2)": "cast(1.5 as decimal(10,2))", "binary": "X'31'", "interval day to second": "INTERVAL '1 02:03:04.5' DAY TO SECOND",
           "interval day": "INTERVAL '2' DAY", "interval hour": "INTERVAL '100' HOUR", "interval minute": "INTERVAL '90' MINUTE", "interval second": "INTERVAL '1.5' SECOND",
           "interval day to hour": "INTERVAL '1 02' DAY TO HOUR", "interval hour to minute": "INTERVAL '10:30' HOUR TO MINUTE",
           "interval year": "INTERVAL '3' YEAR", "interval month": "INTERVAL '14' MONTH", "interval year to month": "INTERVAL '1-2' YEAR TO MONTH", "void": "NULL"}
NEW = [t for t in SAMPLES if t.startswith(("date", "timestamp", "interval"))]


def casts():
    for t, u in itertools.product(SAMPLES, SAMPLES):
        if (t in NEW or u in NEW) and u != "void":
            yield f"cast({SAMPLES[t]} as {u})"
    for t, u in [("boolean", "timestamp"), ("boolean", "interval day"), ("date", "int"), ("interval day", "double"), ("string", "interval day"), ("timestamp_ntz", "int"), ("int", "timestamp_ntz")]:
        yield f"try_cast({SAMPLES[t]} as {u})"
    for e in DT + ["INTERVAL '-1 02:03:04.5' DAY TO SECOND", "INTERVAL '0' SECOND", "INTERVAL '-10.25' SECOND", "INTERVAL '-01:30' HOUR TO MINUTE", "INTERVAL '-1:02.5' MINUTE TO SECOND"]:
        for u in ["string", "int", "bigint", "tinyint", "decimal(20,6)", "decimal(4,2)", "interval day", "interval hour to minute", "interval minute to second", "interval second", "interval day to second"]:
            yield f"cast({e} as {u})"
    for e in YM:
        for u in ["string", "int", "smallint", "tinyint", "decimal(10,0)", "interval year", "interval month"]:
            yield f"cast({e} as {u})"
    for e in ["1", "-1", "0", "100Y", "3000000000L", "9223372036854775807L", "1.5", "cast(-1.25 as decimal(10,4))", "1.999999999", "1e3"]:
        for u in ["interval day", "interval hour", "interval minute", "interval second", "interval year", "interval month", "interval day to second", "interval year to month"]:
            yield f"cast({e} as {u})"
            if e in ("3000000000L", "9223372036854775807L"):
                yield f"try_cast({e} as {u})"
    for text in ["INTERVAL '1' DAY", "1", "-1", "+1", " 1 ", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "1 02:03:04.5", "-1 02:03:04.5", "10:30", "1-2", "-1-2", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL -'1' DAY", "interval '1' day", "abc", "", "1 day", "INTERVAL 1 DAY", "02:03:04", "1 02", "59.999999", "1.5", "999999999999"]:
        for u in ["interval day", "interval day to second", "interval hour to minute", "interval second", "interval year to month", "interval month"]:
            sql = text.replace("'", "\\'")
            yield f"cast('{sql}' as {u})"
            if u in ("interval day", "interval month"):
                yield f"try_cast('{sql}' as {u})"
    for text in ["2024-01-01 10:20:30", "2024-01-01 10:20:30Z", "2024-01-01 10:20:30+02:00", "2024-01-01 10:20:30 Europe/Paris", "2024", "2024-1-2", "abc", "10:20", "T10:20:30", "2024-01-01T", "2024-01-01 10:20:30.1234567", "2024-01-01 10:20:30 Nowhere/City", " 2024-01-01 ", "294247-01-11 00:00:00", "0000-01-01", "-0001-01-01 00:00:00", "2024-01-01 10:20:30.", "2024-01-01 10:", "2024-01-01 1:2", "+002024-01-01", "+12345-01-01 00:00:00", "2024-00-01", "2024-01-32", "5-1-1", "05-1-1", "00001-01-01", "1000000-01-01", "9999999-01-01", "5881580-07-11", "5881580-07-12", "-5877641-06-23", "-5877641-06-22"]:
        for u in ["timestamp_ntz", "date", "timestamp"]:
            if not (text.count(":") and "-" not in text and u == "timestamp"):
                yield f"try_cast('{text}' as {u})"
    yield from ["cast(DATE'+294248-01-01' as timestamp)", "cast(DATE'+294248-01-01' as timestamp_ntz)", "try_cast(DATE'+294248-01-01' as timestamp)", "cast(TIMESTAMP'1969-12-31 23:59:59.999999' as decimal(20,6))",
                "cast(TIMESTAMP'2024-01-01 00:00:00.5' as decimal(5,2))", "cast(TIMESTAMP'1969-12-31 23:59:59.5' as float)", "cast(TIMESTAMP'1969-12-31 23:59:59.5' as tinyint)", "cast(cast('NaN' as float) as timestamp)", "cast('2024-01-01' as interval year)", "cast(date_add(DATE'2024-01-01', 2000000) as string)",
                "cast(DATE'-0001-01-01' as string)", "cast(DATE'0000-12-31' as string)", "cast(DATE'+12345-12-31' as string)", "cast(TIMESTAMP'+12345-12-31 00:00:00' as string)", "cast(TIMESTAMP'-0005-12-31 00:00:00' as string)"]


def coercions():
    kinds = ["date", "timestamp", "timestamp_ntz", "string", "int", "interval day", "interval hour to minute", "interval day to second", "interval year", "interval month", "void"]
    for t, u in itertools.product(kinds, kinds):
        if t in NEW or u in NEW:
            yield f"coalesce({SAMPLES[t]}, {SAMPLES[u]})"
            yield f"{SAMPLES[t]} < {SAMPLES[u]}"
            yield f"{SAMPLES[t]} <=> {SAMPLES[u]}"
    yield from ["greatest(DATE'2024-01-01', TIMESTAMP_NTZ'2024-01-02 00:00:00')", "greatest(INTERVAL '1' DAY, INTERVAL '25' HOUR)", "least(INTERVAL '1' YEAR, INTERVAL '11' MONTH)", "greatest(TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP_NTZ'2024-01-02 00:00:00')",
                "CASE WHEN true THEN INTERVAL '1' DAY ELSE INTERVAL '1' SECOND END", "if(false, TIMESTAMP_NTZ'2024-01-01 00:00:00', DATE'2024-01-01')", "nullif(INTERVAL '1' DAY, INTERVAL '24' HOUR)", "INTERVAL '1' DAY IN (INTERVAL '24' HOUR, INTERVAL '2' HOUR)", "DATE'2024-01-01' IN ('2024-01-01', '2024-01-02')",
                "DATE'2024-01-01' IN (TIMESTAMP'2024-01-01 00:00:00')", "TIMESTAMP_NTZ'2024-01-01 00:00:00' BETWEEN DATE'2023-01-01' AND TIMESTAMP'2025-01-01 00:00:00'", "INTERVAL '1' DAY BETWEEN INTERVAL '1' HOUR AND INTERVAL '1' MONTH", "INTERVAL '1' DAY = '1'", "INTERVAL '1' DAY = INTERVAL '1' MONTH", "DATE'2024-01-01' = 'abc'", "INTERVAL '1' DAY > 'abc'",
                "nvl(NULL, INTERVAL '1' DAY)", "nvl2(1, DATE'2024-01-01', TIMESTAMP'2024-01-01 00:00:00')", "CASE WHEN false THEN INTERVAL '1' MONTH ELSE INTERVAL '1' DAY END", "coalesce(NULL, TIMESTAMP_NTZ'2024-01-01 00:00:00')", "CASE DATE'2024-01-01' WHEN TIMESTAMP_NTZ'2024-01-01 00:00:00' THEN 1 ELSE 2 END",
                "concat(DATE'2024-01-01', ' ', INTERVAL '1' DAY)", "DATE'2024-01-01' || 'x'", "length(TIMESTAMP_NTZ'2024-01-01 00:00:00')", "isnull(INTERVAL '1' DAY)", "upper(INTERVAL '1' DAY)", "year('2024-05-06')", "year(TIMESTAMP_NTZ'2024-05-06 01:02:03')", "hour('2024-05-06 07:08:09')", "hour(TIMESTAMP_NTZ'2024-05-06 07:08:09')", "year(5)", "hour(5)", "year(INTERVAL '1' YEAR)", "year(true)"]


def arithmetic():
    operands = [SAMPLES[k] for k in ["date", "timestamp", "timestamp_ntz", "string", "int", "bigint", "double", "decimal(10,2)", "interval day", "interval hour to minute", "interval day to second", "interval year", "interval month", "void"]]
    for (a, b), op in itertools.product(itertools.product(operands, operands), "+-*/"):
        if ("'" in a and "INTERVAL" in a + b) or "DATE" in a + b or "TIMESTAMP" in a + b or "INTERVAL" in a + b:
            yield f"{a} {op} {b}"
    for e in TIMES:
        for i in DT[:6] + YM[:5]:
            yield f"{ts(e)} + {i}"
    for e in DATES:
        for i in ["INTERVAL '1' DAY", "INTERVAL '-3' HOUR", "INTERVAL '-0 00:00:00.000001' DAY TO SECOND"] + YM[:4]:
            yield f"{d(e)} - {i}"
    for a, b in itertools.product(DT + YM, DT[:4] + YM[:3]):
        for op in "+-":
            yield f"{a} {op} {b}"
    for i in DT + YM:
        for n in ["2", "-1", "0", "1.5", "0.333", "2.5D", "0.1F", "3L", "cast(NULL as int)", "'2'", "1e300", "cast('NaN' as double)", "9223372036854775807L"]:
            yield f"{i} * {n}"
            yield f"{i} / {n}"
        yield f"2 * {i}"
        yield f"-({i})"
        yield f"+({i})"
        for f in ["abs", "sign", "signum", "negative", "positive"]:
            yield f"{f}({i})"
        yield f"try_add({i}, {i})"
        yield f"try_subtract({i}, {i})"
        yield f"try_multiply({i}, 3)"
        yield f"try_divide({i}, 0)"
        yield f"{i} / 0"
        yield f"{i} / 0D"
        yield f"{i} div INTERVAL '1' HOUR"
        yield f"{i} div INTERVAL '1' MONTH"
        yield f"{i} % 2"
    yield from ["DATE'9999-12-31' + 1", "DATE'2024-01-01' + 2147483647", "DATE'2024-01-01' - 2147483647", "DATE'2024-01-01' + 1L", "DATE'2024-01-01' + 1Y", "DATE'2024-01-01' - 1S", "DATE'2024-01-01' + 1.5", "1 + DATE'2024-01-01'", "1 - DATE'2024-01-01'", "DATE'2024-01-01' + '1'", "DATE'2024-01-01' + true",
                "TIMESTAMP'2024-01-01 00:00:00' + 1", "try_add(DATE'2024-01-01', 1)", "try_add(DATE'2024-01-01', INTERVAL '1' DAY)", "try_add(TIMESTAMP'2024-01-01 00:00:00', INTERVAL '106751991' DAY)", "TIMESTAMP'9999-12-31 00:00:00' + INTERVAL '106751991' DAY", "try_subtract(DATE'2024-01-01', DATE'2023-01-01')", "try_subtract(TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2023-01-01 00:00:00')",
                "try_add(DATE'2024-01-01', 2147483647)", "DATE'2024-01-01' + INTERVAL '178956970' YEAR", "try_add(DATE'2024-01-01', INTERVAL '178956970' YEAR)", "TIMESTAMP'2024-01-01 00:00:00' + INTERVAL '178956970' YEAR", "TIMESTAMP'2024-01-01 00:00:00' - INTERVAL '178956970' YEAR", "DATE'2024-01-01' - '2023-01-01'", "'2024-01-01' - DATE'2023-01-01'", "TIMESTAMP'2024-01-01 00:00:00' - '2023-01-01'", "'2024-01-02' + INTERVAL '1' DAY", "'2024-01-02 03:04:05' - INTERVAL '1' HOUR", "'abc' + INTERVAL '1' DAY", "INTERVAL '1' DAY + '2024-01-02'", "INTERVAL '1' DAY - DATE'2024-01-01'", "INTERVAL '1' MONTH + DATE'2024-01-31'",
                "TIMESTAMP_NTZ'2024-01-02 00:00:00' - TIMESTAMP'2024-01-01 12:00:00'", "TIMESTAMP_NTZ'2024-01-02 00:00:00' - DATE'2024-01-01'", "DATE'2024-01-02' - TIMESTAMP'2024-01-01 12:00:00'", "DATE'9999-12-31' - DATE'0001-01-01'", "TIMESTAMP'9999-12-31 23:59:59.999999' - TIMESTAMP'0001-01-01 00:00:00'", "TIMESTAMP'294247-01-10T04:00:54.775807' - TIMESTAMP'-290308-12-21T19:59:05.224192Z'", "DATE'5881580-07-11' - DATE'-5877641-06-23'",
                "NULL + INTERVAL '1' DAY", "INTERVAL '1' DAY + NULL", "DATE'2024-01-01' + NULL", "NULL - DATE'2024-01-01'", "INTERVAL '1' DAY * NULL", "INTERVAL '1' DAY / NULL", "cast(NULL as date) - DATE'2024-01-01'", "INTERVAL '2' DAY / INTERVAL '1' DAY", "INTERVAL '2' DAY * INTERVAL '1' DAY", "-DATE'2024-01-01'", "abs(DATE'2024-01-01')", "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND / -1", "-(INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND)", "abs(INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND)", "INTERVAL '-178956970-8' YEAR TO MONTH * -1", "-(INTERVAL '-178956970-8' YEAR TO MONTH)", "abs(INTERVAL '-178956970-8' YEAR TO MONTH)", "INTERVAL '-178956970-8' YEAR TO MONTH / -1", "try_divide(INTERVAL '-178956970-8' YEAR TO MONTH, -1)", "try_divide(INTERVAL '5' MONTH, 2)", "try_multiply(INTERVAL '178956970' YEAR, 2)", "INTERVAL '5' MONTH / 2", "INTERVAL '-5' MONTH / 2", "INTERVAL '7' MONTH / 2", "INTERVAL '5' MONTH * 0.5", "INTERVAL '5' MONTH / 2D", "INTERVAL '3' MICROSECOND / 2", "INTERVAL 3 MICROSECONDS / 2", "INTERVAL 5 MICROSECONDS / 2D", "INTERVAL 3 MICROSECONDS * 0.5D", "INTERVAL 5 MICROSECONDS * 0.5", "bround(INTERVAL '1' DAY)"]


FIELDS = ["YEAR", "YEAROFWEEK", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFWEEK", "DAYOFWEEK_ISO", "DOY", "HOUR", "MINUTE", "SECOND"]
ALIASES = ["y", "years", "yr", "yrs", "qtr", "mon", "mons", "months", "w", "weeks", "d", "days", "dow", "dow_iso", "h", "hours", "hr", "hrs", "m", "min", "mins", "minutes", "s", "sec", "secs", "seconds",
           "epoch", "century", "decade", "millennium", "isoyear", "isodow", "milliseconds", "microseconds", "msec", "us", "julian", "timezone", "bogus"]


def extracts():
    for f in FIELDS:
        for e in TIMES[1:5]:
            yield f"extract({f} FROM {ts(e)})"
        for e in DATES[:4]:
            yield f"extract({f} FROM {d(e)})"
        for i in DT[2:4] + ["INTERVAL '-1 02:03:04.5' DAY TO SECOND", "INTERVAL '90' MINUTE", "INTERVAL '2' DAY"] + YM[2:4] + ["INTERVAL '-3' YEAR"]:
            yield f"extract({f} FROM {i})"
        yield f"extract({f} FROM {NTZ[0]})"
        yield f"extract({f} FROM '2024-05-06 07:08:09.5')"
    for a in ALIASES:
        yield f"date_part('{a}', TIMESTAMP'2024-12-30 12:34:56.789123')"
        yield f"date_part('{a.upper()}', INTERVAL '1 02:03:04.5' DAY TO SECOND)"
        yield f"extract({a} FROM DATE'2024-12-30')"
    yield from ["datepart('year', DATE'2024-12-30')", "date_part(NULL, DATE'2024-12-30')", "date_part('year', NULL)", "date_part(concat('ye', 'ar'), DATE'2024-12-30')", "extract(year FROM NULL)", "extract(year FROM 5)", "extract(DAY FROM INTERVAL '1-2' YEAR TO MONTH)", "extract('year' FROM DATE'2024-01-01')", "date_part('second', TIMESTAMP'1969-12-31 23:59:59.999999')", "extract(MONTH FROM INTERVAL '-1-2' YEAR TO MONTH)"]


def functions():
    for e in DATES:
        for f in ["year", "quarter", "month", "day", "dayofmonth", "dayofweek", "weekday", "dayofyear", "weekofyear", "dayname", "monthname", "last_day", "unix_date", "to_date", "to_timestamp", "unix_timestamp", "to_unix_timestamp"]:
            yield f"{f}({d(e)})"
        for n in ["1", "-1", "12", "-13", "1200"]:
            yield f"add_months({d(e)}, {n})"
        for w in ["SUNDAY", "mo", "Tue", "we", "thu", "FRIDAY", "sat", "xyz", "M"]:
            yield f"next_day({d(e)}, '{w}')"
        for u in ["YEAR", "yyyy", "yy", "quarter", "MONTH", "mm", "mon", "week", "day", "dd", "hour", "", "bogus"]:
            yield f"trunc({d(e)}, '{u}')"
    for e in TIMES:
        for f in ["hour", "minute", "second", "unix_seconds", "unix_millis", "unix_micros", "to_unix_timestamp", "unix_timestamp", "dayname", "monthname", "last_day", "to_timestamp_ntz", "to_timestamp_ltz", "to_date"]:
            yield f"{f}({ts(e)})"
        for u in ["YEAR", "yyyy", "yy", "QUARTER", "MONTH", "MM", "mon", "WEEK", "DAY", "DD", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "hours", "xx"]:
            yield f"date_trunc('{u}', {ts(e)})"
        for z in ["America/New_York", "Asia/Kolkata", "Europe/Paris", "Australia/Lord_Howe", "+05:30", "UTC-3", "UTC", "Z", "GMT+8", "EST", "PST", "JST", "Japan", "Nowhere", "", "+25:00", "America/Sao_Paulo", "+5", "-0330"]:
            yield f"from_utc_timestamp({ts(e)}, '{z}')"
            yield f"to_utc_timestamp({ts(e)}, '{z}')"
    for z, t in [("Europe/Paris", "2024-03-31 01:30:00"), ("Europe/Paris", "2024-03-31 02:30:00"), ("Europe/Paris", "2024-10-27 00:30:00"), ("Europe/Paris", "2024-10-27 01:30:00"), ("Europe/Paris", "2024-10-27 02:30:00"), ("America/New_York", "2024-03-10 02:30:00"), ("America/New_York", "2024-11-03 01:30:00"),
                 ("Australia/Lord_Howe", "2024-10-06 02:15:00"), ("Australia/Lord_Howe", "2024-04-07 01:45:00"), ("Pacific/Apia", "2011-12-30 12:00:00"), ("Europe/Amsterdam", "1937-06-30 23:59:50"), ("America/New_York", "1883-11-18 12:03:58"), ("Asia/Shanghai", "1900-12-31 23:54:17.000001"), ("Europe/Paris", "2100-07-01 12:00:00"), ("America/New_York", "2500-07-01 12:00:00")]:
        yield f"from_utc_timestamp({ts(t)}, '{z}')"
        yield f"to_utc_timestamp({ts(t)}, '{z}')"
        yield f"convert_timezone('{z}', 'UTC', TIMESTAMP_NTZ'{t}')"
        yield f"convert_timezone('UTC', '{z}', TIMESTAMP_NTZ'{t}')"
        yield f"convert_timezone('{z}', TIMESTAMP_NTZ'{t}')"
        yield f"cast('{t} {z}' as timestamp)"
        yield f"make_timestamp({t[:4]}, {int(t[5:7])}, {int(t[8:10])}, {int(t[11:13])}, {int(t[14:16])}, {t[17:]}, '{z}')"
        yield f"to_timestamp('{t} {z}', 'yyyy-MM-dd HH:mm:ss[.SSSSSS] VV')"
    yield from """
convert_timezone('Europe/Paris', 'Nowhere', TIMESTAMP_NTZ'2024-01-01 00:00:00')|convert_timezone('Europe/Paris', 'UTC', '2024-01-01 00:00:00')|convert_timezone('Europe/Paris', 'UTC', DATE'2024-01-01')|convert_timezone(NULL, 'UTC', TIMESTAMP_NTZ'2024-01-01 00:00:00')|convert_timezone('Asia/Tokyo', TIMESTAMP'2024-01-01 00:00:00')
months_between(DATE'2024-02-29', DATE'2024-01-31')|months_between(DATE'2024-03-31', DATE'2024-02-29')|months_between('1997-02-28 10:30:00', '1996-10-30')|months_between('1997-02-28 10:30:00', '1996-10-30', false)|months_between(TIMESTAMP'2024-01-15 12:00:00', TIMESTAMP'2024-01-14 12:00:00')|months_between(TIMESTAMP'1969-12-31 23:59:59.999999', TIMESTAMP'1970-01-01 00:00:00')|months_between(DATE'2024-01-15', DATE'2025-03-15')|months_between(NULL, DATE'2024-01-01')|months_between(DATE'2024-01-01', DATE'2024-01-01', NULL)|months_between(DATE'9999-12-31', DATE'0001-01-01')|months_between(TIMESTAMP'2024-01-31 00:00:00', TIMESTAMP'2024-02-29 23:00:00')|months_between(DATE'2024-01-10', DATE'2024-03-25', true)|months_between(DATE'2024-01-10', DATE'2024-03-25', false)
date_add(DATE'2024-01-01', 1)|date_add('2024-01-01', 1)|date_add(DATE'2024-01-01', 1Y)|date_add(DATE'2024-01-01', 1L)|date_add(DATE'2024-01-01', '1')|date_add(DATE'2024-01-01', '1.5')|date_add(DATE'2024-01-01', 1.5)|date_add(DATE'2024-01-01', NULL)|date_sub(TIMESTAMP_NTZ'2024-01-01 10:00:00', 1)|date_add(DATE'2024-01-01', 2147483647)|dateadd(DATE'2024-01-01', 3)|date_diff(DATE'2024-01-10', DATE'2024-01-01')|datediff('2024-01-10', '2024-01-01')|datediff(TIMESTAMP'2024-01-10 23:00:00', TIMESTAMP'2024-01-09 01:00:00')|datediff(TIMESTAMP_NTZ'2024-01-10 23:00:00', DATE'2024-01-01')|datediff(5, DATE'2024-01-01')
dateadd(DAY, 1, DATE'2024-01-01')|dateadd(MONTH, 1, TIMESTAMP'2024-01-31 12:00:00')|date_add(YEAR, -1, DATE'2024-02-29')|timestampadd(HOUR, 5, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(HOUR, 5, DATE'2024-01-01')|timestampadd(QUARTER, 1, TIMESTAMP_NTZ'2024-01-31 00:00:00')|timestampadd(WEEK, 2, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(MICROSECOND, -1, TIMESTAMP'1970-01-01 00:00:00')|timestampadd(MILLISECOND, 1500, TIMESTAMP'1970-01-01 00:00:00')|timestampadd(SECOND, 1, '2024-01-01')|timestampadd(DAYOFYEAR, 1, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(MINUTE, 9223372036854775807L, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(YEAR, 300000, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(YEAR, 9223372036854775807L, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(BOGUS, 1, TIMESTAMP'2024-01-01 00:00:00')|timestampadd('DAY', 1, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(DAY, NULL, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(DAY, 1.5, TIMESTAMP'2024-01-01 00:00:00')|timestampadd(day, '1', TIMESTAMP'2024-01-01 00:00:00')|timestampadd(NANOSECOND, 1, TIMESTAMP'2024-01-01 00:00:00')|dateadd(DAY, 1L, DATE'2024-01-01')
datediff(DAY, DATE'2024-01-01', DATE'2024-03-01')|date_diff(MONTH, DATE'2024-01-31', DATE'2024-02-29')|timestampdiff(YEAR, DATE'2020-02-29', DATE'2024-02-28')|timestampdiff(YEAR, TIMESTAMP'2020-02-29 12:00:00', TIMESTAMP'2024-02-29 11:59:59')|timestampdiff(QUARTER, DATE'2024-01-01', DATE'2024-12-31')|timestampdiff(WEEK, DATE'2024-01-01', DATE'2024-01-14')|timestampdiff(HOUR, TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2024-01-01 23:59:59')|timestampdiff(MINUTE, TIMESTAMP'2024-01-01 23:59:59', TIMESTAMP'2024-01-01 00:00:00')|timestampdiff(SECOND, TIMESTAMP'1969-12-31 23:59:59.5', TIMESTAMP'1970-01-01 00:00:01')|timestampdiff(MILLISECOND, TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'2024-01-01 00:00:00.0019')|timestampdiff(MICROSECOND, TIMESTAMP'0001-01-01 00:00:00', TIMESTAMP'9999-12-31 23:59:59.999999')|timestampdiff(DAY, TIMESTAMP_NTZ'2024-01-01 12:00:00', DATE'2024-01-03')|timestampdiff(BOGUS, DATE'2024-01-01', DATE'2024-01-03')|timestampdiff(DAYOFYEAR, DATE'2024-01-01', DATE'2024-01-03')|timestampdiff(MONTH, TIMESTAMP'2024-03-31 00:00:00', TIMESTAMP'2024-02-29 00:00:00')|timestampdiff(MONTH, NULL, DATE'2024-01-01')|timestampdiff(MONTH, TIMESTAMP'2024-03-31 02:30:00', TIMESTAMP'2024-02-29 12:00:00')|timestampdiff(MONTH, TIMESTAMP'2024-02-29 12:00:00', TIMESTAMP'2024-03-31 02:30:00')|timestampdiff(YEAR, TIMESTAMP'2024-01-01 02:30:00', TIMESTAMP'2022-12-31 12:00:00')|timestampdiff(QUARTER, TIMESTAMP'2024-04-01 12:00:00', TIMESTAMP'2024-01-01 11:00:00')|timestampdiff(MONTH, TIMESTAMP'2024-01-31 12:00:00', TIMESTAMP'2024-03-01 11:00:00')|timestampdiff('DAY', DATE'2024-01-01', DATE'2024-01-03')|timestampdiff(day, '2024-01-01', '2024-01-03')
make_date(2024, 2, 29)|make_date(2024, 13, 1)|make_date(-1, 1, 1)|make_date(1000000000, 1, 1)|make_date(10000000, 1, 1)|make_date(2024, 2, NULL)|make_date('2024', 2, 1)|make_date(2024.5, 2, 1)|make_date(2024L, 2, 1)|make_date(0, 1, 1)|make_date(9999999, 12, 31)
make_timestamp(2024, 2, 29, 12, 34, 56.789)|make_timestamp(2024, 2, 29, 12, 34, 60)|make_timestamp(2024, 2, 29, 12, 34, 60.5)|make_timestamp(2024, 2, 29, 24, 0, 0)|make_timestamp(2024, 2, 30, 0, 0, 0)|make_timestamp(2024, 2, 29, 23, 59, 60)|make_timestamp(2024, 2, 29, 12, 34, 56.7891234)|make_timestamp(2024, 2, 29, 12, 34, 56.789, 'Europe/Paris')|make_timestamp(2024, 2, 29, 12, 34, 56.789, '+05:30')|make_timestamp(2024, 2, 29, 12, 34, 56, 'Nowhere')|make_timestamp(2024, 2, 29, 12, 34, NULL)|make_timestamp(2024, 2, 29, 12, 34, 56, NULL)|make_timestamp(2024, 2, 29, 12, 34, '56.5')|make_timestamp(2024, 2, 29, 12, 34, 56.5D)|make_timestamp(2024, 2, 29, 12, 34, -1)|make_timestamp(2024, 2, 29, 12, 60, 1)|make_timestamp(300000, 1, 1, 0, 0, 0)|make_timestamp(-1, 1, 1, 0, 0, 0)|make_timestamp(2024, 2, 29, 12, 34, 99.999999)|make_timestamp(2024, 2, 29, 12, 34, 100)|make_timestamp(2024, 2, 29)
make_timestamp_ntz(2024, 2, 29, 12, 34, 56.789)|make_timestamp_ntz(2024, 2, 30, 12, 34, 56)|make_timestamp_ltz(2024, 2, 29, 12, 34, 56.789)|make_timestamp_ltz(2024, 2, 29, 12, 34, 56.789, 'America/New_York')|make_timestamp_ntz(2024, 2, 29, 12, 34, 56, 'UTC')|try_make_timestamp(2024, 2, 29, 12, 34, 56.789)|try_make_timestamp(2024, 2, 30, 12, 34, 56)|try_make_timestamp(2024, 2, 29, 12, 34, 56, 'Europe/Paris')|try_make_timestamp(2024, 2, 29, 12, 34, 56, 'Nowhere')|try_make_timestamp_ntz(2024, 2, 30, 12, 34, 56)|try_make_timestamp_ntz(2024, 2, 29, 12, 34, 56)|try_make_timestamp_ltz(2024, 2, 30, 12, 34, 56)|try_make_timestamp_ltz(2024, 2, 29, 12, 34, 56, 'Europe/Paris')|try_make_timestamp_ltz(2024, 2, 29, 12, 34, 61)
make_dt_interval()|make_dt_interval(1)|make_dt_interval(1, 2)|make_dt_interval(1, 2, 3)|make_dt_interval(1, 2, 3, 4.567891)|make_dt_interval(-1, 25, 61, -61.5)|make_dt_interval(NULL, 1)|make_dt_interval(2147483647)|make_dt_interval(106751991, 4, 0, 54.775807)|make_dt_interval(106751991, 4, 0, 54.775808)|make_dt_interval(1, 2, 3, 4.5678912)|make_dt_interval(1, 2, 3, 4, 5)|make_dt_interval('1')|make_dt_interval(1.5)|make_dt_interval(0, 0, 0, 1.5D)
make_ym_interval()|make_ym_interval(1)|make_ym_interval(1, 2)|make_ym_interval(-1, 14)|make_ym_interval(178956970, 7)|make_ym_interval(178956970, 8)|make_ym_interval(NULL, 1)|make_ym_interval(1, 2, 3)|make_interval(1, 2)|make_interval()|try_make_interval(1)
timestamp_seconds(1.123456)|timestamp_seconds(1.1234567)|timestamp_seconds(NULL)|timestamp_seconds(9223372036854775807L)|timestamp_seconds(1.5D)|timestamp_seconds(1.5F)|timestamp_seconds('1')|timestamp_seconds(-1)|timestamp_millis(-1)|timestamp_millis(9223372036854775807L)|timestamp_micros(-1)|timestamp_micros(1.5)|timestamp_millis('5')|timestamp_seconds(cast('NaN' as double))|timestamp_seconds(cast('NaN' as float))|timestamp_seconds(1e300D)|date_from_unix_date(-719162)|date_from_unix_date(NULL)|date_from_unix_date(2147483647)|unix_date(NULL)|unix_seconds(DATE'2024-01-01')|unix_seconds('2024-01-01')|unix_millis(TIMESTAMP_NTZ'2024-01-01 00:00:00')|unix_micros(5)
from_unixtime(0)|from_unixtime(-1)|from_unixtime(1700000000)|from_unixtime(1700000000, 'yyyy')|from_unixtime(NULL)|from_unixtime(1, NULL)|from_unixtime('5')|from_unixtime(1.9)|from_unixtime(253402300800)|from_unixtime(9223372036854775807L)|from_unixtime(100000000000000L)|from_unixtime(0, 'bad')|from_unixtime(0, 'yyyy-MM-dd\\'T\\'HH:mm:ssXXX')
unix_timestamp('2024-01-02')|unix_timestamp('2024-01-02 03:04:05.5')|unix_timestamp('abc')|unix_timestamp('02/01/2024', 'dd/MM/yyyy')|unix_timestamp(NULL)|unix_timestamp(DATE'2024-01-02', 'bogus')|to_unix_timestamp('2024-01-02 03:04:05')|to_unix_timestamp('2024', 'yyyy')|unix_timestamp(TIMESTAMP_NTZ'2024-01-01 00:00:00')|unix_timestamp(5)|unix_timestamp('1969-12-31 23:59:59.9', 'yyyy-MM-dd HH:mm:ss.S')|to_unix_timestamp(TIMESTAMP'1969-12-31 23:59:59.9')
to_timestamp_ntz('2024-01-02 03:04:05Z')|to_timestamp_ntz('2024-01-02', 'yyyy-MM-dd')|to_timestamp_ntz('abc')|to_timestamp_ltz('2024-01-02 03:04:05+02:00')|to_timestamp_ltz('2024-01-02', 'yyyy-MM-dd')|to_timestamp_ntz(DATE'2024-01-02')|to_timestamp_ntz('02/01/2024 +03:00', 'dd/MM/yyyy XXX')|to_timestamp(5)|to_timestamp(1.5)|to_timestamp_ntz(5)|to_date(5)|to_timestamp(true)|to_timestamp(NULL)|to_timestamp('2024-01-02', NULL)|to_timestamp(TIMESTAMP_NTZ'2024-01-01 00:00:00')|to_timestamp(5, 'yyyy')|to_date(DATE'2024-01-01', 'yyyy')|to_timestamp(TIMESTAMP'2024-01-01 00:00:00', 'yyyy')
try_to_timestamp('2024-01-02 03:04:05')|try_to_timestamp('abc')|try_to_timestamp('02/01/2024', 'dd/MM/yyyy')|try_to_timestamp('xx', 'dd/MM/yyyy')|try_to_timestamp('xx', 'bogus')|try_to_timestamp(5)|try_to_timestamp(DATE'2024-01-01')|try_to_timestamp(NULL)|try_to_date('2024-01-02')|try_to_date('abc')|try_to_date('02/01/2024', 'dd/MM/yyyy')|try_to_date('xx', 'dd/MM/yyyy')|try_to_timestamp('2024-01-02 25:00:00')|try_to_timestamp(true)|try_to_timestamp('2024-02-30', 'yyyy-MM-dd')
current_timezone()|current_timestamp() = now()|current_timestamp = current_timestamp()|current_date = current_date()|curdate() = current_date()|cast(now() as date) = current_date|localtimestamp() = cast(now() as timestamp_ntz)|localtimestamp = localtimestamp()|unix_timestamp() > 1700000000|now() > TIMESTAMP'2024-01-01 00:00:00'|current_date(1)|now(1)|curdate|now
cast('10:20:30' as timestamp) = cast(concat(cast(current_date() as string), ' 10:20:30') as timestamp)|cast('T10:20:30.5' as timestamp) = cast(concat(cast(current_date() as string), ' 10:20:30.5') as timestamp)|cast('T1:2' as timestamp) = cast(concat(cast(current_date() as string), ' 01:02:00') as timestamp)|cast('10:20+02:00' as timestamp) = cast(concat(cast(current_date() as string), ' 08:20:00') as timestamp)|try_cast('25:00' as timestamp)|try_cast('10' as timestamp)|try_cast('T10' as timestamp) = cast(concat(cast(current_date() as string), ' 10:00:00') as timestamp)|try_cast('10:20:30' as timestamp_ntz)|try_cast('10:' as timestamp)|try_cast('10:20:' as timestamp)|try_cast(':20' as timestamp)|try_cast('T' as timestamp)|try_cast('1:2:3Z' as timestamp) = cast(concat(cast(current_date() as string), ' 01:02:03') as timestamp)|to_timestamp('10:20:30') = cast(concat(cast(current_date() as string), ' 10:20:30') as timestamp)|try_cast(' 10:20:30' as timestamp) = cast(concat(cast(current_date() as string), ' 10:20:30') as timestamp)
date('2024-01-01')|date(TIMESTAMP'2024-01-01 10:00:00')|timestamp(DATE'2024-01-01')|date(5)|add_months('2024-01-31', 1)|add_months(DATE'2024-01-31', 1.5)|add_months(DATE'2024-01-31', '1')|add_months(DATE'2024-01-31', 1L)|add_months(DATE'2024-01-31', 2147483647)|add_months(NULL, 1)|last_day('2024-02-01')|last_day(NULL)|last_day('abc')|next_day('2024-01-01', 'tu')|next_day(DATE'2024-01-01', NULL)|next_day(NULL, 'MON')|next_day(DATE'2024-01-01', '')|dayname('2024-01-01')|monthname(5)|weekday('2024-01-01')|date_trunc(NULL, TIMESTAMP'2024-01-01 00:00:00')|date_trunc('DAY', '2024-01-01 10:00:00')|date_trunc('DAY', TIMESTAMP_NTZ'2024-01-01 10:00:00')|date_trunc(1, TIMESTAMP'2024-01-01 00:00:00')|trunc('2024-05-06', 'MM')|trunc(DATE'2024-05-06', NULL)|trunc(TIMESTAMP_NTZ'2024-05-06 00:00:00', 'MM')|date_trunc('week', TIMESTAMP'-0001-01-01 00:00:00')|date_trunc('MILLISECOND', TIMESTAMP'1582-10-10 00:00:00.123456')
""".strip().replace("\n", "|").split("|")


FORMATS = """y|yy|yyy|yyyy|yyyyy|yyyyyyyyyy|yyyyyyyyyyy|u|uu|G|GG|GGG|GGGG|GGGGG|GGGGGG|G y|y G|M|MM|MMM|MMMM|MMMMM|MMMMMM|L|LL|LLL|LLLL|LLLLL|d|dd|ddd|D|DD|DDD|DDDD|q|qq|qqq|qqqq|qqqqq|Q|QQ|QQQ|QQQQ|QQQQQ|E|EE|EEE|EEEE|EEEEE|EEEEEE|e|c|F|FF|a|aa|h|hh|hhh|K|KK|k|kk|H|HH|HHH|m|mm|mmm|s|ss|sss
S|SS|SSS|SSSS|SSSSS|SSSSSS|SSSSSSS|SSSSSSSS|SSSSSSSSS|SSSSSSSSSS|n|N|A|B|p|pp|V|VV|VVV|v|vvvv|z|zz|zzz|zzzz|zzzzz|O|OO|OOOO|X|XX|XXX|XXXX|XXXXX|XXXXXX|x|xx|xxx|xxxx|xxxxx|Z|ZZ|ZZZ|ZZZZ|ZZZZZ|ZZZZZZ|w|W|Y|YYYY|g|b|C|f|i|I|J|j|l|o|P|R|r|t|T|U
''|'a'|'it''s' y|[y]|[y|y]|[y[M]]|{|}|#|y'|y-M-d|yyyy/MM/dd HH.mm.ss|d MMM uuuu|EEE, d MMM yyyy HH:mm:ss Z|yyyy-MM-dd'T'HH:mm:ss.SSSXXX|hh:mm a|KK:mm a|kk:mm|DDD/yyyy|yyyyMMddHHmmssSSS|QQQ yyyy|'Q'q yy|MMMM d, yyyy|é y|日 y|y_M|y\\\\M||  |yyyy-MM-dd HH:mm:ss.SSSSSSSSS zzzz VV OOOO xxxxx|a|'T'|''''|y''M"""
PARSES = """2024-02-29~yyyy-MM-dd|29/02/2024~dd/MM/yyyy|2024-2-9~yyyy-M-d|2024-02-09~yyyy-M-d|2024-2-9~yyyy-MM-dd|20240229~yyyyMMdd|20240229 010203~yyyyMMdd HHmmss|20240229010203~yyyyMMddHHmmss|20240229010203123~yyyyMMddHHmmssSSS|240229~yyMMdd|24-02-29~yy-MM-dd|99-12-31~yy-MM-dd|1999-12-31~yy-MM-dd|02024-02-29~yyyy-MM-dd|+12024-02-29~yyyy-MM-dd|+2024-02-29~yyyy-MM-dd|12024-02-29~yyyy-MM-dd|-0001-01-01~yyyy-MM-dd|0000-01-01~yyyy-MM-dd|0001-01-01~yyyy-MM-dd|2024-02-30~yyyy-MM-dd|2024-13-01~yyyy-MM-dd|2023-02-29~yyyy-MM-dd
2024~yyyy|2024-05~yyyy-MM|05~MM|15~dd|30~dd|31~dd|10:20~HH:mm|10~HH|10~hh|12~hh|13~hh|0~h|12 AM~hh a|12 PM~hh a|01 pm~hh a|1 AM~h a|13 AM~hh a|13 PM~HH a|13 AM~HH a|PM~a|AM~a|24~kk|0~k|1~k|11~KK|12~KK|0 PM~K a|20~mm|30~ss|60~ss|59~m|10:20:30~HH:mm:ss|24:00~HH:mm|23:59:60~HH:mm:ss
10:20:30.1~HH:mm:ss.S|10:20:30.123~HH:mm:ss.S|10:20:30.1~HH:mm:ss.SSS|10:20:30.12~HH:mm:ss.SSS|10:20:30.1234~HH:mm:ss.SSS|10:20:30.123456789~HH:mm:ss.SSSSSSSSS|10:20:30.1234567~HH:mm:ss.SSSSSSSSS|10:20:30.~HH:mm:ss.SSS|10:20:30~HH:mm:ss.SSS|10:20:30~HH:mm:ss[.SSS]|10:20:30.5~HH:mm:ss[.SSS]|.5~.S|5~S|10:20:30.123456~HH:mm:ss.SSSSSSSSSS
29 Feb 2024~d MMM yyyy|29 feb 2024~d MMM yyyy|29 FEB 2024~d MMM yyyy|29 February 2024~d MMMM yyyy|29 February 2024~d MMM yyyy|29 Feb 2024~d MMMM yyyy|1 Sep 2024~d MMM yyyy|1 Sept 2024~d MMM yyyy|1 May 2024~d MMMM yyyy|1 May 2024~d LLLL yyyy|1 May 2024~d LLL yyyy|5 2024~L yyyy|05 2024~LL yyyy|Thu 29 Feb 2024~EEE d MMM yyyy|Q1 2024~QQQ yyyy|1 2024~q yyyy|Jan~MMM|2024 AD~yyyy G|44 BC~y G|0044 BC~yyyy G|44 Before Christ~y GGGG|AD~G|BC~G|0 AD~y G|2024 ad~y G
2024 060~yyyy DDD|2024 001~yyyy DDD|2024 1~yyyy D|060~DDD|2024 060~yyyy D|1~F|1~D|32~D
2024-01-01 Z~yyyy-MM-dd X|2024-01-01 z~yyyy-MM-dd X|2024-01-01 +01~yyyy-MM-dd X|2024-01-01 +0130~yyyy-MM-dd X|2024-01-01 +01:30~yyyy-MM-dd X|2024-01-01 +0130~yyyy-MM-dd XX|2024-01-01 +01~yyyy-MM-dd XX|2024-01-01 +01:30~yyyy-MM-dd XXX|2024-01-01 +0130~yyyy-MM-dd XXX|2024-01-01 -01:30:15~yyyy-MM-dd XXXXX|2024-01-01 -01:30~yyyy-MM-dd XXXXX|2024-01-01 +013015~yyyy-MM-dd XXXX|2024-01-01 +00:00~yyyy-MM-dd xxx|2024-01-01 Z~yyyy-MM-dd xxx|2024-01-01 +00~yyyy-MM-dd x|2024-01-01 +0000~yyyy-MM-dd Z|2024-01-01 -0800~yyyy-MM-dd Z|2024-01-01 -08:00~yyyy-MM-dd Z|2024-01-01 GMT-08:00~yyyy-MM-dd ZZZZ|2024-01-01 GMT~yyyy-MM-dd ZZZZ|2024-01-01 -08:00~yyyy-MM-dd ZZZZZ|2024-01-01 Z~yyyy-MM-dd ZZZZZ|2024-01-01 GMT+8~yyyy-MM-dd O|2024-01-01 GMT+8:30~yyyy-MM-dd O|2024-01-01 GMT+08:30~yyyy-MM-dd OOOO|2024-01-01 GMT+8~yyyy-MM-dd OOOO|2024-01-01 GMT~yyyy-MM-dd O|2024-01-01 gmt+8~yyyy-MM-dd O|2024-01-01 UTC+8~yyyy-MM-dd O|2024-01-01 +19:00~yyyy-MM-dd XXX|2024-01-01 +24:00~yyyy-MM-dd XXX|2024-01-01 +18:00~yyyy-MM-dd XXX|2024-01-01 -18:00~yyyy-MM-dd XXX|2024-01-01 Z~yyyy-MM-dd Z
2024-01-01 Europe/Paris~yyyy-MM-dd VV|2024-07-01 Europe/Paris~yyyy-MM-dd VV|2024-01-01 europe/paris~yyyy-MM-dd VV|2024-01-01 EUROPE/PARIS~yyyy-MM-dd VV|2024-01-01 UTC~yyyy-MM-dd VV|2024-01-01 UTC+1~yyyy-MM-dd VV|2024-01-01 UTC+01:00~yyyy-MM-dd VV|2024-01-01 +01:00~yyyy-MM-dd VV|2024-01-01 +1~yyyy-MM-dd VV|2024-01-01 GMT~yyyy-MM-dd VV|2024-01-01 GMT0~yyyy-MM-dd VV|2024-01-01 Z~yyyy-MM-dd VV|2024-01-01 EST~yyyy-MM-dd VV|2024-01-01 EST5EDT~yyyy-MM-dd VV|2024-01-01 PST~yyyy-MM-dd VV|2024-01-01 Etc/GMT+5~yyyy-MM-dd VV|2024-01-01 Nowhere~yyyy-MM-dd VV|2024-01-01 UT~yyyy-MM-dd VV|2024-01-01 America/Argentina/Buenos_Aires x~yyyy-MM-dd VV 'x'|2024-01-01 Japan~yyyy-MM-dd VV|2024-01-01 America/Indiana/Knox_~yyyy-MM-dd VV'_'|2024-01-01 CET~yyyy-MM-dd VV|2024-01-01 UTC+18:01~yyyy-MM-dd VV|2024-01-01 GMT+3~yyyy-MM-dd VV|2024-01-01 UT+03:00~yyyy-MM-dd VV|2024-01-01 +01:00:30~yyyy-MM-dd VV|2024-01-01 +0100~yyyy-MM-dd VV|2024-01-01 +01~yyyy-MM-dd VV|2024-01-01 utc~yyyy-MM-dd VV|2024-01-01 z~yyyy-MM-dd VV
2024-01-01 PST~yyyy-MM-dd z|2024-07-01 PST~yyyy-MM-dd z|2024-07-01 PDT~yyyy-MM-dd z|2024-01-01 EST~yyyy-MM-dd z|2024-01-01 UTC~yyyy-MM-dd z|2024-01-01 GMT~yyyy-MM-dd z|2024-01-01 CET~yyyy-MM-dd z|2024-01-01 Pacific Standard Time~yyyy-MM-dd zzzz|2024-01-01 JST~yyyy-MM-dd z|2024-01-01 Europe/Paris~yyyy-MM-dd z|2024-01-01 +01:00~yyyy-MM-dd z|2024-01-01 XYZ~yyyy-MM-dd z|2024-01-01 CST~yyyy-MM-dd z|2024-01-01 IST~yyyy-MM-dd z|2024-01-01 BST~yyyy-MM-dd z|2024-01-01 pst~yyyy-MM-dd z
2024-01-01 ~yyyy-MM-dd| 2024-01-01~yyyy-MM-dd|2024-01-01x~yyyy-MM-dd|2024-01-01~yyyy-MM-dd HH:mm|~yyyy|~|x~|2024-01-01T10:00~yyyy-MM-dd'T'HH:mm|2024-01-01t10:00~yyyy-MM-dd'T'HH:mm|2024-01-01 it's~yyyy-MM-dd 'it''s'|2024-01-01~yyyy-MM-dd[ HH:mm]|2024-01-01 10:20~yyyy-MM-dd[ HH:mm]|2024-01-01 10~yyyy-MM-dd[ HH[:mm]]|2024-01-01 x~yyyy-MM-dd[ HH:mm]|2024-01-01~[yyyy-MM-dd][dd/MM/yyyy]|01/02/2024~[yyyy-MM-dd][dd/MM/yyyy]|2024-01-01 2024~yyyy-MM-dd yyyy|2024-01-01 2025~yyyy-MM-dd yyyy|10 11~HH HH|10:20 10~HH:mm hh|１~M|2024-01-01~YYYY-MM-dd|2024~w|2024-01-01~yyyy-MM-dd']|2024-01-01~yyyy-MM-dd]|2024-01-01~yyyy-MM-ddd|2024-1~yyyy-MMM|abc~bbb|2024-01-01~yyyy-mm-dd|2024-12-31~yyyy-mm-dd|-5~d|+5~d|5~d|0~d|-1-1~y-M|99999-1~y-M|999999-1~y-M|300000-1~y-M|9999999999-1~y-M|12345678901234567890-1~y-M|2024--1~y-M|007~d|2024-01-01 AM~yyyy-MM-dd a|10:20 AM~hh:mm a|10:20am~hh:mma|10:20 A.M.~hh:mm a|12:30~kk:mm|1234~HHmm|123~Hmm|1234~Hmm|123~HHmm|12345~Hmmss|2024366~yyyyDDD|202402~yyyyMM|2024-02-29 12:34:56.789123~yyyy-MM-dd HH:mm:ss.SSSSSS|02-29~MM-dd|02-29-24~MM-dd-yy|1/2/24 3:04 PM~M/d/yy h:mm a|Dec 31, 2024~MMM d, yyyy|2024年02月29日~yyyy年MM月dd日"""


def patterns():
    for f in FORMATS.replace("\n", "|").split("|"):
        sql = f.replace("'", "\\'")
        for e in TIMES[:1] + TIMES[3:4] + TIMES[5:6] + TIMES[7:8] if len(f) > 2 else TIMES[5:8:2]:
            yield f"date_format({ts(e)}, '{sql}')"
    for f in ["y", "yy", "yyy", "yyyy", "yyyyy", "yyyy G", "y G", "u", "D", "EEEE", "QQQQ"]:
        for e in ["+12345-06-07 00:00:00", "-0043-06-07 00:00:00", "0000-06-07 00:00:00", "0099-06-07 00:00:00"]:
            yield f"date_format({ts(e)}, '{f}')"
    for p in PARSES.replace("\n", "|").split("|"):
        text, f = p.split("~")
        sql, text = f.replace("'", "\\'"), text.replace("'", "\\'")
        yield f"to_timestamp('{text}', '{sql}')"
        yield f"try_to_timestamp('{text}', '{sql}')"
        if len(text) % 3 == 0:
            yield f"to_date('{text}', '{sql}')"
            yield f"unix_timestamp('{text}', '{sql}')"
    for z in "PST PDT MST MDT CST CDT EST EDT AKST HST AST NST UTC GMT Z WET CET CEST EET EEST MSK JST KST SGT HKT PKT NZST NZDT AEST AWST SAST BRT ART ICT WIB".split():
        yield f"to_timestamp('2024-01-01 {z}', 'yyyy-MM-dd z')"
        yield f"to_timestamp('2024-07-01 {z}', 'yyyy-MM-dd zzz')"
    for z in ["Pacific Daylight Time", "Mountain Standard Time", "Central Time", "Eastern Standard Time", "Central European Standard Time", "Central European Summer Time", "Japan Standard Time", "India Standard Time", "Greenwich Mean Time"]:
        yield f"to_timestamp('2024-01-01 {z}', 'yyyy-MM-dd zzzz')"
        yield f"to_timestamp('2024-01-01 {z}', 'yyyy-MM-dd z')"
    for f in ["yyyyyy", "yyyyyyy", "yyyyyyyy"]:
        yield f"date_format(DATE'2024-01-01', '{f}')"
    yield from ["date_format(DATE'2024-01-01', NULL)", "date_format(NULL, 'yyyy')", "date_format('2024-05-06 07:08:09', 'HH')", "date_format(TIMESTAMP_NTZ'2024-05-06 07:08:09', 'HH:mm')", "date_format(5, 'yyyy')", "date_format(DATE'2024-01-01', 5)", "date_format('abc', 'yyyy')"]


def floats():
    yield from [f"cast({x} as string)" for x in """
1.0E23D 2.0E-3D 2E23D 8.41E21D 9.4E22D 4.9E-324D 1.7976931348623157E308D 2.2250738585072014E-308D 0.001D 0.00099999D 9999999.999D 1.0E7D 123456789.125D 1.1D 100.0D 3.3333333333333335D 2.98023223876953125E-8D 5.0E-324D 1.0E22D 1.0E21D 9007199254740993D 0.1D 1e-5D
2.2E-322D 4.35E-320D 1.2345E19D 9.223372036854776E18D 1.8446744073709552E19D 6.02214076E23D 1.6E-35D 2.109808898695963E16D 4.8726570057E288D 2.0E38D 3.0E10D 7.0E15D 4.503599627370497E15D 4.5035996273704955E15D""".split()]
    yield from [f"cast(cast({x} as float) as string)" for x in """
2147483648 9007199254740993 0.1 1.1 3.4028235E38D 1.4E-45D 1.17549435E-38D 16777216 16777217 33554432 8388608.5D 1.0E10D 1.0E7D 9999999 123456.7 0.001D 9.999999E-4D 3.3333333 1.0E23D 8.5899346E9D 4294967296 1073741824 2.2E-44D 5.0E-45D 7.0E-45D 1.23456789E-20D 67108864 268435456 1099511627776 1.0E-10D 4.2038954E-45D 3.0E-45D
1.6777216E8D 5.368709E8D 2.14748365E9D 0.33333334 2.0E-3D 1.26765060022822940149670320537e30D 9.8079714E15D 3.355445E7D 1.2E-38D""".split()]


def main():
    spark = session(spark_sql_codegen_wholeStage="false")
    seen = set()
    for expr in itertools.chain(literals(), casts(), coercions(), arithmetic(), extracts(), functions(), patterns(), floats()):
        if expr in seen:
            continue
        print("[" if not seen else ",")
        print(json.dumps(ask(spark, expr), ensure_ascii=False), end="")
        seen.add(expr)
    print("\n]")
    spark.stop()


def ask(spark, expr):
    try:
        frame = spark.sql(f"SELECT {expr} AS a")
        kind = frame.schema[0].dataType.simpleString()
        value = frame.selectExpr("CAST(a AS STRING) AS a" if kind != "binary" else "lower(hex(a)) AS a").collect()[0][0]
    except Exception as e:
        return {"expr": expr, "error": condition(e)}
    if value is not None and kind in ("int", "bigint", "smallint", "tinyint"):
        value = int(value)
    if value is not None and kind == "boolean":
        value = value == "true"
    return {"expr": expr, "type": kind, "value": value}


if __name__ == "__main__":
    main()
