"""Asks Spark 4.0.1 for random nested expressions over a table of dates, times and numbers
with NULLs, and writes the table and the answers as JSON:

    pip install -r requirements.txt
    python gen_time_columns.py > ../../planner/testdata/spark/time_columns.json

ANSI mode, session zone UTC.
"""
import json
import random

from asking import condition, session

ROWS, CASES = 24, 420
SCHEMA = "id BIGINT, a TIMESTAMP, b TIMESTAMP, d DATE, e DATE, n INT, k BIGINT, x DOUBLE, c DECIMAL(12,4), z STRING, u STRING, s STRING"
TIMES = ["2024-02-29T12:34:56.789123", "1969-12-31T23:59:59.999999", "1970-01-01T00:00:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "2024-03-31T02:30:00", "2024-10-27T01:30:00",
         "1900-01-01T00:00:00.000001", "2000-02-29T00:00:00", "2023-12-31T23:59:59.5", "1582-10-10T10:10:10", None]
DATES = ["2024-02-29", "1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31", "2023-01-31", "2024-12-30", "1900-02-28", None]
COLUMNS = {"n": [0, 1, -1, 2, 7, 13, -30, 59, 100, None], "k": [0, 1, -1, 60, -3600, 86400, 1700000000, -62135596800, None], "x": [0.0, 1.5, -0.25, 3.3333333333333335, 1e-7, -12.345, 100.0, None],
           "c": ["0.0000", "1.5000", "-2.3333", "0.0001", "59.9999", "-100.2500", None], "z": ["Europe/Paris", "America/New_York", "+05:30", "UTC", "Asia/Tokyo", "PST", None],
           "u": ["YEAR", "quarter", "MM", "week", "DAY", "hour", "minute", "SECOND", "millisecond", "bogus", None],
           "s": ["2024-02-29 10:20:30", "2024-2-9", "29/02/2024", "10:20", "x", "", "2024-01-01T00:00:00+02:00", "1 02:03:04", "1-2", None]}
