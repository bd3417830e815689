"""Makes streams at random: make(seed) is always the same one. See streams.py for what a stream is."""
import datetime
import random

EVENTS = "ts TIMESTAMP, k STRING, v BIGINT, i INT, d DECIMAL(10,2), x DOUBLE, b BOOLEAN, day DATE, tags ARRAY<STRING>, p STRUCT<c: STRING, n: INT>, id BIGINT"
MORE = "ts TIMESTAMP, k STRING, v BIGINT"

AGGREGATES = [
    "count(*)", "count(v)", "count(k, v)", "count_if(b)", "count(*) FILTER (WHERE k IS NULL)", "sum(v)", "sum(i)", "sum(d)", "sum(x)", "sum(v) FILTER (WHERE v > 1)",
    "avg(v)", "avg(d)", "avg(x)", "mean(i)", "min(v)", "max(v)", "min(k)", "max(k)", "max(d)", "min(x)", "max(ts)", "min(ts)", "max(day)", "max(p)", "min(tags)", "max(b)",
    "bool_or(b)", "bool_and(b)", "every(b)", "some(b)", "first(id)", "first(k)", "first(v, true)", "last(id)", "last(k, true)", "any_value(v)", "max_by(k, id)", "min_by(v, ts)",
    "max_by(v, struct(ts, id))", "max_by(k, v)", "min_by(id, k)", "stddev(v)", "stddev_pop(x)", "variance(i)", "var_pop(d)", "skewness(i)", "kurtosis(x)", "corr(x, i)", "covar_samp(x, i)",
    "covar_pop(i, v)", "regr_slope(x, i)", "collect_list(id)", "collect_list(k)", "array_agg(d)", "sort_array(collect_set(v))", "sort_array(collect_set(k))", "approx_count_distinct(k)",
    "approx_count_distinct(v)", "sum(v) + count(*)", "max(v) - min(v)", "sum(i) / count(i)", "count(*) * 2 + coalesce(max(i), 0)", "sum(CASE WHEN b THEN 1 ELSE 0 END)", "max(upper(k))",
    "percentile(v, 0.5)", "percentile_approx(v, 0.5)", "median(i)", "bit_or(i)", "bit_and(v)", "bit_xor(i)", "try_sum(v)", "try_avg(d)", "size(collect_list(x))", "collect_list(p) FILTER (WHERE b)", "count(1)", "max(length(k) + i)", "first(p.c)", "last(tags)",
]
KEYS = [[], [], ["k"], ["k"], ["k"], ["k", "b"], ["v % 3"], ["upper(k)"], ["i", "k"], ["d"], ["day"], ["tags"], ["p"], ["p.c", "b"], ["x"], ["date(ts)"], ["CASE WHEN i > 1 THEN 'big' ELSE k END"]]
WHERE = ["", "", "", "", " WHERE v >= 0", " WHERE k <> 'b' OR b", " WHERE ts IS NOT NULL", " WHERE i IS NULL OR i < 3", " WHERE k IN ('a', 'b')", " WHERE date(ts) < DATE'2100-01-01'", " WHERE size(tags) > 0 AND b"]
HAVING = ["", "", "", "", "", " HAVING count(*) > 1", " HAVING max(v) >= 0", " HAVING sum(i) IS NOT NULL AND min(k) < 'c'"]
OF_WINDOWS = [" HAVING window.start > TIMESTAMP'1970-01-01 00:20:00'", " HAVING window.end <= TIMESTAMP'1970-01-02' AND count(*) > 1"]
DELAYS = ["0 seconds", "2 seconds", "5 seconds", "10 seconds", "30 seconds", "1500 milliseconds", "1 minute"]
SIZES = [1, 2, 5, 7, 10, 60]
GAPS = ["'1 second'", "'3 seconds'", "'5 seconds'", "'1500 milliseconds'", "'10 seconds'"]
ROW_GAPS = [
    "CASE WHEN k = 'a' THEN '2 seconds' WHEN k = 'b' THEN '0 seconds' WHEN v < 0 THEN '-5 seconds' ELSE '6 seconds' END",
    "CASE WHEN b THEN '1 second' ELSE '7 seconds' END", "IF(i > 1, '4 seconds', '1 second')", "IF(k = 'c', CAST(NULL AS STRING), '3 seconds')",
]
# Queries that Spark refuses in some of the modes or all of them, or that are on an edge.
EDGES = [
    "SELECT window.start AS ws, count(*) AS n FROM events GROUP BY window(ts, '5 seconds'), k ORDER BY ws", "SELECT k, count(*) AS n FROM events GROUP BY k",
    "SELECT count(DISTINCT v) AS n, window.start AS ws FROM events GROUP BY window(ts, '5 seconds')", "SELECT session_window.start AS ws, count(*) AS n FROM events GROUP BY session_window(ts, '5 seconds')",
    "SELECT ts, k FROM events ORDER BY ts", "SELECT count(*) AS n FROM events", "SELECT max(v) AS m, count(*) AS n FROM events WHERE v > 1",
    "SELECT window.start AS ws, count(*) AS n FROM events GROUP BY window(ts, '5 seconds', '10 seconds')", "SELECT window.start AS ws, count(*) AS n FROM events GROUP BY window(ts, '5 seconds', '5 seconds', '6 seconds')",
    "SELECT window.start AS ws, count(*) AS n FROM events GROUP BY window(ts + INTERVAL 3 SECONDS, '5 seconds')", "SELECT window.start AS ws, k, count(*) AS n FROM events GROUP BY window(ts, '1 month'), k",
    "SELECT window.start AS ws, v FROM events GROUP BY window(ts, '5 seconds')", "SELECT k, n FROM (SELECT k, count(*) AS n FROM events GROUP BY k) WHERE n > 1",
    "SELECT n, count(*) AS m FROM (SELECT k, count(*) AS n FROM events GROUP BY k) GROUP BY n", "SELECT k, sum(n) AS s FROM (SELECT window AS w, k, count(*) AS n FROM events GROUP BY window(ts, '5 seconds'), k) GROUP BY k",
    "SELECT ts, count(*) AS n FROM events GROUP BY ts, window(ts, '5 seconds'), session_window(ts, '5 seconds')", "SELECT window(ts, '5 seconds') AS w, k FROM events", "SELECT window(ts, '6 seconds', '4 seconds').start AS s, id FROM events WHERE v > 0",
    "SELECT k, count(*) AS n FROM events GROUP BY k ORDER BY n DESC, k LIMIT 2", "SELECT k, max(ts) AS m FROM events GROUP BY k HAVING count(*) > 1 ORDER BY m", "SELECT CAST(window.end AS STRING) AS e, count(*) AS n FROM events GROUP BY window(ts, '5 seconds')",
]


