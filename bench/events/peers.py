"""peers.py: what an event costs in other tracers, where they are installed."""
import os
import shutil
import statistics
import subprocess


def lttng_costs(here, work, bursts, rounds):
    """Costs of an event and of two events by name; or why there are none."""
    if not shutil.which("lttng") or not shutil.which("lttng-sessiond"):
        return "lttng-tools is not installed"
    program = f"{work}/marked_lttng"
    built = subprocess.run(["cc", "-O2", "-DLTTNG", "-DLTTNG_UST_TRACEPOINT_CREATE_PROBES", f"-I{here}", f"{here}/marked.c", "-o", program,
                            "-llttng-ust", "-ldl"], capture_output=True, text=True)
    if built.returncode != 0:
        return "liblttng-ust-dev is not installed"
    home = f"{work}/lttng"
    os.makedirs(home, exist_ok=True)
    environment = dict(os.environ, LTTNG_HOME=home, HOME=home)
    pid_file = f"{home}/sessiond.pid"

    def lttng(*words):
        return subprocess.run(["lttng", "--no-sessiond", *words], env=environment, capture_output=True, text=True).returncode == 0

    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--pidfile", pid_file], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(50):
            if os.path.exists(pid_file) and lttng("list"):
                break
            subprocess.run(["sleep", "0.1"], check=True)
        good = lttng("create", "bench", f"--output={home}/trace") and lttng("enable-event", "-u", "tare_bench:*") and lttng("start")
        if not good:
            return "its session cannot be started"
        costs = {"event": [], "begin and end": []}
        for _ in range(rounds):
            for label, kind in (("event", "event"), ("begin and end", "span")):
                run = subprocess.run([program, "cost", kind, bursts], env=environment, stdout=subprocess.PIPE, check=True)
                costs[label].append(float(run.stdout))
        lttng("destroy", "bench")
        traced = any(os.path.getsize(os.path.join(path, name)) > 8192 for path, _, names in os.walk(f"{home}/trace") for name in names)
        if not traced:
            return "it recorded nothing"
        return {label: statistics.median(values) for label, values in costs.items()}
    finally:
        daemon.terminate()
        daemon.wait()


def uftrace_cost(here, root, work, rounds):
    """The cost of a traced call and return; or why there is none."""
    if not shutil.which("uftrace"):
        return "it is not installed"
    program = f"{work}/marked_pg"
    subprocess.run(["cc", "-O2", "-pg", f"-I{root}/engines/api", f"{here}/marked.c", "-o", program, "-lpthread"], check=True)
    calls, costs = "1000000", []
    for _ in range(rounds):
        record = ["uftrace", "record", "--no-libcall", "-d", f"{work}/uftrace", "-F", "called"]
        traced = subprocess.run([*record, program, "called", calls], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if traced.returncode != 0 or not traced.stdout:
            return "it cannot record"
        costs.append(float(traced.stdout.split()[0]))
    return {"call and return": statistics.median(costs)}
