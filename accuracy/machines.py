#!/usr/bin/env python3
"""machines.py: are programs predicted for machines on which they were not signed?

machines.py TARE [--collect] [NAME...]

The same computer under another condition is another machine: alone, beside a process that streams memory on another core, and with huge pages. --collect signs kernels and programs once, measures a profile of each such machine, runs
everything there, and stores signatures, profiles and times in accuracy/machines/ARCHITECTURE. Then, and without --collect, predicts every case for every stored machine from the signature of each architecture (those whose name contains
one of the NAMEs, or all), and prints errors and how many pairs of machines are ranked as measured. Signatures of another architecture are listed apart. Exit status 1 if less than RANKED percent of the pairs are ranked right.
"""
import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import time

import prediction

# Signatures contain paths: the same ones everywhere.
WORK = pathlib.Path("/tmp/tare-accuracy")
STORE = pathlib.Path(__file__).resolve().parent / "machines"
RUNS = 7
RANKED = 90.0
# Measured times that differ by less are no order.
DIFFERENT = 0.05
PR_SET_THP_DISABLE = 41
CASES = ["triad L2", "triad L3", "triad memory", "spmv L3", "spmv memory", "updates L3", "updates memory", "chase L2", "chase L3", "chase memory", "stencil memory", "join memory", "matmul L2", "sort L3", "bzip2", "sqlite3"]


def small_pages():
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


@contextlib.contextmanager
def neighbour():
    """A process that streams 256 MiB on the last core."""
    core = max(os.sched_getaffinity(0))
    process = subprocess.Popen(["taskset", "-c", str(core), WORK / "kernels", "triad", str(256 << 20), str(1 << 40)], stdout=subprocess.DEVNULL)
    time.sleep(1)
    try:
        yield
    finally:
        process.kill()
        process.wait()


# name: survey's options, environment of the programs, what is done to a child, what runs meanwhile
CONDITIONS = {
    "alone": (["--pages", "small"], {}, small_pages, contextlib.nullcontext),
    "neighbour": (["--pages", "small"], {}, small_pages, neighbour),
    "huge-pages": (["--pages", "huge"], {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}, None, contextlib.nullcontext),
}


def user_seconds(command, environment, prepare):
    core = min(os.sched_getaffinity(0))
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(["taskset", "-c", str(core), *command], stdout=nothing, env={**os.environ, **environment}, preexec_fn=prepare)
        _, status, use = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command} exits with {process.returncode}")
    return use.ru_utime


def file_name(case):
    return case.replace(" ", "-")


def command_of(tare, signature):
    """What was signed, as the signature states it."""
    done = subprocess.run([tare, "sign", "--show", signature, "--json"], capture_output=True, text=True, check=True)
    text = prediction.block(json.loads(done.stdout), "signed")["text"]
    return text.removeprefix("Of ").split(", on ")[0]


def known_repetitions(tare, case):
    """The repetitions that another architecture chose: only equal work can be compared."""
    for store in sorted(STORE.iterdir()):
        signature = store / f"{file_name(case)}.sig"
        if store.name != platform.machine() and signature.exists():
            return command_of(tare, signature).split()[-1]
    return None