class Maker:
    def __init__(self, seed):
        self.r, self.ids = random.Random(seed), 0

    def pick(self, options):
        return self.r.choice(options)

    def chance(self, p):
        return self.r.random() < p

    # Sources and the parts of a query.

    def events(self, **more):
        return {"schema": EVENTS, "watermark": {"column": "ts", "delay": self.pick(DELAYS)}, **more}

    def window(self, time="ts", size=None, slide=None):
        """A call of window(): tumbling, or sliding with slides that need not divide the size; sometimes with a start."""
        size = size or self.pick(SIZES)
        if slide is None or slide > size:
            slide = size
        start = self.pick([None, None, None, "1 second", "500 milliseconds", "3 seconds", "-1 second"])
        if start is not None and slide <= 3:
            start = "500 milliseconds"
        args = [time, f"'{size} seconds'"]
        if slide != size or start:
            args.append(f"'{slide} seconds'")
        if start:
            args.append(f"'{start}'")
        return f"window({', '.join(args)})"

    def aggregates(self, most=4):
        """Aggregates with names; often a count, by which a reader sees at once which rows are in a group."""
        chosen = self.r.sample(AGGREGATES, self.r.randint(1, most))
        if self.chance(.4):
            chosen.insert(0, "count(*)")
        return [f"{a} AS a{n}" for n, a in enumerate(chosen)]

    def bounds(self, window="window"):
        """What is selected of a window."""
        forms = [[f"{window}.start AS ws", f"{window}.end AS we"], [f"{window}.start AS ws"], [f"{window} AS w"], [f"{window}.end AS we"]]
        return self.pick(forms)

    def grouped(self, window, keys, having="", source="events"):
        name = window.split("(")[0]
        items = self.bounds(name) + [f"{k} AS k{n}" for n, k in enumerate(keys)] + self.aggregates()
        return f"SELECT {', '.join(items)} FROM {source}{self.pick(WHERE)} GROUP BY {', '.join([window] + keys)}{having}"

    # Kinds of streams: (sources, query, mode).

    def tumble(self):
        return {"events": self.events()}, self.grouped(self.window(), self.pick(KEYS), self.pick(HAVING + OF_WINDOWS)), self.pick(["append", "append", "update", "complete"])

    def slide(self):
        window = self.window(size=self.pick([5, 7, 10]), slide=self.pick([1, 2, 3, 4, 5]))
        return {"events": self.events()}, self.grouped(window, self.pick(KEYS), self.pick(HAVING + OF_WINDOWS)), self.pick(["append", "append", "update", "complete"])

    def session(self):
        return {"events": self.events()}, self.grouped(f"session_window(ts, {self.pick(GAPS + ROW_GAPS)})", self.pick(KEYS[2:])), self.pick(["append", "append", "complete"])

    def keyed(self):
        keys = self.pick(KEYS[2:])
        names = [f"k{n}" for n in range(len(keys))]
        items = [f"{k} AS {name}" for k, name in zip(keys, names)] + self.aggregates()
        events = self.events()
        if self.chance(.5):
            del events["watermark"]
        order = self.pick(["", f" ORDER BY {', '.join(names)}", f" ORDER BY k0 DESC NULLS LAST, {', '.join(names[1:] + ['a0'])} LIMIT 3"]) if self.chance(.5) else ""
        return {"events": events}, f"SELECT {', '.join(items)} FROM events{self.pick(WHERE)} GROUP BY {', '.join(keys)}{self.pick(HAVING)}{order}", "complete" if order else self.pick(["update", "complete"])

    def by_time(self):
        keys = ["ts"] + self.pick(KEYS)
        items = [f"{k} AS k{n}" for n, k in enumerate(keys)] + self.aggregates()
        return {"events": self.events()}, f"SELECT {', '.join(items)} FROM events{self.pick(WHERE)} GROUP BY {', '.join(keys)}", self.pick(["append", "update"])

    def dedup(self):
        keys = self.pick([["ts", "k"], ["ts", "k", "v"], ["id", "ts"], ["k", "i"]])
        return {"events": self.events(dedup={"keys": keys, "within_watermark": False})}, "SELECT ts, k, v, i, id FROM events" + self.pick(WHERE), self.pick(["append", "append", "update"])

    def dedup_within(self):
        keys = self.pick([["k"], ["k", "v"], ["id"], ["b"], ["p"]])
        return {"events": self.events(dedup={"keys": keys, "within_watermark": True})}, "SELECT ts, k, v, p, id FROM events" + self.pick(WHERE), "append"

    def dedup_grouped(self):
        within = self.chance(.5)
        keys = ["id"] if within else self.pick([["ts", "id"], ["ts", "k"]])
        window = self.pick([self.window(), "session_window(ts, '4 seconds')"])
        return {"events": self.events(dedup={"keys": keys, "within_watermark": within})}, self.grouped(window, self.pick(KEYS[2:])), "append"

    def distinct(self):
        columns = self.pick(["ts, k", "ts, k, b", "ts, p.c AS c", "k", "k, v % 2 AS odd", "ts, tags", "day, x", "window(ts, '5 seconds') AS w, k"])
        return {"events": self.events()}, f"SELECT DISTINCT {columns} FROM events{self.pick(WHERE)}", self.pick(["append", "append", "update"])

    def union(self):
        sources = {"events": self.events(), "more": {"schema": MORE, "watermark": {"column": "ts", "delay": self.pick(DELAYS)}}}
        if self.chance(.1):
            del sources["more"]["watermark"]
        both = self.pick(["SELECT ts, k, v FROM events UNION ALL SELECT ts, k, v FROM more", "SELECT ts, k, v FROM events WHERE b UNION ALL SELECT ts, upper(k), v + 1 FROM more"])
        query = self.pick([
            f"SELECT window.start AS ws, k, count(*) AS n, sum(v) AS s, first(v) AS f FROM ({both}) GROUP BY {self.window()}, k",
            f"SELECT session_window AS w, k, count(*) AS n, collect_list(v) AS l FROM ({both}) GROUP BY session_window(ts, {self.pick(GAPS)}), k",
            both, both.replace("UNION ALL", "UNION"), f"SELECT DISTINCT ts, k FROM ({both})",
        ])
        return sources, query, self.pick(["append", "append", "update"])

    def chain(self):
        """Windows over windows, over two to four levels."""
        size, keys = self.pick([1, 2, 5]), self.pick(KEYS)
        names = [f"k{n}" for n in range(len(keys))]
        items = ["window AS w"] + [f"{k} AS {name}" for k, name in zip(keys, names)] + ["count(*) AS c", "max(v) AS m"]
        query = f"SELECT {', '.join(items)} FROM events{self.pick(WHERE)} GROUP BY {', '.join([self.window(size=size)] + keys)}"
        for _ in range(self.pick([1, 1, 2, 3])):
            size *= self.pick([2, 3])
            names = names[:self.r.randint(0, len(names))]
            time = self.pick(["w", "window_time(w)"])
            window = self.pick([f"window({time}, '{size} seconds')", f"window({time}, '{size} seconds', '{max(1, size // 2)} seconds')", self.window(time, size)])
            where = self.pick(["", "", " WHERE c > 1", " WHERE m IS NOT NULL", " WHERE w.start > TIMESTAMP'1970-01-01 00:20:00'"])
            query = f"SELECT {', '.join(['window AS w'] + names + ['sum(c) AS c', 'max(m) AS m'])} FROM ({query}){where} GROUP BY {', '.join([window] + names)}"
        last = self.pick([query, query, f"SELECT w.start AS ws, c * 2 AS c2, m FROM ({query}) WHERE c > 1", f"SELECT DISTINCT w, c FROM ({query})", f"SELECT DISTINCT w FROM ({query})", f"SELECT DISTINCT window_time(w) AS wt, c FROM ({query})",
                          f"SELECT session_window AS s, count(*) AS n, sum(c) AS c FROM (SELECT window_time(w) AS wt, c FROM ({query})) GROUP BY session_window(wt, '6 seconds')"])
        events = self.events()
        if self.chance(.2):
            events["dedup"] = {"keys": ["ts", "id"], "within_watermark": False}
        return {"events": events}, last, self.pick(["append", "append", "append", "append", "update"])

    def time_chain(self):
        """Windows over groups by the time itself, which may be such that Spark drops them."""
        inner = self.pick(["SELECT DISTINCT ts, k FROM events", "SELECT ts, k, count(*) AS c FROM events GROUP BY ts, k", "SELECT ts, k, collect_list(v) AS l FROM events GROUP BY ts, k"])
        what = self.pick(["count(*) AS n", "max(k) AS m", "first(k) AS f, min(ts) AS t", "max(k) AS m, count(*) AS n"])
        window = self.pick([self.window(), "session_window(ts, '4 seconds')", "window(ts, '6 seconds', '4 seconds')"])
        name = window.split("(")[0]
        keys = ", k" if name == "session_window" or self.chance(.5) else ""
        return {"events": self.events()}, f"SELECT {name} AS w{keys}, {what} FROM ({inner}){self.pick(['', ' WHERE k > %s' % repr('a')])} GROUP BY {window}{keys}", "append"

    def session_chain(self):
        """Windows over sessions."""
        inner = f"SELECT session_window AS w, k, count(*) AS c FROM events{self.pick(WHERE)} GROUP BY session_window(ts, {self.pick(GAPS)}), k"
        return {"events": self.events()}, f"SELECT window.start AS ws, count(*) AS n, sum(c) AS s FROM ({inner}) GROUP BY window({self.pick(['w', 'w.start', 'w.end'])}, '10 seconds')", "append"

    def exploded(self):
        query = self.pick([
            f"SELECT window.start AS ws, tag, count(*) AS n, max(id) AS m FROM events LATERAL VIEW explode(tags) AS tag GROUP BY {self.window()}, tag",
            f"SELECT window.start AS ws, count(*) AS n, collect_list(tag) AS l FROM (SELECT ts, explode_outer(tags) AS tag FROM events) GROUP BY {self.window()}",
            f"SELECT window.start AS ws, count(*) AS n FROM (SELECT ts, k, posexplode(tags) AS (at, tag) FROM events WHERE v > 0) WHERE at < 1 GROUP BY {self.window()}",
            f"SELECT window.start AS ws, count(*) AS n FROM (SELECT ts, explode(split(k, '')) AS c FROM events) GROUP BY {self.window()}",
        ])
        return {"events": self.events()}, query, self.pick(["append", "update", "complete"])

    def edge(self):
        events = self.events()
        if self.chance(.3):
            del events["watermark"]
        return {"events": events}, self.pick(EDGES), self.pick(["append", "update", "complete"])

    def plain(self):
        return {"events": self.events()}, f"SELECT ts, k, v * 2 AS v2, x FROM events{self.pick(WHERE)}", self.pick(["append", "update"])

    # Rows.

    def row(self, at):
        self.ids += 1
        row = {
            "ts": moment(at), "k": self.pick(["a", "b", "c", "é", ""]), "v": self.pick([0, 1, 2, 3, -5, 10, 2**40]), "i": self.pick([0, 1, 2, 3, -1]), "d": self.pick(["0.10", "1.25", "-3.00", "99999.99"]),
            "x": self.pick([0.5, 1.5, -2.0, 1e10]), "b": self.chance(.5), "day": self.pick(["2024-02-29", "1969-12-31", "2024-03-01"]), "tags": self.pick([[], ["t"], ["t", "u"], ["u", None]]),
            "p": self.pick([{"c": "r", "n": 1}, {"c": "s", "n": None}, {"c": None, "n": 1}]), "id": self.ids - 1,
        }
        for name in list(row):
            if name != "id" and self.chance(.02 if name == "ts" else .06):
                row[name] = None
        return row

    def rows(self, n, base, fine):
        """Rows around a time; some are a minute late, some come twice, and fine ones lie between the seconds and at their edges."""
        spread, late, out = self.pick([0, 3, 8]), self.pick([0, .15, .4]), []
        for _ in range(n):
            at = base + self.r.randint(-spread, spread) * SECOND
            if self.chance(late):
                at -= self.r.randint(10, 90) * SECOND
            if fine and self.chance(.5):
                at += self.pick([0, 1, -1, 500_000, 999_999, self.r.randint(0, 999_999)])
            row = self.row(at)
            out += [row, dict(row)] if self.chance(.12) else [row]
        return out

    def few(self, base):
        return [{"ts": moment(base + self.r.randint(-8, 8) * SECOND), "k": self.pick(["a", "b", None]), "v": self.pick([1, 2])} for _ in range(self.pick([1, 3, 6]))]

    def steps(self, sources):
        base, fine, out = self.pick([100, 1_000, 86_400, 1_767_225_600, -500]) * SECOND, self.chance(.3), []
        for _ in range(self.r.randint(4, 6)):
            base += self.pick([0, 1, 3, 5, 10, 20, 60, 200]) * SECOND
            step = {"events": self.rows(self.pick([0, 1, 2, 5, 9, 14]), base, fine)}
            if "more" in sources and self.chance(.75):
                step["more"] = self.few(base + self.r.randint(-5, 5) * SECOND)
            out.append({name: rows for name, rows in step.items() if rows})
        return [step for step in out if step]


SECOND = 1_000_000  # times are in microseconds since 1970

KINDS = {
    Maker.tumble: 20, Maker.slide: 14, Maker.session: 16, Maker.keyed: 8, Maker.by_time: 4, Maker.dedup: 5, Maker.dedup_within: 5, Maker.dedup_grouped: 6, Maker.distinct: 6,
    Maker.union: 10, Maker.chain: 14, Maker.time_chain: 5, Maker.session_chain: 4, Maker.exploded: 3, Maker.edge: 8, Maker.plain: 1,
}


def moment(at):
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"


def make(seed):
    m = Maker(seed)
    kind = m.r.choices(list(KINDS), list(KINDS.values()))[0]
    sources, query, mode = kind(m)
    steps, settings = m.steps(sources), {}
    if m.chance(.15):
        settings["no_data_batches"] = False
    if "more" in sources and m.chance(.3):
        settings["watermark_policy"] = "max"
    restarts = [i for i in range(1, len(steps)) if m.chance(.3)] if m.chance(.4) else []
    return {"seed": seed, "kind": kind.__name__, "sources": sources, "query": query, "mode": mode, "settings": settings, "steps": steps, "restarts": restarts}
