#!/usr/bin/env python3
"""events_bench.py: size and slow-down of event traces, cost of an event, speed of reading, and a long stream.

events_bench.py BUILD [--only sizes,slowdown,backfire,compiled,event,reading,samples,stream] [--rounds N] [--events N] [--sources DIRECTORY]

BUILD is a build directory that has tare, tare-cc and its engines.

sizes     blocks of five programs of Debian, recorded in full, predicted, by abstract execution and sampled; beside them zstd of the raw numbers.
slowdown  time of recording as a multiple of native, with a larger input; the median of the ratios of interleaved rounds.
backfire  programs and orders of blocks for which compression saves little or nothing.
compiled  bzip2 and sqlite3 built from Debian's sources by tare-cc and recorded: wall time as a multiple of the same program built by clang.
event     what a program pays for an event and a span of tare/events.h, beside two readings of the processor's counter, LTTng-UST and uftrace.
reading   MB/s of the file, expanded MB/s and events per second when whole traces are read: every event delivered, and tare events show.
samples   miss ratios of caches of five sizes from samples of an address trace, by k and P, beside those of the whole trace.
stream    a long stream of events of a program's source: what is lost, the memory of the collector, events per second.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from goals import check, check_max, run_parts  # noqa: E402
from inputs import queries, words  # noqa: E402
from peers import lttng_costs, uftrace_cost  # noqa: E402

SAMPLE = "1000/20000"


def spent(command, stdin=None, stdout=subprocess.DEVNULL):
    """Wall seconds, processor seconds and peak bytes of a command and the processes it waited for."""
    begin = time.monotonic()
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"events_bench: status {process.returncode}: {' '.join(command)}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def readable(size):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} B"


def times(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


class Bench:
    def __init__(self, given, work):
        self.given, self.work = given, work
        self.tare = f"{given.build}/tare"
        self.reader = f"{given.build}/bench/events/read_trace"

    def commands(self, size):
        """Five programs of Debian with an input of about so many bytes: a command and its standard input each."""
        text, script, lines = f"{self.work}/words", f"{self.work}/script.sql", f"{self.work}/lines"
        words(text, size)
        queries(script, size // 100)
        with open(text) as source, open(lines, "w") as target:
            target.write(source.read().replace(" ", "\n"))
        count = "while (<>) { $seen{$_}++ for split } print scalar(keys %seen), qq(\\n)"
        return {
            "bzip2": ([shutil.which("bzip2"), "-c", text], None),
            "gzip": ([shutil.which("gzip"), "-c", text], None),
            "sqlite3": ([shutil.which("sqlite3"), ":memory:"], script),
            "sort": ([shutil.which("sort"), "--parallel=1", lines], None),
            "perl": ([shutil.which("perl"), "-e", count, text], None),
        }

    def summary(self, *words_):
        out = subprocess.run([self.tare, "events", *words_], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        table = next(block for block in json.loads(out)["blocks"] if block.get("id") == "summary")
        return {row[0]: row[1]["value"] if isinstance(row[1], dict) else row[1] for row in table["rows"]}

    def marked(self):
        program = f"{self.work}/marked"
        subprocess.run(["cc", "-O2", f"-I{ROOT}/engines/api", f"{HERE}/marked.c", "-o", program, "-lpthread"], check=True)
        return program

    def record(self, output, *options):
        return [self.tare, "events", "record", "-q", "--by", "valgrind", "-o", output, *options, "--"]

    def sizes(self, _):
        ways = {"full": ["--encoding", "full"], "predicted": ["--encoding", "predicted"], "abstract": [], "sampled": ["--sample", SAMPLE]}
        columns = {"zstd1": "zstd 1", "zstd19": "zstd 19", "full": "full", "predicted": "predicted", "abstract": "abstract",
                   "sampled": f"sampled {SAMPLE}"}
        print("Size of block traces, and how many times smaller than raw that is\n")
        print("| program | blocks | raw | " + " | ".join(columns.values()) + " |\n| --- |" + " ---: |" * 8, flush=True)
        goals = []
        for program, (command, stdin) in self.commands(self.given.bytes).items():
            for way, options in ways.items():
                spent([*self.record(f"{self.work}/{way}.events", *options), *command], stdin)
            with open(f"{self.work}/raw", "wb") as raw:
                spent([self.reader, "dump", f"{self.work}/full.events"], stdout=raw)
            for level in (1, 19):
                spent(["zstd", "-q", "-f", f"-{level}", f"{self.work}/raw", "-o", f"{self.work}/zstd{level}.events"])
            about = self.summary("show", "--json", f"{self.work}/abstract.events")
            sizes = {way: os.path.getsize(f"{self.work}/{way}.events") for way in columns}
            cells = [f"{readable(sizes[way])}, {times(about['raw bytes'] / sizes[way])}" for way in columns]
            print(f"| {program} | {about['blocks']:,} | {readable(about['raw bytes'])} | " + " | ".join(cells) + " |", flush=True)
            if program in ("bzip2", "sqlite3"):
                goals.append((f"abstract trace of {program}, raw relative to it", about["raw bytes"] / sizes["abstract"], 50))
                goals.append((f"abstract trace of {program}, zstd relative to it", sizes["zstd1"] / sizes["abstract"], 5))
        print()
        for what, value, goal in goals:
            check(what, value >= goal, f"{value:.3g}, goal: at least {goal}")

    def slowdown(self, rounds):
        ways = {"valgrind --tool=none": None, "full": ["--encoding", "full"], "abstract": [], f"sampled {SAMPLE}": ["--sample", SAMPLE]}
        print("Time of recording as a multiple of native: processor time of tare and the program together; in brackets wall time\n")
        print("| program | native | " + " | ".join(ways) + " |\n| --- |" + " ---: |" * (1 + len(ways)), flush=True)
        for program, (command, stdin) in self.commands(self.given.time_bytes).items():
            ratios = {way: [] for way in ways}
            for _ in range(rounds):
                native = spent(command, stdin)
                for way, options in ways.items():
                    prefix = ["valgrind", "--tool=none", "-q"] if options is None else self.record(f"{self.work}/t.events", *options)
                    used = spent([*prefix, *command], stdin)
                    ratios[way].append((used[1] / native[1], used[0] / native[0]))
            cells = [f"{statistics.median(one[0] for one in ratios[way]):.1f} ({statistics.median(one[1] for one in ratios[way]):.1f})" for way in ways]
            print(f"| {program} | {native[1]:.2f} s | " + " | ".join(cells) + " |", flush=True)

    def backfire(self, _):
        """Programs without repetition: most blocks run once, or in random order."""
        source = f"{self.work}/random_calls.c"
        functions = 4000
        with open(source, "w") as file:
            file.write("#include <stdint.h>\nstatic volatile int sink;\n")
            for i in range(functions):
                file.write(f"__attribute__((noinline)) static void f{i}(void) {{ sink += {i}; }}\n")
            names = ", ".join(f"f{i}" for i in random.Random(1).sample(range(functions), functions))
            file.write(f"static void (*const table[])(void) = {{{names}}};\n")
            file.write("int main(int count, char** words) {\n  uint64_t state = 1; (void)words;\n  for (int i = 0; i < 2000000; ++i) {\n"
                       "    state = state * 6364136223846793005u + 1442695040888963407u;\n"
                       f"    if (count > 1) table[i % {functions}](); else table[(state >> 33) % {functions}]();\n  }}\n  return 0;\n}}\n")
        program = f"{self.work}/random_calls"
        subprocess.run(["cc", "-O1", source, "-o", program], check=True)
        once = f"{self.work}/once"
        with open(f"{once}.c", "w") as file:
            file.write("static volatile int x, y;\nvoid _start(void) {\n" + "  if (x == 1) y++;\n" * 20000)
            leave = 'mov $60, %eax; xor %edi, %edi; syscall' if os.uname().machine == "x86_64" else 'mov x8, #93; mov x0, #0; svc #0'
            file.write(f'  __asm__ volatile("{leave}");\n}}\n')
        subprocess.run(["cc", "-O1", "-static", "-nostdlib", "-ffreestanding", f"{once}.c", "-o", once], check=True)
        empty = f"{self.work}/empty"
        with open(f"{empty}.c", "w") as file:
            file.write(f'void _start(void) {{ __asm__ volatile("{leave}"); }}\n')
        subprocess.run(["cc", "-O1", "-static", "-nostdlib", "-ffreestanding", f"{empty}.c", "-o", empty], check=True)
        cases = {"a program of one block": [empty], "20,000 blocks that run once": [once], "true": ["/bin/true"], "calls in random order": [program], "the same calls in a fixed order": [program, "x"]}
        print("Where compression saves little: sizes, and how many times smaller than raw\n")
        print("| program | blocks | different blocks | raw | full (zstd 1) | abstract |\n| --- |" + " ---: |" * 5)
        for name, command in cases.items():
            sizes = []
            for options in (["--encoding", "full"], []):
                spent([*self.record(f"{self.work}/b.events", *options), *command])
                sizes.append(os.path.getsize(f"{self.work}/b.events"))
            about = self.summary("show", "--json", f"{self.work}/b.events")
            raw = about["raw bytes"]
            print(f"| {name} | {about['blocks']:,} | {about['different blocks']:,} | {readable(raw)} | "
                  + " | ".join(f"{readable(size)}, {times(raw / size)}" for size in sizes) + " |")

    def compiled(self, rounds):
        sources = os.path.abspath(self.given.sources)
        subprocess.run([f"{ROOT}/script/sources", sources, "bzip2"], check=True)
        names = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")
        files = [f"{sources}/bzip2/{name}.c" for name in names] + ["-D_FILE_OFFSET_BITS=64"]
        built = {}
        for way, compiler in {"native": ["clang-19"], "compiled": [f"{self.given.build}/tare-cc", "--tare-stream=blocks"]}.items():
            built[way] = f"{self.work}/bzip2.{way}"
            subprocess.run([*compiler, "-O2", "-w", *files, "-o", built[way]], check=True)
        arguments = self.commands(self.given.time_bytes)["bzip2"][0][1:]
        ratios = {"full": [], "abstract": [], "predicted": []}
        for _ in range(rounds):
            native = min(spent([built["native"], *arguments])[0] for _ in range(3))
            for way, values in ratios.items():
                record = [self.tare, "events", "record", "-q", "--by", "compiled", "--encoding", way, "-o", f"{self.work}/c.events", "--"]
                values.append(spent([*record, built["compiled"], *arguments])[0] / native)
        about = self.summary("show", "--json", f"{self.work}/c.events")
        print(f"bzip2 by tare-cc: {about['blocks']:,} blocks, raw {readable(about['raw bytes'])}, predicted {readable(os.path.getsize(f'{self.work}/c.events'))}")
        for way, values in ratios.items():
            print(f"  {way}: wall time {statistics.median(values):.2f} times native  [{min(values):.2f}, {max(values):.2f}]")
        check_max("predicted trace by the compiled engine, multiple of native", statistics.median(ratios["predicted"]), 5)

    def event(self, rounds):
        program = self.marked()
        record = [self.tare, "events", "record", "-q", "--by", "source", "-o", f"{self.work}/cost.events", "--"]
        bursts = "300"

        def ns(prefix, kind):
            return float(subprocess.run([*prefix, program, "cost", kind, bursts], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)

        costs = {}
        for _ in range(rounds):
            for kind in ("none", "clocks"):
                costs.setdefault(kind, []).append(ns([], kind))
            for kind in ("event", "span"):
                costs.setdefault(f"{kind}, not recorded", []).append(ns([], kind))
                costs.setdefault(kind, []).append(ns(record, kind))
        peers = {"LTTng-UST": lttng_costs(HERE, self.work, bursts, rounds), "uftrace": uftrace_cost(HERE, ROOT, self.work, rounds)}
        best = {kind: statistics.median(values) for kind, values in costs.items()}
        print(f"Cost of an event in ns, median of {rounds} rounds of {bursts} bursts of 4,000; the empty loop takes {best['none']:.2f} ns\n")
        print("| what | ns |\n| --- | ---: |")
        for label, kind in (("two readings of the processor's counter", "clocks"), ("TARE_EVENT", "event"), ("TARE_SPAN: begin and end", "span"),
                            ("TARE_EVENT, not recorded", "event, not recorded"), ("TARE_SPAN, not recorded", "span, not recorded")):
            print(f"| {label} | {best[kind]:.2f} |")
        for peer, result in peers.items():
            if isinstance(result, str):
                print(f"| {peer} | absent: {result} |")
            else:
                for label, value in result.items():
                    print(f"| {peer}: {label} | {value:.1f} |")
        print()
        check_max("event without a time, ns", best["event"], 3)
        check_max("span relative to two readings of the counter", best["span"] / best["clocks"], 1.3)

    def read(self, how, path, rounds):
        """Seconds of the quickest round, blocks, words, timed events, bytes."""
        out = subprocess.run([self.reader, how, path, str(rounds)], stdout=subprocess.PIPE, check=True).stdout.split()
        return float(out[0]), *map(int, out[1:5])

    def reading(self, rounds):
        command, stdin = self.commands(self.given.time_bytes)["bzip2"]
        short, _ = self.commands(self.given.bytes)["bzip2"]
        traces = {"blocks, full": (["--encoding", "full"], command), "blocks, predicted": (["--encoding", "predicted"], command),
                  "blocks, abstract": ([], command), "addresses, full": (["--encoding", "full", "--content", "addresses"], short),
                  "addresses, predicted": (["--encoding", "predicted", "--content", "addresses"], short)}
        paths = {}
        for name, (options, program) in traces.items():
            paths[name] = f"{self.work}/{name.replace(', ', '-')}.events"
            spent([*self.record(paths[name], *options), *program], stdin)
        paths["source events"] = f"{self.work}/source.events"
        spent([self.tare, "events", "record", "-q", "--by", "source", "-o", paths["source events"], "--", self.marked(), "stream", "20000000"])
        print("Reading of whole traces: bzip2, and events of a program's source; one thread\n\n"
              "| trace | events | file | expanded | | MB/s of the file | MB/s expanded | million events/s |\n| --- |" + " ---: |" * 3 + " --- |" + " ---: |" * 3)
        rates = {}
        for name, path in paths.items():
            for how in ("list", "count", "skip"):
                seconds, blocks, words_, timed, size = self.read(how, path, rounds)
                expanded, events = 4 * blocks + 8 * words_ + 16 * timed, blocks + timed
                if how == "count" and name != "blocks, full" or how == "skip" and not name.startswith("blocks"):
                    continue
                rates[name, how] = size / seconds / 1e6
                print(f"| {name} | {events:,} | {readable(size)} | {readable(expanded)} | {how} | {size / seconds / 1e6:.1f} | {expanded / seconds / 1e6:,.0f} | "
                      f"{events / seconds / 1e6:,.0f} |", flush=True)
        raw = f"{self.work}/raw"
        with open(raw, "wb") as target:
            spent([self.reader, "dump", paths["blocks, full"]], stdout=target)
        for peer in (["zstd", "-1"], ["lz4", "-1"]):
            packed = f"{raw}.{peer[0]}"
            spent([*peer, "-q", "-f", raw, packed] if peer[0] == "lz4" else [*peer, "-q", "-f", raw, "-o", packed])
            seconds = min(spent([peer[0], "-q", "-d", "-c", packed])[1] for _ in range(rounds))
            size, whole = os.path.getsize(packed), os.path.getsize(raw)
            print(f"| {' '.join(peer)} of the raw blocks, -d > /dev/null | | {readable(size)} | {readable(whole)} | | {size / seconds / 1e6:.1f} | {whole / seconds / 1e6:,.0f} | "
                  f"{whole / 4 / seconds / 1e6:,.0f} |", flush=True)
        print()
        for how, what in (("list", "every block delivered"), ("skip", "as tare events show")):
            rate = rates["blocks, full", how]
            check(f"reading of a full trace, {what}, MB/s of the file", rate >= 200, f"{rate:.0f}, goal: at least 200")

    def samples(self, _):
        for program in ("gzip", "sqlite3"):
            command, stdin = self.commands(self.given.bytes)[program]
            path = f"{self.work}/a.events"
            spent([*self.record(path, "--encoding", "full", "--content", "addresses"), *command], stdin)
            print(f"Miss ratios of {program} from samples: ", end="", flush=True)
            subprocess.run([f"{self.given.build}/bench/events/sampled_caches", path], check=True)
            print()

    def stream(self, _):
        program, count, path = self.marked(), self.given.events, f"{self.work}/s.events"
        wall, processor, peak = spent([self.tare, "events", "record", "-q", "--by", "source", "-o", path, "--", program, "stream", str(count)])
        about = self.summary("show", "--json", path)
        made = count + 2 * (count // 1000)
        print(f"Stream of {made:,} events: {wall:.1f} s, {made / wall / 1e6:.1f} million events per second, {processor:.1f} s of processor time, "
              f"{readable(os.path.getsize(path))}, peak memory {peak / 2**20:.1f} MiB")
        check("events that are neither stored nor counted as lost", about["events"] + about["lost"] == made, f"{made - about['events'] - about['lost']}")
        check("lost events", about["lost"] == 0, f"{about['lost']}")
        check_max("memory of the collector, MiB", peak / 2**20, 64)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="sizes,slowdown,backfire,compiled,event,reading,samples,stream")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=300_000, help="size of the programs' input where sizes are compared")
    parser.add_argument("--time-bytes", type=int, default=3_000_000, help="size of the programs' input where times are compared")
    parser.add_argument("--events", type=int, default=100_000_000, help="events of the stream")
    parser.add_argument("--sources", default="build/sources")
    given = parser.parse_args()
    given.build = os.path.abspath(given.build)
    run_parts(given, lambda work: Bench(given, work))


main()
