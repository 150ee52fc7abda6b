#!/usr/bin/env python3
"""run.py: compilers, optimization levels and link orders, compared by `tare compare` and by hyperfine in the same hour.

run.py BUILD DIRECTORY [BUDGET]

Builds bzip2 and sqlite3 of Debian's sources, compares pairs of builds, and writes results.json to DIRECTORY. BUDGET (20s) is tare's for each pair; hyperfine gets as many runs.
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

BZIP2 = ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2"]


def run(command, **options):
    return subprocess.run(command, check=True, **options)


def build_bzip2(source, target, compiler, level, order=None):
    objects = []
    for name in BZIP2:
        made = f"{target}.{name}.o"
        run([compiler, level, "-D_FILE_OFFSET_BITS=64", "-c", f"{source}/{name}.c", "-o", made], stderr=subprocess.DEVNULL)
        objects.append(made)
    if order is not None:
        random.Random(order).shuffle(objects)
    run([compiler, "-o", target, *objects])


def build_sqlite(source, target, compiler, level):
    run([compiler, level, "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", f"{source}/sqlite3.c", f"{source}/shell.c", "-o", target, "-lm"], stderr=subprocess.DEVNULL)


def find_sqlite(directory):
    """The amalgamation: Debian's source builds it."""
    source = os.path.join(directory, "sources", "sqlite3")
    made = os.path.join(directory, "sqlite")
    if not os.path.exists(f"{made}/sqlite3.c"):
        os.makedirs(made, exist_ok=True)
        run([os.path.realpath(f"{source}/configure"), "--disable-tcl"], cwd=made, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run(["make", "sqlite3.c", "shell.c"], cwd=made, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made


def inputs(directory):
    generator = random.Random(1)
    words = ["".join(generator.choice("etaoinshrdlu") for _ in range(generator.randint(2, 9))) for _ in range(5000)]
    with open(f"{directory}/words", "w") as target:
        target.write(" ".join(generator.choice(words) for _ in range(150_000)))
    with open(f"{directory}/queries.sql", "w") as target:
        target.write("create table t(a integer, b text);\nbegin;\n")
        for i in range(20_000):
            target.write(f"insert into t values({generator.randrange(10**6)}, '{generator.choice(words)}');\n")
        target.write("commit;\nselect count(*), sum(a) from t where b like '%et%';\nselect b, count(*) from t group by b order by 2 desc limit 5;\n")


def tare_answer(tare, first, second, budget, source):
    done = run([tare, "compare", "--json", "--quiet", "--budget", budget, *source, first, second], capture_output=True, text=True)
    document = json.loads(done.stdout)
    tables = {block["id"]: block for block in document["blocks"]}
    row = tables["comparison"]["rows"][1]
    return {"text": tables["answer"]["text"], "ratio": row[2], "answer": row[3], "layouts": row[4], "runs": len(tables["samples"]["rows"]) // 2}


def hyperfine_answer(first, second, runs, source, directory):
    export = f"{directory}/hyperfine.json"
    run(["hyperfine", "-N", "--warmup", "2", "--runs", str(runs), "--export-json", export, *source, first, second], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(export) as file:
        a, b = json.load(file)["results"]
    ratio = b["mean"] / a["mean"]
    # What its summary prints: "x times faster, plus or minus".
    return {"ratio": ratio, "deviation": ratio * ((a["stddev"] / a["mean"]) ** 2 + (b["stddev"] / b["mean"]) ** 2) ** 0.5}


def main():
    build, directory = (os.path.abspath(word) for word in sys.argv[1:3])
    budget = sys.argv[3] if len(sys.argv) > 3 else "20s"
    os.makedirs(directory, exist_ok=True)
    run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../script/sources"), f"{directory}/sources", "bzip2", "sqlite3"])
    inputs(directory)
    bzip2, sqlite = f"{directory}/sources/bzip2", find_sqlite(directory)
    made = {}
    for compiler in ("gcc", "clang-19"):
        for level in ("-O2", "-O3"):
            made["bzip2", compiler, level] = f"{directory}/bzip2-{compiler}{level}"
            build_bzip2(bzip2, made["bzip2", compiler, level], compiler, level)
            made["sqlite3", compiler, level] = f"{directory}/sqlite3-{compiler}{level}"
            build_sqlite(sqlite, made["sqlite3", compiler, level], compiler, level)
    for order in (1, 2):
        made["bzip2", "gcc", f"order {order}"] = f"{directory}/bzip2-order{order}"
        build_bzip2(bzip2, made["bzip2", "gcc", f"order {order}"], "gcc", "-O2", order)
    pairs = []
    for program in ("bzip2", "sqlite3"):
        pairs.append((program, "gcc -O2", "gcc -O3", made[program, "gcc", "-O2"], made[program, "gcc", "-O3"]))
        pairs.append((program, "clang -O2", "clang -O3", made[program, "clang-19", "-O2"], made[program, "clang-19", "-O3"]))
        pairs.append((program, "gcc -O2", "clang -O2", made[program, "gcc", "-O2"], made[program, "clang-19", "-O2"]))
    pairs.append(("bzip2", "gcc, link order 1", "gcc, link order 2", made["bzip2", "gcc", "order 1"], made["bzip2", "gcc", "order 2"]))
    pairs.append(("bzip2", "gcc -O2", "itself", made["bzip2", "gcc", "-O2"], made["bzip2", "gcc", "-O2"]))
    results = []
    for program, first, second, a, b in pairs:
        source = ["--input", f"{directory}/queries.sql"] if program == "sqlite3" else []
        words = f" -c {directory}/words" if program == "bzip2" else " :memory:"
        answer = tare_answer(f"{build}/tare", a + words, b + words, budget, source)
        peer = hyperfine_answer(a + words, b + words, answer["runs"], source, directory)
        results.append({"program": program, "first": first, "second": second, "tare": answer, "hyperfine": peer})
        print(program, first, second, answer["text"], peer, flush=True)
    with open(f"{directory}/results.json", "w") as target:
        json.dump(results, target, indent=1)


if __name__ == "__main__":
    main()
