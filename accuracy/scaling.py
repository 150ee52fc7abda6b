#!/usr/bin/env python3
"""scaling.py: replays of MPI programs beside their measured times.

scaling.py TARE DIRECTORY [--quick] [--store] [PROGRAM...]

Three comparisons, for all programs or those named:
  replayed      1, 2, 4 and 8 ranks on this machine: replay on its measured network against the recorded time
  extrapolated  8 ranks predicted from traces of 1, 2 and 4 (and a synthesized trace), against the replay of a trace of
                8, with a core for each rank
  predicted     2 ranks on slow networks (two network namespaces; needs root): from a trace of shared memory and the
                measured slow network, against the run there
--quick takes a few minutes: smaller programs, three runs each, one network with little bandwidth and one with a delay.
Prints tables, and writes DIRECTORY/scaling.json; --store also writes accuracy/results/scaling-MACHINE.csv. Exit
status 1 if the median error of the replayed is above 10 % or that of the predicted above 15 %.
"""
import argparse
import csv
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

import slow_networks

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE / "kernels"
MPICC = shutil.which("mpicc.openmpi") or "mpicc"
LAUNCHER = [slow_networks.MPIRUN, "--oversubscribe", "--bind-to", "none", "-n"]
RANKS = (1, 2, 4, 8)
GOALS = {"replayed": 10, "predicted": 15}
# P x Q of HPL
GRIDS = {1: (1, 1), 2: (1, 2), 4: (2, 2), 8: (2, 4)}

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {edge} 0 {edge} 0 {edge}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run {steps}
"""

# A box of water, eight times the one that GROMACS comes with.
WATER_RUN = """integrator = md
nsteps = {steps}
dt = 0.002
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
nstlog = 0
nstenergy = 0
"""
WATER_TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL {molecules}
"""


def run(words, work):
    words = [str(word) for word in words]
    done = subprocess.run(words, cwd=work, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def table(document, name):
    for block in document["blocks"]:
        if block.get("id") == name:
            columns = [column["name"] for column in block["columns"]]
            return [dict(zip(columns, row)) for row in block["rows"]]
    return []


def number(cell):
    return cell["value"] if isinstance(cell, dict) else cell


class Program:
    """`command(ranks)` is what to run; with `weak`, each rank has the same work whatever their number."""

    def __init__(self, command, weak=False):
        self.command = command
        self.weak = weak


def petsc_flags():
    places = sorted(pathlib.Path("/usr/lib/petscdir").glob("*/*-real/lib/pkgconfig"))
    environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, places))}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "petsc"], capture_output=True, text=True, env=environment)
    return flags.stdout.split() if flags.returncode == 0 else None


def programs(work, quick):
    """All that are installed; others are named on standard error."""
    stencil = work / "stencil"
    run([MPICC, "-O2", "-o", stencil, KERNELS / "mpi_stencil.c", "-lm"], work)
    steps = 100 if quick else 300
    found = {
        "stencil": Program(lambda ranks: [stencil, 2_000_000, steps]),
        "stencil-weak": Program(lambda ranks: [stencil, 1_000_000 * ranks, steps], weak=True),
        "stencil-small": Program(lambda ranks: [stencil, 20_000, 2_000 if quick else 10_000]),
    }
    if shutil.which("lmp"):
        (work / "in.melt").write_text(MELT.format(edge=10 if quick else 14, steps=100 if quick else 200))
        found["lammps-melt"] = Program(lambda ranks: ["lmp", "-in", "in.melt", "-log", "none"])
    else:
        print("lammps is not installed: left out", file=sys.stderr)
    if shutil.which("gmx_mpi"):
        found["gromacs-water"] = gromacs(work, 50 if quick else 200)
    else:
        print("gromacs is not installed: left out", file=sys.stderr)
    flags = petsc_flags()
    if flags:
        petsc = work / "petsc"
        run([MPICC, "-O2", "-o", petsc, KERNELS / "mpi_petsc.c", *flags], work)
        edge, products, solver = (50, 200, 100) if quick else (80, 300, 150)
        found["petsc-matmult"] = Program(lambda ranks: [petsc, "matmult", edge, products])
        found["petsc-cg"] = Program(lambda ranks: [petsc, "cg", edge, solver])
    else:
        print("PETSc is not installed: left out", file=sys.stderr)
    if shutil.which("hpcc"):
        found["hpcc"] = Program(lambda ranks: hpcc(work, ranks))
    else:
        print("hpcc is not installed: left out", file=sys.stderr)
    return found


