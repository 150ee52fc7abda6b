#!/usr/bin/env python3
"""prediction.py: how well does `tare predict --validate` predict this machine?

prediction.py TARE DIRECTORY [NAME...]

Builds accuracy/kernels in DIRECTORY, chooses repetitions so that each case takes about TARGET seconds natively, validates every case (those whose name contains one of the NAMEs, or all), prints a table, and writes
DIRECTORY/prediction.json with every document. Exit status 0 when the mean error is at most MEAN_GOAL and no memory-bound case is above WORST_GOAL.
"""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

TARGET = 0.25
MEAN_GOAL = 12.0
WORST_GOAL = 25.0
SIZES = [("L1", 16 << 10), ("L2", 512 << 10), ("L3", 16 << 20), ("memory", 256 << 20)]
KERNELS = ["triad", "spmv", "updates", "chase", "matmul", "stencil", "fft", "sort", "join"]
# Cubic work: larger ones take minutes under the engine.
MAX_BYTES = {"matmul": 16 << 20, "sort": 64 << 20}
MEMORY_BOUND = {"triad", "spmv", "updates", "chase", "stencil", "fft", "join", "petsc"}
SOURCE = pathlib.Path(__file__).parent / "kernels"


def build(directory):
    directory.mkdir(parents=True, exist_ok=True)
    flags = ["-O2", "-g", f"-ffile-prefix-map={SOURCE}=.", f"-ffile-prefix-map={os.getcwd()}=."]
    subprocess.run(["gcc", *flags, "-o", directory / "kernels", SOURCE / "kernels.c"], check=True)
    # Debian keeps PETSc's descriptions in a directory per variant.
    places = sorted(pathlib.Path("/usr/lib/petscdir").glob("*/*-real/lib/pkgconfig"))
    environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, places))}
    found = subprocess.run(["pkg-config", "--cflags", "--libs", "petsc"], capture_output=True, text=True, env=environment)
    if found.returncode != 0:
        print("PETSc is not installed: its cases are left out", file=sys.stderr)
        return False
    compiler = shutil.which("mpicc.openmpi") or "mpicc"
    subprocess.run([compiler, *flags, "-o", directory / "matmult", SOURCE / "matmult.c", *found.stdout.split()], check=True)
    return True


def seconds(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def repeated(command):
    """The command with repetitions such that it takes about TARGET seconds: setting up counts little."""
    count = 1
    while True:
        taken = seconds([*command, str(count)])
        if taken >= TARGET or count > 1 << 40:
            return [*command, str(count)]
        count = max(2 * count, int(count * min(TARGET / max(taken, 1e-3) * 1.1, 64)))


def cases(directory, has_petsc):
    for kernel in KERNELS:
        for level, size in SIZES:
            size = min(size, MAX_BYTES.get(kernel, size))
            yield f"{kernel} {level}", [directory / "kernels", kernel, str(size)], kernel in MEMORY_BOUND and level in ("L3", "memory"), True
    if has_petsc:
        for name, edge in (("petsc small", 20), ("petsc large", 100)):
            yield name, [directory / "matmult", str(edge)], True, True
    text = directory / "text"
    if not text.exists():
        text.write_bytes(b"".join(path.read_bytes() for path in sorted(pathlib.Path(__file__).parent.parent.glob("src/*/*/*.cc")))[: 4 << 20])
    if shutil.which("bzip2"):
        yield "bzip2", ["bzip2", "-kc", text], False, False
    if shutil.which("sqlite3"):
        query = (
            "create table t(a integer, b text); with recursive n(i) as (select 1 union all select i+1 from n where i < 60000) insert into t select i * 7919 % 100003, 'row ' || i from n;"
            "create index x on t(a); select count(*), sum(a) from t where a % 3 = 1; select max(length(t.b || u.b)) from t join t u on u.a = t.a + 1;"
        )
        yield "sqlite3", ["sqlite3", ":memory:", query], False, False


def block(document, name):
    return next(block for block in document["blocks"] if block["id"] == name)


def rows(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def main():
    tare, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    chosen = sys.argv[3:]
    has_petsc = build(directory)
    results, failed = [], []
    print(f"{'case':16} {'predicted':>10} {'interval':>21} {'measured':>10} {'error %':>8}  bound by", flush=True)
    for name, command, memory_bound, repeat in cases(directory, has_petsc):
        if chosen and not any(word in name for word in chosen):
            continue
        command = repeated([str(word) for word in command]) if repeat else [str(word) for word in command]
        done = subprocess.run([tare, "predict", "--validate", "--json", "--quiet", "--", *command], capture_output=True, text=True)
        if done.returncode != 0:
            failed.append(name)
            print(f"{name:16} failed: {done.stderr.strip()[-200:]}", flush=True)
            continue
        document = json.loads(done.stdout)
        row = rows(block(document, "validation"))[0]
        bounds = rows(block(document, "bounds"))
        predicted, measured, error = row["predicted"], row["measured"]["value"], row["error"]["value"]
        results.append({"case": name, "command": command, "memory_bound": memory_bound, "error": error, "document": document})
        low, high = (f"{predicted[end]:.4g}" if predicted[end] is not None else "?" for end in ("low", "high"))
        interval = f"{low} to {high}"
        print(f"{name:16} {predicted['value']:10.4g} {interval:>21} {measured:10.4g} {error:8.1f}  {bounds[0]['bound_by']}", flush=True)
    if not results:
        sys.exit("no case was validated")
    mean = sum(abs(result["error"]) for result in results) / len(results)
    bound = [result for result in results if result["memory_bound"]]
    worst = max((abs(result["error"]) for result in bound), default=0)
    print(f"\nmean error {mean:.1f} % of {len(results)} cases (goal {MEAN_GOAL:.0f} %); worst of {len(bound)} memory-bound ones {worst:.1f} % (goal {WORST_GOAL:.0f} %)")
    (directory / "prediction.json").write_text(json.dumps({"machine": platform.machine(), "cores": os.cpu_count(), "results": results}, indent=1))
    sys.exit(bool(failed) or mean > MEAN_GOAL or worst > WORST_GOAL)


if __name__ == "__main__":
    main()
