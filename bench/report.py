"""Print what one or more runs cost.

  report.py ingest RECORDS RUN...     RUN.json by measure.py, RUN.progress the JSON lines of `lakewheel run`
  report.py latency PROGRESS          percentiles of batchDuration, of batches with data and without
  report.py table RECORDS DIR         medians of all runs in DIR (NAME-1.json, NAME-2.json, ...) side by side
"""
import collections, glob, json, os, statistics, sys


def lines(path):
    with open(path) as f:
        return [json.loads(x) for x in f if x.startswith("{")]


def stages(progress):
    sums = collections.Counter()
    for p in progress:
        sums.update(p.get("stageMs", {}))
        sums["commit"] += p["durationMs"].get("commitBatch", 0)
    return "  ".join(f"{k} {sums[k] / 1e3:.2f}" for k in ["fetch", "decode", "compute", "write", "commit"])


def ingest(records, runs):
    for run in runs:
        m, progress = json.load(open(run + ".json")), lines(run + ".progress")
        assert sum(p["numInputRows"] for p in progress) == records, "the run did not read every record"
        print(f"{os.path.basename(run)}: {records / m['wall']:,.0f} records/s ({m['wall']:.2f} s), {m['cpu'] / records * 1e6:.2f} CPU-s per M records "
              f"(user {m['user']:.2f} sys {m['sys']:.2f}), peak RSS {m['rssMiB']:.0f} MiB; broker {m['brokerCPU']:.1f} and foreign {m['foreignCPU']:.1f} CPU-s")
        print(f"  {len(progress)} batches; stages, seconds: {stages(progress)}")


def latency(path):
    progress = lines(path)
    for kind in ["data", "no-data"]:
        d = sorted(p["batchDuration"] for p in progress if p["trigger"] == kind)
        at = lambda q: d[min(len(d) - 1, round(q * (len(d) - 1)))]
        if d:
            print(f"  {len(d)} {kind} batches: p50 {at(.5)} ms, p90 {at(.9)} ms, p99 {at(.99)} ms, max {d[-1]} ms")


def table(records, folder):
    runs = collections.defaultdict(list)
    for path in sorted(glob.glob(folder + "/*-[0-9]*.json")):
        runs[os.path.basename(path).rsplit("-", 1)[0]].append(json.load(open(path)))
    print("| | runs | process s | records/s | records/s without start-up | CPU-s per M records | peak RSS MiB | MB written | foreign CPU-s |\n|---|---|---|---|---|---|---|---|---|")
    for name, ms in runs.items():
        med = lambda f: statistics.median(map(f, ms))
        query = med(lambda m: m.get("query", m["wall"]))
        print(f"| {name} | {len(ms)} | {med(lambda m: m['wall']):.2f} | {records / med(lambda m: m['wall']):,.0f} | {records / query:,.0f} "
              f"| {med(lambda m: m['cpu']) / records * 1e6:.2f} | {med(lambda m: m['rssMiB']):.0f} | {med(lambda m: m['writtenMB']):.1f} | {med(lambda m: m['foreignCPU']):.1f} |")


mode, args = sys.argv[1], sys.argv[2:]
if mode == "latency":
    latency(args[0])
elif mode == "ingest":
    ingest(int(args[0]), args[1:])
else:
    table(int(args[0]), args[1])