def gromacs(work, steps):
    box = pathlib.Path("/usr/share/gromacs/top/spc216.gro")
    (work / "water.mdp").write_text(WATER_RUN.format(steps=steps))
    (work / "water.top").write_text(WATER_TOPOLOGY.format(molecules=8 * 216))
    run(["gmx", "-quiet", "genconf", "-f", box, "-nbox", 2, 2, 2, "-o", "water.gro"], work)
    run(["gmx", "-quiet", "grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr", "-maxwarn", 2], work)
    # One thread per rank, and the same work in every run: nothing is tuned or balanced while it runs.
    words = ["gmx_mpi", "-quiet", "-nobackup", "mdrun", "-s", "water.tpr", "-deffnm", "water_run", "-ntomp", 1, "-nb", "cpu"]
    return Program(lambda ranks: [*words, "-pin", "off", "-dlb", "no", "-notunepme", "-noconfout"])


def hpcc(work, ranks):
    lines = (KERNELS / "hpccinf.txt").read_text().splitlines()
    for line, name, size in ((10, "Ps", GRIDS[ranks][0]), (11, "Qs", GRIDS[ranks][1])):
        lines[line] = f"{size}            {name}"
    (work / "hpccinf.txt").write_text("\n".join(lines) + "\n")
    return ["hpcc"]


class Study:
    def __init__(self, tare, work, runs, quick):
        self.tare = os.path.abspath(tare)
        self.work = work
        self.runs = runs
        self.quick = quick
        self.programs = programs(work, quick)
        self.rows = []
        self.failed = []
        self.networks = {}
        self.here = {}  # the trace of two ranks on this machine

    def record(self, name, launcher, ranks, label):
        """Directories of as many runs as wanted."""
        traces = []
        for n in range(self.runs):
            trace = self.work / f"{name}-{ranks}-{label}-{n}"
            run([self.tare, "mpi", "-q", "-o", trace, "--", *launcher, ranks, *self.programs[name].command(ranks)], self.work)
            traces.append(trace)
        return traces

    def replay(self, traces, network, *options):
        return json.loads(run([self.tare, "replay", *traces, "--network", network, *options, "--json"], self.work))

    def fastest(self, name, launcher, ranks, label, network):
        """The trace of the fastest of several runs, and its time: other work only makes runs slower."""
        times = {trace: number(table(self.replay([trace], network), "result")[0]["recorded"]) for trace in self.record(name, launcher, ranks, label)}
        return min(times.items(), key=lambda item: item[1])

    def measure_network(self, launcher, label, ranks):
        """The file of the fastest of several measurements."""
        files = []
        for n in range(self.runs):
            file = self.work / f"{label}-{n}.toml"
            run([self.tare, "machine", "measure", "--network", "-o", file, "--", *launcher, ranks], self.work)
            files.append((latency(file), file))
        _, best = min(files)
        self.networks[label] = best.read_text()
        return best

    def show(self, kind, name, ranks, network, predicted, measured):
        value = number(predicted)
        error = 100 * (value / measured - 1)
        low, high = (predicted.get("low"), predicted.get("high")) if isinstance(predicted, dict) else (None, None)
        self.rows.append(
            {"comparison": kind, "program": name, "ranks": ranks, "network": network, "predicted": value, "low": low, "high": high, "measured": measured, "error": error}
        )
        interval = f"{low:.4g} to {high:.4g}" if low is not None and high is not None else "-"
        print(f"| {kind} | {name} | {ranks} | {network} | {value:.4g} | {interval} | {measured:.4g} | {error:+.1f} |", flush=True)

    def attempt(self, what, work):
        """One program that fails must not end the others."""
        try:
            work()
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            self.failed.append(what)
            print(f"{what}: {str(error)[:600]}", file=sys.stderr, flush=True)

    def this_machine(self, name, network, one_core_each):
        traces = {}
        for ranks in RANKS:
            traces[ranks], measured = self.fastest(name, LAUNCHER, ranks, "here", network)
            result = table(self.replay([traces[ranks]], network), "result")[0]
            self.show("replayed", name, ranks, "this machine", result["time"], measured)
        self.here[name] = traces[2]
        weak = ["--weak"] if self.programs[name].weak else []
        few = [traces[ranks] for ranks in RANKS[:-1]]
        document = self.replay(few, one_core_each, "--scale", RANKS[-1], "--burst", "cpu", *weak)
        largest = self.replay([traces[RANKS[-1]]], one_core_each, "--burst", "cpu")
        replayed = number(table(largest, "result")[0]["time"])
        for row in table(document, "scaling"):
            if row["ranks"] == RANKS[-1]:
                self.show(row["origin"], name, RANKS[-1], "this machine", row["time"], replayed)

    def slow(self, names, label, made):
        with made as launcher:
            launcher = [*launcher, "-n"]
            network = self.measure_network(launcher, label, 2)
            for name in names:
                self.attempt(f"{name} on {label}", lambda name=name: self.slow_program(name, launcher, network, label))

    def slow_program(self, name, launcher, network, label):
        _, measured = self.fastest(name, launcher, 2, label, network)
        # The prediction knows the trace of shared memory and the network only.
        predicted = table(self.replay([self.here[name]], network, "--ranks-per-node", 1), "result")[0]["time"]
        self.show("predicted", name, 2, label, predicted, measured)


