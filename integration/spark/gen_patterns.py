"""Asks Spark 4.0.1 what random datetime patterns print, and what it reads of the printed
texts and of texts near them. Writes JSON, one pattern a line:

    pip install -r requirements.txt
    python gen_patterns.py > ../../columnar/internal/timepattern/testdata/patterns.json
"""
import json
import random

from asking import condition, quoted, session

TIMES = ["2024-02-29 12:34:56.789123", "1969-12-31 23:59:59.999999", "+12345-10-11 10:11:12", "-0043-03-04 05:06:07"]
LETTERS = """y yy yyy yyyy yyyyyy M MM MMM MMMM L LL LLL d dd D DD DDD a h hh H HH k kk K KK m mm s ss S SSS SSSSSS SSSSSSSSS
X XX XXX XXXXX x xxx Z ZZZZ ZZZZZ O OOOO VV z zzzz G GGGG E EEEE Q QQQ q F""".split()
USUAL = [s.split() for s in ["yyyy MM dd", "y M d", "yy MM dd", "dd MMM yyyy", "yyyy DDD", "MMMM d yyyy", "yyyy MM dd HH mm ss", "yyyy MM dd HH mm ss SSS", "HH mm", "hh mm a",
                             "yyyy MM dd HH mm ss XXX", "y M d G", "kk mm", "KK mm a", "d M yy h mm a", "yyyy D"]]
BETWEEN = ["", "", "", "-", "/", " ", ":", ".", "'T'", ", ", "''", "年", "_"]
PATTERNS = 300


def pattern(rnd):
    parts = list(rnd.choice(USUAL)) if rnd.random() < 0.55 else [rnd.choice(LETTERS) for _ in range(rnd.randint(1, 5))]
    if rnd.random() < 0.2:
        parts.insert(rnd.randrange(len(parts) + 1), rnd.choice(LETTERS))
    text = ""
    for i, p in enumerate(parts):
        text += rnd.choice(BETWEEN) if i else ""
        text += "[" + p + rnd.choice(["", "]", "]"]) if rnd.random() < 0.12 else p
    return text


def near(rnd, text):
    for _ in range(rnd.randint(1, 2)):
        if not text:
            return text
        i = rnd.randrange(len(text))
        text = rnd.choice([text[:i] + rnd.choice("0123456789 -+:.aApPZGT/") + text[i:], text[:i] + text[i + 1:], text[:i] + rnd.choice("0123456789") + text[i + 1:], text.upper(), text.lower()])
    return text


def attempt(run):
    try:
        return [r[0] for r in run().collect()], None
    except Exception as e:
        return None, condition(e)


def main():
    spark = session(spark_sql_codegen_wholeStage="false")
    rnd = random.Random(20)
    times = ",".join(f"(TIMESTAMP'{t}')" for t in TIMES)
    for _ in range(PATTERNS):
        p = pattern(rnd)
        printed, fault = attempt(lambda: spark.sql(f"SELECT date_format(t, {quoted(p)}) FROM VALUES {times} AS v(t)"))
        texts = list(dict.fromkeys((printed or ["2024-01-01"]) + [near(rnd, t) for t in printed or [] for _ in range(2)]))
        values = ",".join(f"({quoted(t)})" for t in texts)
        read, refusal = attempt(lambda: spark.sql(f"SELECT cast(try_to_timestamp(s, {quoted(p)}) AS STRING) FROM VALUES {values} AS v(s)"))
        print(json.dumps({"pattern": p, "printed": printed, "fault": fault, "texts": texts, "read": read, "refusal": refusal}, ensure_ascii=False))
    spark.stop()


if __name__ == "__main__":
    main()
