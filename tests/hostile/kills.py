"""Kills tare with SIGKILL at random moments of its long commands.

After each kill: the recording opens and is called incomplete, or the command had not begun to
record; the program ends by itself; and the next start of tare removes what was left. For traces and
profiles it also prints how much of the time before the kill is missing, and how many have at least
99 % of what was older than 250 ms. A command that ends before its kill is repeated. Exit status 1
if anything did not hold.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Says that it has started, computes for about a second, and says that it has ended.
PROGRAM = ["/bin/sh", "-c",
           ': > "$STARTED"; i=0; while [ $i -lt {loops} ]; do i=$((i+1)); done; : > "$ENDED"']
# An engine makes the program slower, so it has less to do.
LOOPS = collections.defaultdict(lambda: 200_000, {"trace": 4_000_000, "profile": 4_000_000})

ABANDONED_SECONDS = 62
# A command may need this long before its program runs and something is recorded.
START_SECONDS = collections.defaultdict(lambda: 0.5, {"profile": 1.5})
# What is there so long after a kill stays. Under an engine and on a busy machine, the program needs
# a minute.
STAYS_SECONDS = 180

LOOP = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"

# A study of runs of the program; each run that has ended is stored.
STUDY = """format = 1
engines = ["time"]
runs = 20

[[program]]
name = "loop"
command = "/bin/sh loop.sh"
"""

# How each command records, and how its recording is shown.
COMMANDS = {
    "trace": (["trace", "-q", "-o", "recording"], ["trace", "--show", "recording", "--json"]),
    "trace instructions": (["trace", "-q", "--sampler", "instructions", "-o", "recording"],
                           ["trace", "--show", "recording", "--json"]),
    "profile": (["profile", "-q", "-o", "recording"], ["profile", "--show", "recording", "--json"]),
    "events": (["events", "record", "-q", "--by", "valgrind", "-o", "recording"],
               ["events", "show", "recording", "--json"]),
    "sign": (["sign", "-q", "-o", "signature"], None),
    "count": (["count", "-q", "--engine", "valgrind", "--runs", "1"], None),
    "check": (["check", "-q", "--budget", "2s"], None),
    "compare": (["compare", "-q", "--budget", "2s"], None),
    "why": (["why", "-q", "--of", "time", "--budget", "2s"], None),
    "perturb": (["perturb", "sweep", "-q", "--intervals", "10ms,1ms", "--runs", "3"], None),
    "study": (["study", "run", "-q", "study.toml"], ["study", "status", "--json", "study.toml"]),
}


def directories():
    return {str(path) for path in pathlib.Path("/dev/shm").glob("tare-*")}


def described(session):
    """The processes of a session that stay, with what they wait for."""
    columns = "pid=,ppid=,stat=,wchan=,etimes=,args="
    lines = subprocess.run(["ps", "-o", columns, "-s", session], capture_output=True, check=False)
    text = lines.stdout.decode(errors="replace")
    for line in text.splitlines():
        directory = pathlib.Path("/proc") / line.split()[0]
        for name in ("status", "stack", "syscall"):
            try:
                kept = (directory / name).read_text(errors="replace").splitlines()
            except OSError:
                continue
            text += "".join(f"        {row}\n" for row in kept
                            if name != "status" or row.startswith(("State", "TracerPid", "Sig")))
    return text


def last_record(document):
    """The seconds from the start to the last record of a trace, or to the last sample of a profile."""
    for block in document["blocks"]:
        if block["id"] == "metric_user_time" and block["lines"][0]["x"]:
            return block["lines"][0]["x"][-1]
        if block["id"] == "sampling":
            return next(row[1]["value"] for row in block["rows"] if row[0] == "elapsed time")
    return None


def one(tare, command, directory, moment):
    """What held, and for traces the seconds recorded and those until the kill."""
    record, show = COMMANDS[command]
    for name in ("recording", "signature", "started", "ended"):
        (directory / name).unlink(missing_ok=True)
    shutil.rmtree(directory / "study.results", ignore_errors=True)
    words = [word.format(loops=LOOPS[command]) for word in PROGRAM]
    program = [] if record[0] == "study" else ["--", *words]
    environment = dict(os.environ, STARTED=str(directory / "started"),
                       ENDED=str(directory / "ended"), TMPDIR=str(directory / "tmp"))
    process = subprocess.Popen([tare, *record, *program], cwd=directory, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(moment)
    finished = process.poll() is not None
    if not finished:
        process.send_signal(signal.SIGKILL)
    killed_at = time.time()
    process.wait()
    killed = time.monotonic()
    seconds = None
    verdict = "held"
    if show is not None and (directory / "recording").exists():
        shown = subprocess.run([tare, *show], cwd=directory, env=environment, capture_output=True,
                               timeout=60, check=False)
        if shown.returncode != 0:
            verdict = f"does not open: {shown.stderr.decode(errors='replace').strip()[:100]}"
            if moment < START_SECONDS[command]:
                verdict = "not begun"
        else:
            document = json.loads(shown.stdout)
            ids = {caveat["id"] for caveat in document["caveats"]}
            if not finished and "incomplete" not in ids:
                verdict = "not called incomplete"
            last = last_record(document)
            if last is not None:
                seconds = last, killed_at - (directory / "started").stat().st_mtime
    elif record[0] == "study":
        status = subprocess.run([tare, *show], cwd=directory, env=environment, capture_output=True,
                                timeout=60, check=False)
        if status.returncode != 0:
            verdict = f"does not open: {status.stderr.decode(errors='replace').strip()[:100]}"
    elif show is not None:
        verdict = "not begun" if moment < START_SECONDS[command] else "the recording is lost"
    # The engines' programs may end with their tracer; none may stay.
    session = str(process.pid)
    while True:
        listed = subprocess.run(["ps", "-o", "pid=,stat=", "-s", session], capture_output=True,
                                text=True, check=False)
        # One that has ended waits for init.
        left = [line.split()[0] for line in listed.stdout.splitlines() if " Z" not in line]
        if not left:
            break
        if time.monotonic() - killed > STAYS_SECONDS:
            verdict = "a process stays"
            print(f"{command}: killed after {moment:.3f} s, {described(session)}", flush=True)
            for number in left:
                try:
                    os.kill(int(number), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            break
        time.sleep(0.1)
    return ("not killed" if finished and verdict == "held" else verdict), seconds


def has_owner(path):
    """Whether a living process holds the directory's lock."""
    free = subprocess.run(["flock", "-n", path, "true"], capture_output=True, check=False)
    return free.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=200, help="of each command")
    parser.add_argument("--longest", type=float, default=3, help="seconds until a kill")
    parser.add_argument("--only", help="these commands, with commas between them")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tare = str((options.build / "tare").resolve())
    generator = random.Random(options.seed)
    verdicts = collections.defaultdict(collections.Counter)
    recorded = collections.defaultdict(list)
    before = directories()
    with tempfile.TemporaryDirectory(prefix="kills-") as made:
        directory = pathlib.Path(made)
        (directory / "tmp").mkdir()
        (directory / "study.toml").write_text(STUDY)
        (directory / "loop.sh").write_text(LOOP)
        for command in COMMANDS:
            if options.only and command not in options.only.split(","):
                continue
            longest = options.longest
            counts = verdicts[command]
            while counts.total() - counts["not killed"] < options.kills:
                moment = generator.uniform(0, longest)
                verdict, seconds = one(tare, command, directory, moment)
                counts[verdict] += 1
                if verdict == "not killed":
                    longest = max(0.9 * longest, 0.2)
                if seconds is not None:
                    recorded[command].append(seconds)
    # A directory without an owner is removed once it is a minute old.
    time.sleep(ABANDONED_SECONDS)
    subprocess.run([tare, "count", "-q", "--engine", "valgrind", "--runs", "1", "--", "true"],
                   capture_output=True, check=False)
    stale = [path for path in directories() - before if not has_owner(path)]
    fine = {"held", "not begun", "not killed"}
    print(f"{'command':20} {'kills':>6} {'held':>6} {'not begun':>10} {'failed':>7}")
    for command, counts in verdicts.items():
        failed = sum(number for verdict, number in counts.items() if verdict not in fine)
        print(f"{command:20} {counts.total() - counts['not killed']:6} {counts['held']:6} "
              f"{counts['not begun']:10} {failed:7}")
    for command, counts in verdicts.items():
        for verdict, number in counts.items():
            if verdict not in fine:
                print(f"{number} x {command}: {verdict}")
    for command, pairs in recorded.items():
        missing = sorted(until - last for last, until in pairs)
        whole = sum(last >= 0.99 * (until - 0.25) for last, until in pairs)
        print(f"{command}: last record {missing[len(missing) // 2]:.3f} s before the kill (median), "
              f"{missing[-1]:.3f} s at most; {whole} of {len(pairs)} have 99 % of what was older "
              "than 0.25 s")
    print(f"{len(stale)} directories left after the next start of tare")
    failed = any(verdict not in fine for counts in verdicts.values() for verdict in counts)
    sys.exit(1 if failed or stale else 0)


if __name__ == "__main__":
    main()
