"""scaling.py: replays of MPI programs beside their measured times.

usage: scaling.py TARE BUILD [PROGRAM...]

Records programs with 1, 2, 4 and 8 ranks on this machine, measures its network, and compares replays
with the recorded times. As root it also makes two network namespaces with limited bandwidth, measures
that network, predicts the programs for it from traces of shared memory, and runs them there. Exits
with status 1 if the median error is above 10 % (this machine) or 15 % (slowed networks).
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
SUBNET = "10.77.0"
# Debian's name, whichever MPI is the default.
MPIRUN = shutil.which("mpirun.openmpi") or "mpirun"
MPICC = shutil.which("mpicc.openmpi") or "mpicc"
SPACES = ("tare-scaling-a", "tare-scaling-b")

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
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
run 200
"""


def run(words, work, check=True):
    done = subprocess.run(words, cwd=work, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


def table(document, name):
    for block in document["blocks"]:
        if block.get("id") == name:
            columns = [column["name"] for column in block["columns"]]
            return [dict(zip(columns, row)) for row in block["rows"]]
    return []


def number(cell):
    return cell["value"] if isinstance(cell, dict) else cell


class Study:
    def __init__(self, tare, build, work):
        self.tare = os.path.abspath(tare)
        self.work = work
        self.errors = {"this machine": [], "slowed": []}
        source = os.path.join(os.path.dirname(__file__), "kernels", "mpi_stencil.c")
        run([MPICC, "-O2", "-o", os.path.join(work, "stencil"), os.path.abspath(source), "-lm"], work)
        with open(os.path.join(work, "in.melt"), "w", encoding="utf-8") as file:
            file.write(MELT)
        self.programs = {
            "stencil": [os.path.join(work, "stencil"), "2000000", "300"],
            "stencil-small": [os.path.join(work, "stencil"), "20000", "20000"],
        }
        if shutil.which("lmp"):
            self.programs["lammps-melt"] = ["lmp", "-in", "in.melt", "-log", "none"]
        kernels = os.path.join(os.path.dirname(__file__), "kernels")
        hpcc = os.path.join(kernels, "hpccinf.txt")
        if shutil.which("hpcc") and os.path.exists(hpcc):
            shutil.copy(hpcc, work)
            self.programs["hpcc"] = ["hpcc"]

    def record(self, name, launcher, trace):
        shutil.rmtree(os.path.join(self.work, trace), ignore_errors=True)
        run([self.tare, "mpi", "-q", "-o", trace, "--", *launcher, *self.programs[name]], self.work)

    def replay(self, trace, *options):
        return json.loads(run([self.tare, "replay", trace, *options, "--json"], self.work))

    def show(self, kind, name, ranks, result):
        predicted = number(result["time"])
        recorded = number(result["recorded"])
        error = 100 * (predicted / recorded - 1)
        self.errors[kind].append(abs(error))
        print(f"| {kind} | {name} | {ranks} | {predicted:.4g} | {recorded:.4g} | {error:+.1f} |", flush=True)

    def this_machine(self, names):
        launcher = [MPIRUN, "--oversubscribe", "--bind-to", "none"]
        run([self.tare, "machine", "measure", "--network", "-o", "here.toml", "--", *launcher, "-n", "2"],
            self.work)
        for name in names:
            for ranks in (1, 2, 4, 8):
                self.record(name, [*launcher, "-n", str(ranks)], f"{name}-{ranks}")
                document = self.replay(f"{name}-{ranks}", "--network", "here.toml")
                self.show("this machine", name, ranks, table(document, "result")[0])

    def make_spaces(self, rate):
        a, b = SPACES
        self.remove_spaces()
        for command in (f"ip netns add {a}", f"ip netns add {b}",
                        f"ip link add tsa netns {a} type veth peer name tsb netns {b}",
                        f"ip -n {a} addr add {SUBNET}.1/24 dev tsa", f"ip -n {b} addr add {SUBNET}.2/24 dev tsb",
                        f"ip -n {a} link set tsa up", f"ip -n {b} link set tsb up",
                        f"ip -n {a} link set lo up", f"ip -n {b} link set lo up",
                        f"tc -n {a} qdisc add dev tsa root tbf rate {rate} burst 64kb latency 50ms",
                        f"tc -n {b} qdisc add dev tsb root tbf rate {rate} burst 64kb latency 50ms"):
            run(command.split(), self.work)
        agent = os.path.join(self.work, "agent")
        with open(agent, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nshift\nexec ip netns exec " + b +
                       " unshare -u sh -c \"hostname tare-b; $*\"\n")
        os.chmod(agent, 0o755)
        return ["ip", "netns", "exec", a, MPIRUN, "--host", f"{SUBNET}.1:4,{SUBNET}.2:4",
                "--mca", "plm_rsh_agent", agent, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", f"{SUBNET}.0/24", "--mca", "oob_tcp_if_include", f"{SUBNET}.0/24",
                "--bind-to", "none", "--map-by", "node"]

    def remove_spaces(self):
        for space in SPACES:
            run(["ip", "netns", "del", space], self.work, check=False)

    def slowed(self, names):
        for rate in ("1gbit", "100mbit"):
            launcher = self.make_spaces(rate)
            try:
                run([self.tare, "machine", "measure", "--network", "-o", f"{rate}.toml", "--", *launcher, "-n", "2"],
                    self.work)
                for name in names:
                    self.record(name, [*launcher, "-n", "2"], f"{name}-{rate}")
                    measured = table(self.replay(f"{name}-{rate}", "--network", f"{rate}.toml"), "result")[0]
                    # The prediction is from the trace of shared memory.
                    predicted = table(self.replay(f"{name}-2", "--network", f"{rate}.toml", "--ranks-per-node", "1"),
                                      "result")[0]
                    self.show("slowed", f"{name} at {rate}", 2,
                              {"time": predicted["time"], "recorded": measured["recorded"]})
            finally:
                self.remove_spaces()


def main():
    with tempfile.TemporaryDirectory() as work:
        study = Study(sys.argv[1], sys.argv[2], work)
        names = sys.argv[3:] or list(study.programs)
        print("| network | program | ranks | predicted (s) | measured (s) | error (%) |")
        print("| --- | --- | --- | --- | --- | --- |")
        study.this_machine(names)
        if os.geteuid() == 0:
            study.slowed(names)
        else:
            print("Slowed networks need root: skipped.", file=sys.stderr)
        failed = False
        for kind, limit in (("this machine", 10), ("slowed", 15)):
            errors = study.errors[kind]
            if errors:
                median = statistics.median(errors)
                print(f"{kind}: median error {median:.1f} %, largest {max(errors):.1f} %, goal {limit} %")
                failed = failed or median > limit
        sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