def collect(tare):
    store = STORE / platform.machine()
    store.mkdir(parents=True, exist_ok=True)
    prediction.build(WORK)
    commands = {}
    for name, command, _, repeat in prediction.cases(WORK, False):
        if name not in CASES:
            continue
        command = [str(word) for word in command]
        repetitions = known_repetitions(tare, name) if repeat else None
        if repetitions:
            commands[name] = [*command, repetitions]
        else:
            commands[name] = prediction.repeated(command) if repeat else command
        print(f"signing {name}", file=sys.stderr, flush=True)
        subprocess.run([tare, "sign", "--once", "--quiet", "-o", store / f"{file_name(name)}.sig", "--", *commands[name]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # So that the neighbour ends with this program.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    times = {}
    for condition, (survey, environment, prepare, meanwhile) in CONDITIONS.items():
        with meanwhile():
            print(f"measuring the profile: {condition}", file=sys.stderr, flush=True)
            core = str(min(os.sched_getaffinity(0)))
            profile = store / f"{condition}.json"
            subprocess.run([tare, "machine", "measure", "--quiet", "--core", core, "--name", f"{platform.machine()}-{condition}", "-o", profile, *survey], check=True, stdout=subprocess.DEVNULL)
            for name, command in commands.items():
                seconds = [user_seconds(command, environment, prepare) for _ in range(RUNS)]
                times.setdefault(name, {})[condition] = round(statistics.median(seconds), 4)
                print(f"{name:16} {condition:12} {times[name][condition]:8.3f} s", file=sys.stderr, flush=True)
    (store / "times.json").write_text(json.dumps(times, indent=1) + "\n")


def predicted_seconds(tare, signature, profiles):
    done = subprocess.run([tare, "predict", "--json", "--quiet", signature, *profiles.values()], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{signature}: {done.stderr.strip()[-300:]}")
    rows = [row for row in prediction.rows(prediction.block(json.loads(done.stdout), "prediction")) if row["model"] == "overlap"]
    return dict(zip(profiles, (row["time"]["value"] for row in rows)))


def score(tare, chosen):
    machines = {f"{store.name}-{condition}": (store, condition, json.loads((store / "times.json").read_text())) for store in sorted(STORE.iterdir()) if (store / "times.json").exists() for condition in CONDITIONS}
    profiles = {name: store / f"{condition}.json" for name, (store, condition, _) in machines.items()}
    commands = {signature: command_of(tare, signature) for signature in STORE.glob("*/*.sig")}
    rows = []
    other_work = set()
    for source in sorted({store for store, _, _ in machines.values()}):
        for signature in sorted(source.glob("*.sig")):
            case = signature.stem.replace("-", " ")
            if chosen and not any(word in case for word in chosen):
                continue
            predictions = predicted_seconds(tare, signature, profiles)
            for name, (store, condition, times) in machines.items():
                if case not in times:
                    continue
                # Repetitions are chosen by time, so that the work of two architectures may differ.
                if commands[signature] != commands.get(store / signature.name):
                    other_work.add((case, name))
                else:
                    rows.append({"signed": source.name, "case": case, "machine": name, "own": store == source, "predicted": predictions[name], "measured": times[case][condition]})
    if not rows:
        sys.exit("nothing is stored: script/accuracy machines --collect")
    if other_work:
        print(f"{len(other_work)} times are of other numbers of repetitions than another architecture signed, and are compared with their own signatures only")
    right = pairs = 0
    for own in (True, False):
        part = [row for row in rows if row["own"] == own]
        if not part:
            continue
        print("\nsigned on the same architecture" if own else "\nsigned on another architecture")
        print(f"{'case':16} {'machine':22} {'predicted':>10} {'measured':>10} {'error %':>8}")
        for row in part:
            row["error"] = 100 * (row["predicted"] / row["measured"] - 1)
            print(f"{row['case']:16} {row['machine']:22} {row['predicted']:10.4g} {row['measured']:10.4g} {row['error']:8.1f}")
        print(f"mean error {statistics.mean(abs(row['error']) for row in part):.1f} %, median {statistics.median(abs(row['error']) for row in part):.1f} %")
        part_right = part_pairs = 0
        for i, a in enumerate(part):
            for b in part[i + 1 :]:
                if (a["signed"], a["case"]) != (b["signed"], b["case"]) or abs(a["measured"] / b["measured"] - 1) < DIFFERENT:
                    continue
                part_pairs += 1
                part_right += (a["predicted"] < b["predicted"]) == (a["measured"] < b["measured"])
        if part_pairs:
            print(f"{part_right} of {part_pairs} pairs of machines are ranked as measured ({100 * part_right / part_pairs:.0f} %; goal {RANKED:.0f} %)")
        right, pairs = right + part_right, pairs + part_pairs
    return pairs == 0 or 100 * right / pairs >= RANKED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tare")
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.collect:
        if shutil.which("taskset") is None:
            sys.exit("taskset is not installed")
        collect(options.tare)
    sys.exit(not score(options.tare, options.names))


if __name__ == "__main__":
    main()
