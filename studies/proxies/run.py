#!/usr/bin/env python3
"""run.py: builds the study's programs, compares each vanilla one with its instrumented one, and writes what came out as CSV files.

run.py BUILD DIRECTORY [--only PROGRAM,...] [--machine M] [--runs N] [--again]

BUILD is a build directory that has tare and its engines. Programs are built once, and each pair is measured once: what is done is kept in build/study/proxies and not
repeated, unless --again is given. Times are measured, so the machine should have nothing else to do.
"""
import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from builds import COMPILERS, KINDS, Builds  # noqa: E402
from programs import PROGRAMS, write_inputs  # noqa: E402
from written import Tables, rows_of  # noqa: E402

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"}
HEADERS = {
    "ratios": ["program", "compiler", "metric", "ratio", "low", "high", "verdict", "vanilla", "instrumented"],
    "prediction": ["program", "compiler", "metric", "predicted", "low", "high", "measured"],
    "parts": ["program", "compiler", "cause", "instructions", "loads", "stores", "branches"],
    "functions": ["program", "compiler", "function", "object", "instructions", "mostly"],
    "programs": ["program", "language", "kin", "command"],
    "about": ["what", "value"],
}
MAX_FUNCTIONS = 5
NEEDED = "l1i-misses"  # missing if no processor was modelled; then nothing is stored


def value(cell):
    """The number of a cell, whether it stands alone or with its verdict; None where it is absent."""
    return cell.get("value") if isinstance(cell, dict) else cell


def bounds(cell):
    """Both ends of its interval; the value itself where it cannot vary."""
    ends = [cell.get("low"), cell.get("high")] if isinstance(cell, dict) else [None, None]
    return [value(cell) if end is None else end for end in ends]


class Study:
    def __init__(self, build, work, given):
        self.tare, self.work, self.given = f"{build}/tare", work, given
        self.inputs, self.documents = f"{work}/inputs", f"{work}/documents"
        os.makedirs(self.documents, exist_ok=True)
        write_inputs(self.inputs)
        self.builds = Builds(work)

    def document(self, program, compiler):
        """What tare proxy says; from the disk where it said it before."""
        path = f"{self.documents}/{program.name}.{compiler}.json"
        if not os.path.exists(path) or self.given.again:
            pair = [self.builds.build(program.name, compiler, kind) for kind in KINDS]
            options = ["--input", program.stdin] if program.stdin else []
            if self.given.machine:
                options += ["--machine", self.given.machine]
            line = [self.tare, "proxy", "-q", "--json", "--predict", "--runs", str(self.given.runs), *options, *pair, "--", *program.arguments]
            done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.inputs, env=ENVIRONMENT)
            # The exit status may be the program's own, as with minisat.
            if not done.stdout.startswith("{"):
                raise RuntimeError(f"{program.name}, {compiler}: status {done.returncode}\n{done.stderr[-2000:]}")
            missing = next((row["ratio"]["reason"] for row in rows_of(json.loads(done.stdout), "ratios") if row["metric"] == NEEDED and value(row["ratio"]) is None), None)
            if missing:
                raise RuntimeError(f"{program.name}, {compiler}: no {NEEDED}: {missing}")
            with open(f"{path}.part", "w") as file:
                file.write(done.stdout)
            os.rename(f"{path}.part", path)
        with open(path) as file:
            return json.load(file)


class Results(Tables):
    def __init__(self, directory):
        super().__init__(directory, HEADERS)

    def take(self, program, compiler, document):
        for row in rows_of(document, "ratios"):
            if value(row["ratio"]) is not None:
                amounts = [value(row.get(name)) for name in KINDS]
                self.add("ratios", program.name, compiler, row["metric"], value(row["ratio"]), *bounds(row["ratio"]), row["ratio"]["verdict"], *amounts)
        for row in rows_of(document, "prediction"):
            if value(row["predicted"]) is not None and value(row["measured"]) is not None:
                self.add("prediction", program.name, compiler, row["metric"], value(row["predicted"]), *bounds(row["predicted"]), value(row["measured"]))
        for row in rows_of(document, "parts"):
            self.add("parts", program.name, compiler, row["cause"], *(value(row[name]) for name in ("instructions", "loads", "stores", "branches")))
        for row in rows_of(document, "functions")[:MAX_FUNCTIONS]:
            self.add("functions", program.name, compiler, row["function"], row["object"], value(row["instructions"]), row["mostly"])


def about(results, given):
    version = lambda command: subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]  # noqa: E731
    for compiler, (command, _, flags) in COMPILERS.items():
        results.add("about", compiler, f"{version(command)}, {' '.join(flags)}")
    results.add("about", "architecture", os.uname().machine)
    results.add("about", "modelled processor", given.machine or "like this machine")
    results.add("about", "pairs of timed runs", given.runs)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("directory")
    options.add_argument("--only", default="", help="programs, with commas between them")
    options.add_argument("--machine", default="", help="the processor that is modelled; like this machine unless given")
    options.add_argument("--runs", type=int, default=10, help="pairs of timed runs")
    options.add_argument("--again", action="store_true", help="measure what was measured before, too")
    given = options.parse_args()
    study = Study(os.path.abspath(given.build), f"{ROOT}/build/study/proxies", given)
    chosen = [program for program in PROGRAMS if not given.only or program.name in given.only.split(",")]
    results = Results(given.directory)
    about(results, given)
    failed = 0
    for program in chosen:
        results.add("programs", program.name, program.language, program.kin, program.shown())
        for compiler in COMPILERS:
            print(f"  {program.name}, {compiler}", file=sys.stderr, flush=True)
            try:
                results.take(program, compiler, study.document(program, compiler))
            except RuntimeError as error:
                failed += 1
                print(f"run.py: {error}", file=sys.stderr, flush=True)
    sys.exit(1 if failed else 0)


main()
