"""Records what java.util.regex finds for random patterns, for columnar/internal/javaregex/testdata.

    pip install -r requirements.txt
    python gen_regex.py 3000 > java.jsonl

One JSON object a line: {"pattern", "text", "matches"}, each match being the list of its groups as
[from, to] in UTF-16 units, or null for a group that captured nothing; "invalid" instead of matches
if Java does not compile the pattern.
"""
import json
import random
import sys

from asking import session

ATOMS = ["a", "b", "c", "ab", ".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\S", r"\b", r"\B", "^", "$", r"\A", r"\z", r"\Z",
         r"\R", "é", "🎉", r"\p{L}", r"\P{L}", "[a-c&&[^b]]", "(?i:A)", r"[^\n]", r"\h", "1", r"\x61", r"[\w&&[^\d]]", r"\G", "-", ""]
QUANTIFIERS = ["?", "*", "+", "??", "*?", "+?", "?+", "*+", "++", "{2}", "{1,2}", "{0,2}?", "{1,}", "{2}+"]
TEXTS = ["a", "b", "c", "A", "1", " ", "\n", "\r\n", "\r", "é", "e\u0301", "🎉", "\u2028", "_", "-", "ab", "aab"]


def pattern(rand, depth):
    out = ""
    for _ in range(rand.randint(1, 3)):
        if depth == 0 or rand.random() < 0.55:
            piece = rand.choice(ATOMS)
        else:
            inner = pattern(rand, depth - 1)
            piece = rand.choice(["(%s)", "(?:%s)", "(%s|b)", "(?:a|%s)", "(?=%s)", "(?!%s)", "(?>%s)", "(?m:%s)", "(?s:%s)", "(%s)"]) % inner
        if piece and rand.random() < 0.35:
            piece = ("(?:%s)" % piece if len(piece) > 1 and piece[0] not in "(\\[" else piece) + rand.choice(QUANTIFIERS)
        out += piece
    return out


def matches(jvm, pattern, text):
    try:
        m = jvm.java.util.regex.Pattern.compile(pattern).matcher(text)
    except Exception:
        return None
    out = []
    while m.find() and len(out) < 30:
        out.append([[m.start(k), m.end(k)] if m.start(k) >= 0 else None for k in range(m.groupCount() + 1)])
    return out


def main():
    spark = session()
    rand = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    for _ in range(int(sys.argv[1])):
        p = pattern(rand, 2)
        text = "".join(rand.choice(TEXTS) for _ in range(rand.randint(0, 7)))
        found = matches(spark._jvm, p, text)
        answer = {"invalid": True} if found is None else {"matches": found}
        print(json.dumps({"pattern": p, "text": text, **answer}, ensure_ascii=False))
    spark.stop()


if __name__ == "__main__":
    main()
