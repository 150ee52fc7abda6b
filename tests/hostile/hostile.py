"""Runs hostile programs under every command of tare that runs programs, and natively.

For each run: the exit status or signal and standard output equal the native ones, tare itself does
not die, nothing is left in the directories for temporary files, and it ends within the time limit.
Prints what held, by command. Exit status 1 if anything did not.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import limited_run  # noqa: E402

# The programs of tests/programs, each with what reliability demands of it.
PROGRAMS = [
    "endings exit 0", "endings exit 1", "endings exit 255", "endings abort", "endings null",
    "endings kill-group", "endings signal 15", "endings signal 9", "children short 200",
    "children vfork", "children chain 20", "children orphans 20", "threads many 100",
    "threads main-leaves 6", "descriptors flood 300000", "limits no-files", "limits no-bytes",
    "limits little-space", "limits chroot", "limits setuid", "limits seccomp", "signals storm 20",
    "signals profile 5", "signals ignore", "control_flow longjmp 1000",
    "control_flow contexts 1000", "control_flow recursion 100000", "control_flow dlopen 20",
    "control_flow self-modifying 1000", "count_loops", "branches", "calls", "system_calls",
]
# Those that change the files of their own measurement. It may be refused.
TAMPERING = [f"tampers {way}" for way in ("cut", "ones", "remove", "pipes", "links", "more")]

COMMANDS = {
    "trace": ["trace", "-q"],
    "check": ["check", "-q", "--budget", "2s"],
    "count kernel": ["count", "-q", "--engine", "kernel"],
    "count valgrind": ["count", "-q", "--engine", "valgrind", "--runs", "1"],
    "count qemu": ["count", "-q", "--engine", "qemu", "--runs", "1"],
    "count virtual": ["count", "-q", "--engine", "virtual", "--machine", "two-levels", "--runs", "1"],
    "count step": ["count", "-q", "--engine", "step", "--runs", "1"],
    "profile": ["profile", "-q"],
    "sign": ["sign", "-q", "-o", "signature"],
}
QUICK_COMMANDS = ["trace", "count kernel", "count valgrind", "profile"]
QUICK_PROGRAMS = PROGRAMS[::4]


def status_of(code):
    """As a shell reports it."""
    return 128 - code if code < 0 else code


def run(words, directory, limit):
    """Output and status; None if the limit was exceeded."""
    ended = limited_run.run(words, directory, limit, {"TMPDIR": str(directory / "tmp")})
    return ended and (*ended[:2], status_of(ended[2]))


def owners():
    """The directories of measurements in shared memory."""
    return {path for path in pathlib.Path("/dev/shm").glob("tare-*")}


def left_by(process_directories, before):
    time.sleep(0.05)
    found = [str(path) for path in process_directories.iterdir()]
    # Other measurements on this machine must not be killed meanwhile: theirs go by themselves.
    fresh = owners() - before
    deadline = time.monotonic() + 2
    while fresh and time.monotonic() < deadline:
        time.sleep(0.1)
        fresh = {path for path in fresh if path.exists()}
    return found + [str(path) for path in fresh]


def judge(native, measured, command):
    if measured is None:
        return "time limit"
    output, errors, status = measured
    if b"tare: internal error" in errors or b"CHECK" in errors:
        return "internal error"
    # What Valgrind says when it ends may come before.
    refused = status in (125, 126) and status != native[2]
    if refused and b"\ntare " + command.split()[0].encode() in b"\n" + errors:
        return "refused"
    if status != native[2]:
        return f"status {status} instead of {native[2]}"
    if output != native[0]:
        return f"output of {len(output)} bytes instead of {len(native[0])}"
    return "held"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--quick", action="store_true",
                        help="a quarter of the programs, fewer commands, one repetition")
    parser.add_argument("--only", choices=COMMANDS, action="append", help="these commands")
    parser.add_argument("--tampering", action="store_true",
                        help="only the programs that change the files of their own measurement")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tare = str((options.build / "tare").resolve())
    programs = (options.build / "tests" / "programs").resolve()
    repetitions = 1 if options.quick else options.repetitions
    commands = options.only or (QUICK_COMMANDS if options.quick else list(COMMANDS))
    lines = QUICK_PROGRAMS if options.quick else TAMPERING if options.tampering else PROGRAMS
    cases = [(command, line) for command in commands for line in lines for _ in range(repetitions)]
    random.Random(options.seed).shuffle(cases)

    natives = {}
    verdicts = collections.defaultdict(collections.Counter)
    failures = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="hostile-") as made:
        directory = pathlib.Path(made)
        (directory / "tmp").mkdir()
        for line in lines:
            words = line.split()
            natives[line] = run([str(programs / words[0]), *words[1:]], directory, options.limit)
            if natives[line] is None:
                sys.exit(f"{line}: does not end natively")
        for number, (command, line) in enumerate(cases):
            words = line.split()
            before = owners()
            measured = run([tare, *COMMANDS[command], "--", str(programs / words[0]), *words[1:]],
                           directory, options.limit)
            verdict = judge(natives[line], measured, command)
            left = left_by(directory / "tmp", before)
            if verdict == "held" and left:
                verdict = f"left {left[0]}"
                for path in (directory / "tmp").iterdir():
                    shutil.rmtree(path, ignore_errors=True)
            kind = verdict if verdict in ("held", "refused") else "failed"
            verdicts[command][kind] += 1
            if kind != "held":
                failures[f"{command}: {line}: {verdict}"] += 1
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {len(cases)}", end="", file=sys.stderr)
    print(f"{'command':16} {'runs':>6} {'held':>6} {'refused':>8} {'failed':>7}")
    for command in commands:
        counts = verdicts[command]
        print(f"{command:16} {counts.total():6} {counts['held']:6} {counts['refused']:8} "
              f"{counts['failed']:7}")
    for failure, times in sorted(failures.items()):
        print(f"{times} x {failure}")
    sys.exit(1 if any(counts["failed"] for counts in verdicts.values()) else 0)


if __name__ == "__main__":
    main()