def latency(network):
    """Microseconds of a network file."""
    line = next(line for line in network.read_text().splitlines() if line.startswith("latency"))
    return float(line.split('"')[1].removesuffix("us"))


def without_cores(network):
    """The same network file, with a core for each rank."""
    file = network.with_name("cores.toml")
    file.write_text("".join(line + "\n" for line in network.read_text().splitlines() if not line.startswith("cores")))
    return file


def finish(study, directory, store):
    failed = bool(study.failed)
    for kind in ("replayed", "extrapolated", "synthesized", "predicted"):
        errors = [abs(row["error"]) for row in study.rows if row["comparison"] == kind]
        if not errors:
            continue
        median = statistics.median(errors)
        goal = GOALS.get(kind)
        print(f"{kind}: median error {median:.1f} %, largest {max(errors):.1f} % of {len(errors)}" + (f", goal {goal} %" if goal else ""))
        failed = failed or (goal is not None and median > goal)
    if study.failed:
        print("failed: " + ", ".join(study.failed))
    about = {"machine": platform.machine(), "cores": os.cpu_count(), "runs": study.runs, "quick": study.quick}
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "scaling.json").write_text(json.dumps({**about, "networks": study.networks, "rows": study.rows}, indent=1))
    if store and study.rows:
        results = HERE / "results"
        results.mkdir(exist_ok=True)
        with open(results / f"scaling-{platform.machine()}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(study.rows[0]), lineterminator="\n")
            writer.writeheader()
            for row in study.rows:
                writer.writerow({key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()})
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tare")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        study = Study(options.tare, work, 3 if options.quick else 5, options.quick)
        names = options.programs or [name for name in study.programs if not (options.quick and name == "hpcc")]
        for name in names:
            if name not in study.programs:
                sys.exit(f"no such program: {name}; there are {', '.join(study.programs)}")
        print("| comparison | program | ranks | network | predicted (s) | interval (s) | measured (s) | error (%) |")
        print("| --- | --- | ---: | --- | ---: | --- | ---: | ---: |", flush=True)
        # More ranks than cores: what sharing a core costs is measured, too.
        network = study.measure_network(LAUNCHER, "this-machine", 2 * os.cpu_count())
        for name in names:
            study.attempt(name, lambda name=name: study.this_machine(name, network, without_cores(network)))
        if os.geteuid() == 0:
            rates = ("100mbit",) if options.quick else ("1gbit", "100mbit")
            for rate in rates:
                study.attempt(rate, lambda rate=rate: study.slow(names, rate, slow_networks.limited(work, rate)))
            for delay in (1000,) if options.quick else (200, 1000):
                study.attempt(f"{delay}us", lambda delay=delay: study.slow(names, f"{delay}us", slow_networks.delayed(work, delay)))
        else:
            print("Slow networks need root: skipped.", file=sys.stderr)
        sys.exit(finish(study, options.directory, options.store))


if __name__ == "__main__":
    main()
