#!/usr/bin/env python3
"""run.py: adds metrics to the study's programs one by one, finds groups of them, merges the groups, and judges runs to which nothing was added.

run.py BUILD DIRECTORY [--only PROGRAM,...] [--machine M] [--every N] [--again]

BUILD is a build directory that has tare, tare-cc and its engines; the results go to DIRECTORY as CSV files. What tare says is kept in build/study/perturbation and not asked
for again, unless --again is given. Nothing is timed, so other work on the machine does no harm.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from programs import PROGRAMS, SOURCES, write_inputs  # noqa: E402
from results import Results  # noqa: E402

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"}
RUNS, CONTROL, RELINKED, MOVED, BUDGET, TWICE = 26, 37, 5, 20, 60, 20  # RUNS + CONTROL + 1 (the run with the rarest metric): tare's 64 layouts
# The second run of each set has a different layout from the first and from those of the baseline.
ELSEWHERE = ["--stack-offset", "592", "--heap-offset", str(20 << 12)]
LEAST = {"0": ["--min-change", "0"], "default": []}


class Study:
    def __init__(self, build, work, given):
        self.build, self.tare, self.work, self.given = build, f"{build}/tare", work, given
        self.inputs = f"{work}/inputs"
        subprocess.run([f"{ROOT}/script/sources", f"{ROOT}/build/sources", *SOURCES], check=True)
        write_inputs(self.inputs)

    def program(self, name):
        program = PROGRAMS[name](self.work, f"{ROOT}/build/sources")
        program.write_build(self.build)
        return program

    def asked(self, program, step, command, options, operands):
        """What tare says; from the disk where it said it before. Its status is the program's where it runs one."""
        path = f"{program.work}/{step}.json"
        if not os.path.exists(path) or self.given.again:
            print(f"  {program.name}: {step}", file=sys.stderr, flush=True)
            line = [self.tare, "perturb", command, "-q", "--json", *options, *operands]
            done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.inputs, env=ENVIRONMENT)
            if not done.stdout.startswith("{"):
                raise RuntimeError(f"{program.name}, {step}: status {done.returncode}\n{done.stderr[-2000:]}")
            with open(f"{path}.part", "w") as file:
                file.write(done.stdout)
            os.rename(f"{path}.part", path)
        with open(path) as file:
            return json.load(file)

    def counting(self, program, script="build"):
        """Options of sweep and plan; the paths are seen from the directory of inputs."""
        return ["--build", f"../{program.name}/{script}.sh", "--metrics", program.metrics, "--machine", self.given.machine, *(["--input", program.stdin] if program.stdin else [])]

    def sweep(self, program):
        """Twice: an alarm that comes by chance does not come again."""
        command = ["--", f"../{program.name}/{program.name}", *program.arguments]
        options = [*self.counting(program), "--alone", "--random-orders", "1", "--seed", str(1 + list(PROGRAMS).index(program.name))]
        baseline = f"../{program.name}/baseline"
        first = self.asked(program, "sweep", "sweep", [*options, "--vary", "--runs", str(RUNS), "--every", str(self.given.every), "--save-baseline", baseline], command)
        return first, self.asked(program, "sweep again", "sweep", [*options, *ELSEWHERE, "--baseline", baseline], command)

    def plan(self, program, taking, suffix=""):
        directory = f"{program.work}/groups{suffix}"
        if self.given.again:
            shutil.rmtree(directory, ignore_errors=True)
        plan = self.asked(program, f"plan{suffix}", "plan", [*self.counting(program), *taking, "--budget", str(BUDGET), "-o", directory],
                          ["--", f"../{program.name}/{program.name}", *program.arguments])
        traces = sorted(glob.glob(f"{directory}/group-*.series"))
        merged = self.asked(program, f"merge{suffix}", "merge", ["--baseline", f"{directory}/baseline", "-o", f"{program.work}/all{suffix}.series"], traces) if traces else None
        return plan, merged

    def plans(self, program):
        """Against the baseline of one build; and against one in which every run is of a build of its own, with its code elsewhere, and so are the runs that it judges."""
        one = self.plan(program, ["--baseline", f"../{program.name}/baseline"])
        moved = self.plan(program, ["--vary", "--move-code", "--runs", str(RUNS), "--every", str(self.given.every)], ", code moved")
        return one, moved, self.control(program, "control, code moved", MOVED, baseline=f"../{program.name}/groups, code moved/baseline")

    def control(self, program, step, runs, more=(), script="build", baseline=None):
        """Runs with nothing added, in layouts that no run of the baseline has; the rarest metric goes with them, as a sweep wants one."""
        with open(program.metrics) as file:
            rarest = next(line.split('"')[1] for line in file if line.startswith("name"))
        options = [*self.counting(program, script), "--baseline", baseline or f"../{program.name}/baseline", "--add", rarest, "--control", str(runs)]
        return self.asked(program, step, "sweep", [*options, *more], ["--", f"../{program.name}/{program.name}", *program.arguments])

    def controls(self, program):
        """Of the program itself; and of one that differs only in the order in which its parts were linked."""
        made = {f"least {least}": self.control(program, f"control, least {least}", CONTROL, more) for least, more in LEAST.items()}
        return made | {"relinked": self.control(program, "relinked", RELINKED, script="relinked")}

    def methods(self, program):
        """The given order, and runs with nothing added, by the paper's method, too."""
        options = [*self.counting(program), "--baseline", f"../{program.name}/baseline", "--control", str(TWICE), "--method", "document"]
        return self.asked(program, "methods", "sweep", options, ["--", f"../{program.name}/{program.name}", *program.arguments])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("directory")
    options.add_argument("--only", default="", help="programs, with commas between them")
    options.add_argument("--machine", default="two-levels", help="the processor that is modelled")
    options.add_argument("--every", type=int, default=100_000, help="instructions from record to record")
    options.add_argument("--again", action="store_true", help="ask tare for what it said before, too")
    given = options.parse_args()
    os.nice(10)
    study = Study(os.path.abspath(given.build), f"{ROOT}/build/study/perturbation", given)
    results, failed = Results(given.directory), 0
    for name in PROGRAMS:
        if given.only and name not in given.only.split(","):
            continue
        try:
            program = study.program(name)
            sweeps, plans, controls = study.sweep(program), study.plans(program), study.controls(program)
            results.take(program, sweeps, plans, controls)
            results.take_methods(name, study.methods(program))
        except RuntimeError as error:
            failed += 1
            print(f"run.py: {error}", file=sys.stderr, flush=True)
    results.about(study, RUNS, BUDGET)
    sys.exit(1 if failed else 0)


main()
