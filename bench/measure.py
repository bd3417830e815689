"""Run a command and write what it cost as JSON.

  measure.py RESULT.json [--stdout FILE] [--foreign-pids PID,PID] -- COMMAND...

wall and CPU in seconds, peak RSS in MiB, of the process and the children it waited for. "foreign" is the CPU time that anything else
on the machine used meanwhile, apart from the given processes (the broker): a run with much of it should be repeated.
"""
import argparse, json, os, sys, time


def busy():
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:]]
    return (v[0] + v[1] + v[2] + v[5] + v[6]) / os.sysconf("SC_CLK_TCK")


def cpu(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            v = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(v[11]) + int(v[12])) / os.sysconf("SC_CLK_TCK")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("result")
    p.add_argument("--stdout")
    p.add_argument("--foreign-pids", default="")
    split = sys.argv.index("--")
    a, command = p.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    known = [int(x) for x in a.foreign_pids.split(",") if x]
    out = os.open(a.stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) if a.stdout else 1
    all0, known0, t0 = busy(), sum(map(cpu, known)), time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
    _, status, u = os.wait4(pid, 0)
    wall, all1, known1 = time.monotonic() - t0, busy(), sum(map(cpu, known))
    own = u.ru_utime + u.ru_stime
    with open(a.result, "w") as f:
        json.dump({"wall": wall, "user": u.ru_utime, "sys": u.ru_stime, "cpu": own, "rssMiB": u.ru_maxrss / 1024,
                   "brokerCPU": known1 - known0, "foreignCPU": max(0.0, all1 - all0 - own - (known1 - known0))}, f)
    sys.exit(os.waitstatus_to_exitcode(status))


main()