PATTERNS = ["yyyy-MM-dd", "dd/MM/yyyy HH:mm:ss", "EEE, d MMM yyyy h:mm a", "yyyyMMddHHmmssSSS", "D/yy", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "G y QQQ", "k:m:s.S"]
UNITS = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"]
FIELDS = ["YEAR", "YEAROFWEEK", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFWEEK", "DAYOFWEEK_ISO", "DOY", "HOUR", "MINUTE"]


class Grammar:
    """Makes an expression of a kind by rules; deep ones end in columns and literals."""

    def __init__(self, rnd):
        self.rnd = rnd

    def make(self, kind, depth):
        leaves, rules = getattr(self, kind)()
        if depth <= 0 or self.rnd.random() < 0.15:
            return self.rnd.choice(leaves)
        text = self.rnd.choice(rules)
        while "{" in text:
            start = text.index("{")
            end = text.index("}", start)
            text = text[:start] + self.make(text[start + 1:end], depth - 1) + text[end + 1:]
        return text

    def ts(self):
        return ["a", "b", "TIMESTAMP'2024-02-29 12:00:00.5'"], [
            "({ts} + {dt})", "({ts} - {dt})", "({ts} + {ym})", "({ts} - {ym})", "({date} + make_dt_interval(0, {int}))", f"timestampadd({self.rnd.choice(UNITS)}, {{int}}, {{ts}})", "date_trunc(u, {ts})", f"date_trunc('{self.rnd.choice(UNITS)}', {{ts}})",
            "from_utc_timestamp({ts}, z)", "to_utc_timestamp({ts}, z)", "from_utc_timestamp({ts}, 'Europe/Paris')", "cast({date} as timestamp)", "cast({ntz} as timestamp)", "coalesce({ts}, {ts})", "greatest({ts}, {ts})", "least({ts}, b)", "if({bool}, {ts}, {ts})",
            "timestamp_seconds(k)", "timestamp_millis(k)", "timestamp_micros(k)", "cast(n as timestamp)", "cast(c as timestamp)", "cast(x as timestamp)", "try_to_timestamp(s)", "try_to_timestamp(s, 'dd/MM/yyyy')", "try_cast(s as timestamp)",
            "try_make_timestamp(year(a), n, n, n, n, c)", "try_make_timestamp(year(d), month(d), day(d), 1, 2, c, 'America/New_York')", "CASE WHEN {bool} THEN {ts} WHEN {bool} THEN {ntz} END", "try_add({ts}, {dt})", "coalesce({date}, {ts})"]

    def ntz(self):
        return ["cast(a as timestamp_ntz)", "TIMESTAMP_NTZ'2024-03-31 02:30:00'"], ["({ntz} + {dt})", "({ntz} - {ym})", "convert_timezone('America/New_York', {ntz})", "convert_timezone(z, 'Asia/Tokyo', {ntz})", "cast({date} as timestamp_ntz)", "cast({ts} as timestamp_ntz)",
                                                                                   "try_cast(s as timestamp_ntz)", "coalesce({ntz}, {date})", "try_make_timestamp_ntz(year(b), n, n, n, n, c)"]

    def date(self):
        return ["d", "e", "DATE'2024-02-29'"], ["({date} + {int})", "({date} - {int})", "({date} + {ym})", "({date} - {ym})", "({date} + INTERVAL '3' DAY)", "add_months({date}, {int})", "last_day({date})", "next_day({date}, 'WE')", "trunc({date}, u)", "trunc({date}, 'QUARTER')",
                                                "cast({ts} as date)", "cast({ntz} as date)", "try_cast(s as date)", "date_add({date}, n)", "date_sub({ts}, n)", "coalesce({date}, {date})", "greatest({date}, {date})", "date_from_unix_date({int})", "nullif({date}, {date})", "if({bool}, {date}, {date})"]

    def dt(self):
        return ["(a - b)", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-90' MINUTE", "make_dt_interval(n, n, n, c)"], [
            "({ts} - {ts})", "({ntz} - {ts})", "({date} - {date})", "({dt} + {dt})", "({dt} - {dt})", "(- {dt})", "abs({dt})", "({dt2} * {int})", "({dt2} * c)", "({dt2} * x)", "({dt} / 7)", "({dt} / 2.5)", "({dt} / 0.3D)", "try_divide({dt}, n)", "coalesce({dt}, {dt})", "greatest({dt}, {dt})",
            "cast({dt} as interval day)", "cast({dt} as interval hour to minute)", "cast(n as interval minute)", "cast(c as interval second)", "try_cast(s as interval day to second)", "if({bool}, {dt}, INTERVAL '1' DAY)", "try_add({dt}, {dt})"]

    def dt2(self):
        return ["INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-90' MINUTE", "make_dt_interval(n, n, n, c)"], ["(- {dt2})", "({dt2} + {dt2})"]

    def ym(self):
        return ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-7' MONTH", "make_ym_interval(n, n)"], ["({ym} + {ym})", "({ym} - {ym})", "(- {ym})", "abs({ym})", "(INTERVAL '5' MONTH * {int})", "({ym} / 2)", "({ym} / 0.7)", "({ym} / 3D)", "coalesce({ym}, {ym})", "least({ym}, INTERVAL '1' YEAR)",
                                                                                                "cast({ym} as interval year)", "cast(n as interval month)", "try_cast(s as interval year to month)"]

    def int(self):
        field = self.rnd.choice(FIELDS)
        return ["n", "3", "-2"], [f"extract({field} FROM {{ts}})", f"extract({field} FROM {{date}})", "year({ts})", "datediff({date}, {date})", "dayofweek({date})", "weekday({ts})", "weekofyear({date})", "quarter({ts})", "hour({ts})", "minute({ntz})", "second({ts})", "extract(DAY FROM {dt_s})",
                                  "extract(YEAR FROM ({ym} + INTERVAL '0-0' YEAR TO MONTH))", "unix_date({date})", "(n + 1)", "length({text})", "month({date})"]

    def dt_s(self):
        return ["(a - b)", "INTERVAL '1 02:03:04.5' DAY TO SECOND"], ["({ts} - {ts})", "({dt} + INTERVAL '0 00:00:00' DAY TO SECOND)"]

    def big(self):
        unit = self.rnd.choice(UNITS)
        return ["k", "unix_seconds(a)"], [f"timestampdiff({unit}, {{ts}}, {{ts}})", f"datediff({unit}, {{date}}, {{date}})", "unix_seconds({ts})", "unix_millis({ts})", "unix_micros({ts})", "unix_timestamp({ts})", "cast({ts} as bigint)", "cast({dt} as bigint)", "cast({ym} as bigint)", "({dt} div INTERVAL '7' MINUTE)"]

    def bool(self):
        return ["(a < b)", "(d IS NULL)", "(n > 0)"], ["({ts} < {ts})", "({ts} <= {date})", "({date} = {date})", "({dt} > {dt})", "({ym} <=> {ym})", "({ntz} >= {ts})", "({date} IN ({date}, DATE'1970-01-01'))", "({dt} BETWEEN INTERVAL '1' HOUR AND {dt})", "(NOT {bool})", "({bool} AND {bool})"]

    def text(self):
        pattern = self.rnd.choice(PATTERNS).replace("'", "\\'")
        return ["s", "cast(a as string)"], [f"date_format({{ts}}, '{pattern}')", f"date_format({{date}}, '{pattern}')", "cast({dt} as string)", "cast({ym} as string)", "cast({ts} as string)", "cast({date} as string)", "cast({ntz} as string)", "dayname({date})", "monthname({ts})", f"from_unixtime(k, '{pattern}')"]

    def real(self):
        return ["x", "1.5D"], ["months_between({ts}, {ts})", "months_between({date}, {date}, false)", "sign({dt})", "signum({ym})", "cast({ts} as double)", "round(x, 2)", "cast(cast(x as float) as double)"]

    def dec(self):
        return ["c"], ["extract(SECOND FROM {ts})", "extract(SECOND FROM {dt_s})", "cast({dt} as decimal(24,6))", "cast({ym} as decimal(12,0))", "cast({ts} as decimal(24,6))", "cast(x as decimal(20,10))"]


