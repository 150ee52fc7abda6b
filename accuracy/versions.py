#!/usr/bin/env python3
"""versions.py: what do `tare compare` and hyperfine say about builds of the same sources?

versions.py TARE DIRECTORY [NAME...]

Fetches bzip2 and sqlite3 from Debian's sources into DIRECTORY and builds each with gcc and clang, with -O2 and -O3, and with gcc -O2 linked in another order. Compares pairs of builds with tare compare and with hyperfine, one right
after the other, and prints both answers as a Markdown table (those whose name contains one of the NAMEs, or all). hyperfine claims a difference when the intervals mean +- 2 standard errors do not meet; it has no answer of its own.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

BZIP2 = ["bzip2", "bzlib", "blocksort", "compress", "crctable", "decompress", "huffman", "randtable"]
BUILDS = {"gcc -O2": ("gcc", "-O2", False), "gcc -O3": ("gcc", "-O3", False), "clang -O2": ("clang-19", "-O2", False), "clang -O3": ("clang-19", "-O3", False), "gcc -O2, linked in another order": ("gcc", "-O2", True)}
PAIRS = [("gcc -O2", "gcc -O3"), ("clang -O2", "clang -O3"), ("gcc -O2", "clang -O2"), ("gcc -O3", "clang -O3"), ("gcc -O2", "gcc -O2, linked in another order"), ("gcc -O2", "gcc -O2")]
BUDGET = "12s"
SQL = (
    "create table t(a integer, b text); with recursive n(i) as (select 1 union all select i+1 from n where i < 12000) insert into t select i * 7919 % 100003, 'row ' || i from n;"
    "create index x on t(a); select count(*), sum(a) from t where a % 3 = 1; select max(length(t.b || u.b)) from t join t u on u.a = t.a + 1;"
)


def build(directory, name, sources, options, libraries):
    """Objects per compiler and level, linked in the order of the list or in reverse. Programs have names of equal length."""
    programs = {}
    for number, (title, (compiler, level, other_order)) in enumerate(BUILDS.items()):
        objects = []
        place = directory / f"{name}-{compiler}{level}"
        place.mkdir(exist_ok=True)
        for source in sources:
            target = place / (source.stem + ".o")
            objects.append(target)
            if not target.exists():
                subprocess.run([compiler, level, "-w", *options, "-c", source, "-o", target], check=True)
        programs[title] = directory / f"{name}{number}"
        subprocess.run([compiler, *(reversed(objects) if other_order else objects), *libraries, "-o", programs[title]], check=True)
    return programs


def sqlite_sources(directory):
    place = directory / "sqlite-build"
    if not (place / "shell.c").exists():
        place.mkdir(exist_ok=True)
        subprocess.run([directory / "sqlite3" / "configure", "-q"], cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["make", "-s", "sqlite3.c", "shell.c"], cwd=place, check=True, stdout=subprocess.DEVNULL)
    return [place / "shell.c", place / "sqlite3.c"]


def of_tare(tare, first, second):
    done = subprocess.run([tare, "compare", "--json", "--quiet", "--no-counts", "--budget", BUDGET, first, second], capture_output=True, text=True, check=True)
    table = next(block for block in json.loads(done.stdout)["blocks"] if block["id"] == "comparison")
    row = dict(zip((column["name"] for column in table["columns"]), table["rows"][1]))
    ratio = row["ratio"]
    return f"{row['answer']}, {ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}]"


def of_hyperfine(directory, first, second):
    out = directory / "hyperfine.json"
    subprocess.run(["hyperfine", "-N", "--warmup", "3", "--min-runs", "40", "--export-json", out, first, second], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    one, two = json.loads(out.read_text())["results"]
    error = [2 * result["stddev"] / math.sqrt(len(result["times"])) for result in (one, two)]
    apart = abs(one["mean"] - two["mean"]) > sum(error)
    ratio = two["mean"] / one["mean"]
    spread = ratio * math.hypot(one["stddev"] / one["mean"], two["stddev"] / two["mean"])
    answer = "undecided" if not apart else "slower" if ratio > 1 else "faster"
    return f"{answer}, {ratio:.3f} ± {spread:.3f}"


def main():
    tare, directory, chosen = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    if shutil.which("hyperfine") is None:
        sys.exit("hyperfine is not installed")
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([pathlib.Path(__file__).parent.parent / "script" / "sources", directory, "bzip2", "sqlite3"], check=True)
    text = directory / "text"
    if not text.exists():
        text.write_bytes(b"".join(path.read_bytes() for path in sorted((directory / "sqlite3" / "src").glob("*.c")))[: 1 << 19])
    sources = [directory / "bzip2" / f"{name}.c" for name in BZIP2]
    cases = [
        ("bzip2", build(directory, "bzip2-", sources, ["-D_FILE_OFFSET_BITS=64"], []), f"-kc {text}"),
        ("sqlite3", build(directory, "sqlite", sqlite_sources(directory), ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"], ["-lm"]), f'":memory:" "{SQL}"'),
    ]
    print("| program | first | second | tare compare: second is | hyperfine: second is |\n| --- | --- | --- | --- | --- |")
    for name, programs, arguments in cases:
        for first, second in PAIRS:
            title = f"{name} {first} {second}"
            if chosen and not any(word in title for word in chosen):
                continue
            commands = [f"{programs[first]} {arguments}", f"{programs[second]} {arguments}"]
            print(f"| {name} | {first} | {second} | {of_tare(tare, *commands)} | {of_hyperfine(directory, *commands)} |", flush=True)


if __name__ == "__main__":
    main()
