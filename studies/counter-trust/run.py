#!/usr/bin/env python3
"""run.py: counts the study's programs by every engine, before and after control.

run.py BUILD DIRECTORY [--runs N] [--only PROGRAM,...]

BUILD is a build directory that has tare, tare-cc and its engines; the results go to DIRECTORY as CSV files. Every run is a tare of its own. The runs are interleaved: in each
round every program is counted by every engine, once before control and once after it. Nothing is timed, so other work on the machine does no harm.

before: addresses are random, the environment has another size and the directory another name in each run, each engine shows its own processor, and the hash seeds of Perl and
Python are random. after: what tare count holds fixed of itself, and the environment that it inherits is made 4,096 bytes large.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from synthetic_inputs import Draw  # noqa: E402
from programs import programs, write_inputs  # noqa: E402
from written import Tables, rows_of  # noqa: E402

ENVIRONMENT_BYTES = 4096
STATES = ("before", "after")
# Fixed, because programs read their environment and the instructions for that are counted.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"}
HEADERS = {
    "before": ["benchmark", "machine", "run", "count"],
    "after": ["benchmark", "machine", "run", "count"],
    "events": ["benchmark", "state", "run", "event", "count"],
    "causes": ["benchmark", "state", "machine", "reference", "cause", "difference", "where"],
    "repeated": ["benchmark", "instructions", "rep_instructions", "rep_iterations"],
    "about": ["what", "value"],
    "programs": ["benchmark", "group", "kin", "command"],
}


class Study:
    def __init__(self, build, work, results):
        self.tare, self.build, self.work, self.results = f"{build}/tare", build, work, results
        self.inputs, self.draw = f"{work}/inputs", Draw(2008)
        write_inputs(self.inputs)
        self.make_free_perl()
        self.make_built()

    def make_free_perl(self):
        """A perl that does not know the variable that tare sets: its seeds stay random."""
        with open(shutil.which("perl"), "rb") as file:
            code = file.read()
        self.free_perl = f"{self.work}/perl"
        with open(self.free_perl, "wb") as file:
            file.write(code.replace(b"PERL_HASH_SEED\0", b"FREE_HASH_SEED\0").replace(b"PERL_PERTURB_KEYS\0", b"FREE_PERTURB_KEYS\0"))
        os.chmod(self.free_perl, 0o755)

    def make_built(self):
        """bzip2, SQLite and Lua from Debian's sources, with counters in them."""
        self.built, sources = f"{self.work}/built", f"{ROOT}/build/sources"
        subprocess.run([f"{ROOT}/script/sources", sources, "bzip2", "lua5.4", "sqlite3"], check=True)
        os.makedirs(self.built, exist_ok=True)
        bzip2 = [f"{sources}/bzip2/{name}.c" for name in ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")]
        lua = sorted(f"{sources}/lua5.4/src/{name}" for name in os.listdir(f"{sources}/lua5.4/src") if name.endswith(".c") and name != "luac.c")
        with open(f"{self.built}/lua5.4-deb-multiarch.h", "w") as header:
            header.write('#define DEB_HOST_MULTIARCH "none"\n')
        sqlite = f"{sources}/sqlite3"
        if not os.path.exists(f"{sqlite}/sqlite3.c"):
            made = f"{self.work}/sqlite"
            os.makedirs(made, exist_ok=True)
            if not os.path.exists(f"{made}/shell.c"):
                subprocess.run(f"{sqlite}/configure -q >/dev/null 2>&1 && make sqlite3.c shell.c >/dev/null", shell=True, cwd=made, check=True)
            sqlite = made
        self.make("bzip2", bzip2, ["-D_FILE_OFFSET_BITS=64"], [])
        self.make("lua", lua, [f"-I{self.built}", "-DLUA_USE_POSIX"], ["-lm"])
        self.make("sqlite", [f"{sqlite}/sqlite3.c", f"{sqlite}/shell.c"], [f"-I{sqlite}"], ["-lm", "-lpthread", "-ldl"])

    def make(self, name, sources, flags, libraries):
        if os.path.exists(f"{self.built}/{name}"):
            return
        compiler, objects = [f"{self.build}/tare-cc", "--tare-blocks", "-O2"], []
        for source in sources:
            objects.append(f"{self.built}/{name}.{len(objects)}.o")
            subprocess.run([*compiler, "-w", *flags, "-c", source, "-o", objects[-1]], check=True)
        subprocess.run([*compiler, *objects, "-o", f"{self.built}/{name}", *libraries], check=True)

    def count(self, program, engines, state):
        """The document of one tare. Raises when the program failed."""
        command = list(program.command)
        with tempfile.TemporaryDirectory() as temporary:
            directory, environment, options = self.inputs, dict(ENVIRONMENT), []
            if state == "before":
                directory = f"{temporary}/{'f' * (1 + self.draw.below(120))}"
                os.symlink(self.inputs, directory)
                options = ["--aslr", "--native-view"]
                if program.seeds:
                    command = [self.free_perl, *command[1:]] if command[0] == "perl" else [command[0], "-R", *command[1:]]
            environment |= {"PWD": directory, "STUDY": ""}
            # As the kernel stores it: NAME=value and a zero byte.
            size = sum(len(name) + len(value) + 2 for name, value in environment.items())
            environment["STUDY"] = "x" * (self.draw.below(ENVIRONMENT_BYTES) if state == "before" else ENVIRONMENT_BYTES - size)
            if program.stdin:
                options += ["--input", program.stdin]
            line = [self.tare, "count", "-q", "--json", "--runs", "1", "--engine", ",".join(engines), *options, "--", *command]
            done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=directory, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"{program.name}, {engines}, {state}: status {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def measure(self, program, engine, state, run):
        for row in rows_of(self.count(program, [engine], state), "counts"):
            cell = row["instructions"]
            if cell["value"] is None or cell["verdict"] == "refused":
                raise RuntimeError(f"{program.name}, {engine}, {state}: {cell['reason']}")
            self.results.add(state, program.name, engine, run, int(cell["value"]))

    def events(self, program, state, run):
        """Page faults and switches of the kernel; instructions of the processor where it counts them."""
        document = self.count(program, ["kernel", "hardware"], state)
        for row in rows_of(document, "counts"):
            if row["engine"] == "hardware" and row["instructions"]["value"] is not None:
                self.results.add(state, program.name, "hardware", run, int(row["instructions"]["value"]))
        for row in rows_of(document, "events"):
            if row["event"] in ("page-faults", "context-switches") and row["count"]["value"] is not None:
                self.results.add("events", program.name, state, run, row["event"], int(row["count"]["value"]))

    def causes(self, program, state):
        """One tare with all engines: it says what is behind the differences."""
        document = self.count(program, program.engines, state)
        for row in rows_of(document, "ledger"):
            self.results.add("causes", program.name, state, row["engine"], row["reference"], row["cause"], int(row["difference"]["value"]), row["where"])
        if state == "after":
            first = rows_of(document, "counts")[0]
            self.results.add("repeated", program.name, *(first[name]["value"] for name in ("instructions", "rep_instructions", "rep_iterations")))

    def about(self, program):
        document = self.count(program, ["kernel", "hardware"], "after")
        self.results.add("about", "machine", document["provenance"]["machine"])
        self.results.add("about", "kernel", document["provenance"]["kernel"])
        self.results.add("about", "date", document["provenance"]["time"][:10])
        hardware = next((row["instructions"]["reason"] for row in rows_of(document, "counts") if row["engine"] == "hardware"), None)
        self.results.add("about", "hardware counters", hardware or "there are some")
        for state in STATES:
            for name, value in self.count(program, ["kernel"], state)["provenance"]["settings"].items():
                self.results.add("about", f"{state}: {name}", value)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("directory")
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--only", default="")
    given = options.parse_args()
    os.nice(10)
    # Programs inherit the disposition, and some read it; nohup sets the same.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    study = Study(os.path.abspath(given.build), f"{ROOT}/build/study", Tables(given.directory, HEADERS))
    chosen = [program for program in programs(study.built) if not given.only or program.name in given.only.split(",")]
    study.about(chosen[0])
    for program in chosen:
        study.results.add("programs", program.name, program.group, program.kin, program.shown())
    for run in range(1, given.runs + 1):
        for program in chosen:
            for state in STATES:
                for engine in program.engines:
                    study.measure(program, engine, state, run)
                study.events(program, state, run)
        print(f"  round {run} of {given.runs}", file=sys.stderr, flush=True)
    for program in chosen:
        for state in STATES:
            study.causes(program, state)


main()