def rows(rnd):
    for i in range(ROWS):
        row = {"id": i, "a": rnd.choice(TIMES), "b": rnd.choice(TIMES), "d": rnd.choice(DATES), "e": rnd.choice(DATES)}
        row.update({name: rnd.choice(values) for name, values in COLUMNS.items()})
        for name in ("a", "b"):
            row[name] = row[name] and row[name] + "Z"
        yield row


def literal(value, kind):
    return f"cast(NULL as {kind})" if value is None else f"cast('{value}' as {kind})"


def ask(spark, expr):
    try:
        frame = spark.sql(f"SELECT id, {expr} AS v FROM t")
        kind = frame.schema[1].dataType.simpleString()
        plain = kind in ("int", "bigint", "tinyint", "boolean", "string")
        got = frame.selectExpr("id", "v" if plain else "CAST(v AS STRING) AS v").collect()
        return {"expr": expr, "type": kind, "values": [r[1] for r in sorted(got)]}
    except Exception as e:
        return {"expr": expr, "error": condition(e)}


def main():
    spark = session(spark_sql_codegen_wholeStage="false")
    rnd = random.Random(11)
    table = list(rows(rnd))
    kinds = [f.split() for f in SCHEMA.split(", ")]
    values = ", ".join("(" + ", ".join(literal(r[name], kind) for name, kind in kinds) + ")" for r in table)
    spark.sql(f"SELECT * FROM VALUES {values} AS v({', '.join(n for n, _ in kinds)})").localCheckpoint().createOrReplaceTempView("t")
    grammar, seen, cases, failed = Grammar(rnd), set(), [], 0
    while len(cases) < CASES:
        expr = grammar.make(rnd.choice(["ts", "ntz", "date", "dt", "ym", "int", "big", "bool", "text", "real", "dec"]), rnd.randint(1, 3))
        if expr in seen:
            continue
        seen.add(expr)
        case = ask(spark, expr)
        failed += "error" in case
        if "error" not in case or failed < CASES // 5:
            cases.append(case)
    spark.stop()
    print('{"schema": ' + json.dumps(SCHEMA) + ',\n"rows": [\n' + ",\n".join(json.dumps(r, ensure_ascii=False) for r in table) + '],\n"cases": [\n' + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "]}")


if __name__ == "__main__":
    main()
