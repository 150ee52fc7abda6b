#!/usr/bin/env python3
"""readers_bench.py: tare's readers of binaries beside libraries: speed, agreement, hostile files.

readers_bench.py BUILD [--only speed|agree|hostile] [--rounds N] [--mutants N] [--seed N] [--file FILE]...

BUILD is a build directory configured with -DTARE_BENCH_READERS=ON. Programs to read are compiled from bench/readers/sample.cc once; --file names more. Speed: every reader
runs in each of the interleaved rounds, in a process of its own; processor time of the reading alone counts. Agreement: the facts of each reader in one form, compared line by
line with tare's; docs/methods/binary-readers.md explains the known differences. Hostile: damaged files, each in a child process with limits.
"""
import argparse
import collections
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys

SOURCE = os.path.dirname(os.path.abspath(__file__))
CORPORA = os.path.join(SOURCE, "..", "..", "tests", "fuzz", "corpus")
DEBUG_READERS = ["tare", "elfutils", "llvm"]
CODE_READERS = ["tare", "zydis", "llvm", "capstone"]
MIB = 1024


def compiler(name, architecture):
    host = os.uname().machine
    if name == "clang":
        return ["clang++-19"] + ([] if architecture == host else [f"--target={architecture}-linux-gnu"])
    return ["g++" if architecture == host else f"{architecture}-linux-gnu-g++"]


def run(command, **options):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **options)


class Inputs:
    """Programs with debug information as compilers and tools produce it, made once."""

    def __init__(self, build):
        self.directory = os.path.join(build, "bench", "readers", "inputs")
        os.makedirs(self.directory, exist_ok=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def compiled(self, name, which, architecture, *flags):
        if not os.path.exists(self.path(name)):
            print(f"compiling {name}", file=sys.stderr)
            source = os.path.join(SOURCE, "sample.cc")
            run(compiler(which, architecture) + ["-std=c++20", "-O2", "-DMAIN", *flags, source, "-o", name], cwd=self.directory)
        return self.path(name)

    def changed(self, name, *command):
        if not os.path.exists(self.path(name)) and shutil.which(command[0]):
            run(command, cwd=self.directory)
        return self.path(name)

    def all(self):
        made = []
        for short, architecture in [("x86", "x86_64"), ("a64", "aarch64")]:
            made += [
                self.compiled(f"{short}-gcc-5", "gcc", architecture, "-g", "-static"),
                self.compiled(f"{short}-gcc-4", "gcc", architecture, "-gdwarf-4"),
                self.compiled(f"{short}-clang-5", "clang", architecture, "-g", *(["-static"] if short == "a64" else [])),
            ]
        made += [
            self.compiled("x86-clang-4", "clang", "x86_64", "-gdwarf-4", "-fdebug-types-section"),
            self.compiled("a64-clang-4", "clang", "aarch64", "-gdwarf-4", "-ffunction-sections", "-Wl,--gc-sections"),
            self.compiled("x86-clang-5-64", "clang", "x86_64", "-gdwarf64", "-gdwarf-5", "-gpubnames"),
            self.compiled("x86-clang-5-split", "clang", "x86_64", "-g", "-gsplit-dwarf"),
            self.compiled("x86-gcc-5-split", "gcc", "x86_64", "-g", "-gsplit-dwarf"),
        ]
        for kind in ["zlib", "zlib-gnu", "zstd"]:
            name = f"x86-clang-5-{kind}"
            made.append(self.changed(name, "objcopy", f"--compress-debug-sections={kind}", "x86-clang-5", name))
        made.append(self.changed("x86-gcc-4-debug", "objcopy", "--only-keep-debug", "x86-gcc-4", "x86-gcc-4-debug"))
        made.append(self.changed("x86-gcc-4-dwz", "dwz", "x86-gcc-4", "-o", "x86-gcc-4-dwz"))
        return [path for path in made if os.path.exists(path)]

    def words(self, count):
        """Random words as AArch64 code: valid, reserved and undefined encodings."""
        path = self.path("a64-words")
        if not os.path.exists(path):
            with open(self.path("words.bin"), "wb") as words:
                words.write(random.Random(1).randbytes(4 * count))
            with open(self.path("words.s"), "w") as source:
                source.write('.text\n.globl _start\n_start:\n.incbin "words.bin"\n')
            prefix = "" if os.uname().machine == "aarch64" else "aarch64-linux-gnu-"
            run([prefix + "as", "words.s", "-o", "words.o"], cwd=self.directory)
            run([prefix + "ld", "words.o", "-o", "a64-words"], cwd=self.directory)
            run([prefix + "strip", "a64-words"], cwd=self.directory)  # its symbols say that it is data
        return path


class Readers:
    def __init__(self, build):
        self.directory = os.path.join(build, "bench", "readers")

    def command(self, reader, task, *arguments):
        return [os.path.join(self.directory, f"readers_{reader}"), task, *arguments]

    def measure(self, reader, task, path):
        """Facts, processor ms, wall ms, peak MiB; nothing where the reader has no such task."""
        done = subprocess.run(self.command(reader, task, path), capture_output=True, text=True)
        if done.returncode != 0:
            return None
        count, processor, wall, memory = map(int, done.stdout.split())
        return count, processor / 1e6, wall / 1e6, memory / MIB

    def listed(self, reader, task, path):
        done = subprocess.run(self.command(reader, task, path, "--list"), capture_output=True, text=True, errors="replace")
        return done.stdout.splitlines() if done.returncode == 0 else None


def speed(readers, inputs, files, rounds):
    print(f"\nSpeed: processor time in ms, min / median of {rounds} interleaved rounds, and peak memory; ratio: median to tare's")
    print("| task | file | reader | facts | min | median | ratio | MiB |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for task in ["symbols", "lines", "functions", "sourcemap", "instructions", "registers"]:
        names = CODE_READERS if task in ["instructions", "registers"] else DEBUG_READERS
        for path in files:
            results = collections.defaultdict(list)
            for _ in range(rounds):
                for reader in names:
                    result = readers.measure(reader, task, path)
                    if result is not None and result[0] > 0:
                        results[reader].append(result)
            for reader, found in results.items():
                times = [one[1] for one in found]
                ratio = statistics.median(times) / statistics.median([one[1] for one in results["tare"]])
                memory = max(one[3] for one in found)
                print(f"| {task} | {os.path.basename(path)} | {reader} | {found[0][0]:,} | {min(times):.3g} | {statistics.median(times):.3g} | {ratio:.2f} | {memory:.0f} |", flush=True)


def compare_sets(ours, theirs):
    missing, extra = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
    return len(missing) + len(extra), [f"- {line}" for line in missing[:2]] + [f"+ {line}" for line in extra[:2]]


FIELDS = ["length", "branch", "target", "loads", "stores", "load bytes", "store bytes", "written registers"]


def split_instruction(line):
    facts, _, name = line.partition(" # ")
    address, *values = facts.split()
    return address, values, name


def by_number(counts):
    return sorted(counts.items(), key=lambda item: -item[1])


def compare_instructions(ours, theirs):
    """Differences by field and opcode. Registers differ when tare misses one that changes."""
    known = {address: (values, name) for address, values, name in map(split_instruction, theirs)}
    count, kinds, example = 0, collections.Counter(), {}
    for address, values, name in map(split_instruction, ours):
        if address not in known:
            kinds["boundaries", name, ""] += 1
            continue
        other, other_name = known[address]
        if "invalid" in (values[0], other[0]):
            if values != other:
                kinds["valid only here" if other[0] == "invalid" else "valid only there", name, other_name] += 1
            continue
        count += 1
        for field, mine, yours in zip(FIELDS, values, other):
            if "-" in (mine, yours) or mine == yours or (field == "written registers" and int(yours) & ~int(mine) == 0):
                continue
            kinds[field, name, other_name] += 1
            example.setdefault((field, name, other_name), f"{address}: {mine}, there {yours}")
    by_field = collections.Counter()
    for (field, _, _), number in kinds.items():
        by_field[field] += number
    lines = [f"{field}: {number:,}" for field, number in by_number(by_field)]
    lines += [f"  {field}: {name} ({other}) {number:,} {example.get((field, name, other), '')}" for (field, name, other), number in by_number(kinds)[:6]]
    return count, sum(by_field.values()), lines


def agree(readers, inputs, files):
    print("\nAgreement with tare")
    for task in ["symbols", "lines", "functions"]:
        for path in files:
            ours = readers.listed("tare", task, path)
            for reader in DEBUG_READERS[1:]:
                number, examples = compare_sets(ours, readers.listed(reader, task, path) or [])
                print(f"{task} {os.path.basename(path)} {reader}: {len(ours):,} facts, {number:,} differ", flush=True)
                for line in examples:
                    print(f"    {line[:180]}")
    chosen = [path for path in files if os.path.basename(path) in ("x86-gcc-5", "a64-gcc-5", "a64-clang-5")]
    for path in chosen + files[len(files) - len(ARGUMENTS.file):] + [inputs.words(1_500_000)]:
        ours = readers.listed("tare", "registers", path)
        for reader in CODE_READERS[1:]:
            theirs = readers.listed(reader, "registers", path)
            if not theirs:
                continue
            count, number, lines = compare_instructions(ours, theirs)
            print(f"instructions {os.path.basename(path)} {reader}: {count:,} compared, {number:,} differences", flush=True)
            for line in lines:
                print(f"    {line[:160]}")


def regions(bytes_):
    """(offset, size) of what readers interpret: debug sections, symbols, frames; and of the section headers."""
    headers = struct.unpack_from("<Q", bytes_, 40)[0]
    entry, count, names = struct.unpack_from("<HHH", bytes_, 58)
    table = [struct.unpack_from("<IIQQQQ", bytes_, headers + i * entry) for i in range(count)]
    texts = table[names][4]
    found = []
    for name, _, _, _, offset, size in table:
        text = bytes_[texts + name : bytes_.index(0, texts + name)]
        if size > 0 and text.startswith((b".debug", b".symtab", b".strtab", b".dynsym", b".eh_frame", b".rela")):
            found.append((offset, size))
    return found, (headers, entry * count)


def damaged(bytes_, generator):
    """A copy with flipped bits or overwritten fields, mostly where debug information is, or without its end."""
    copy = bytearray(bytes_)
    if generator.random() < 0.05:
        return bytes(copy[: generator.randrange(64, len(copy))])
    sections, headers = regions(bytes_)
    for _ in range(generator.choice([1, 2, 4, 16])):
        chance = generator.random()
        start, size = generator.choice(sections) if chance < 0.85 else headers if chance < 0.95 else (0, len(copy))
        at = start + generator.randrange(size)
        if generator.random() < 0.5:
            copy[at] ^= 1 << generator.randrange(8)
        else:
            value = generator.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", generator.randbytes(4)])
            copy[at : at + 4] = value[: len(copy) - at]
    return bytes(copy)


def hostile(readers, inputs, mutants, seed):
    small = [inputs.path("small-" + name) for name in ["x86-gcc", "x86-clang", "a64-gcc", "a64-clang", "zlib", "object"]]
    source = inputs.path("small.cc")
    if not os.path.exists(small[-1]):
        with open(source, "w") as text:
            text.write("#include <algorithm>\n#include <cstdlib>\nstatic int f(int x) { return std::max(x, 3) * std::abs(x - 9); }\nint main(int n, char**) { return f(n) + f(n * 2); }\n")
        for path, which, architecture, flags in [
            (small[0], "gcc", "x86_64", ["-gdwarf-5"]), (small[1], "clang", "x86_64", ["-gdwarf-5"]), (small[2], "gcc", "aarch64", ["-gdwarf-4"]),
            (small[3], "clang", "aarch64", ["-gdwarf-5"]), (small[4], "gcc", "x86_64", ["-g", "-Wl,--compress-debug-sections=zlib"]), (small[5], "gcc", "x86_64", ["-g", "-c"])]:
            run(compiler(which, architecture) + ["-O2", *flags, source, "-o", path])
    generator = random.Random(seed)
    directory = inputs.path("mutants")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    paths = [os.path.join(CORPORA, corpus, name) for corpus in ["elf", "dwarf", "code"] for name in sorted(os.listdir(os.path.join(CORPORA, corpus)))]
    originals = []
    for path in small:
        with open(path, "rb") as file:
            originals.append(file.read())
    for i in range(mutants):
        paths.append(os.path.join(directory, str(i)))
        with open(paths[-1], "wb") as file:
            file.write(damaged(originals[i % len(originals)], generator))
    everything, sample = inputs.path("mutants.txt"), inputs.path("sample.txt")
    with open(everything, "w") as text:
        text.write("".join(path + "\n" for path in paths))
    with open(sample, "w") as text:
        text.write("".join(path + "\n" for path in paths[:: max(1, len(paths) // ARGUMENTS.checked)]))
    print(f"\n{len(paths)} damaged files, seed {seed}: outcomes per reader and task")
    for task in ["symbols", "lines", "functions", "instructions"]:
        for reader in CODE_READERS if task == "instructions" else DEBUG_READERS:
            outcomes, slow, large = collections.Counter(), 0, 0
            first = {}
            for line in subprocess.run(readers.command(reader, task, "--each", everything), capture_output=True, text=True, errors="replace").stdout.splitlines():
                path, outcome, milliseconds, memory = line.split("\t")
                outcomes[outcome] += 1
                first.setdefault(outcome, path)
                slow = max(slow, int(milliseconds))
                large = max(large, int(memory))
            print(f"{task} {reader}: {dict(outcomes)}, slowest {slow} ms, largest {large // MIB} MiB", {key: os.path.basename(path) for key, path in first.items() if key != "ok"}, flush=True)
            if shutil.which("valgrind") and ARGUMENTS.checked > 0:
                environment = dict(os.environ, READERS_NO_LIMITS="1")
                command = ["valgrind", "-q", "--error-exitcode=99", "--log-file=/dev/null"] + readers.command(reader, task, "--each", sample)
                checked = collections.Counter(line.split("\t")[1] for line in subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment).stdout.splitlines())
                print(f"    under valgrind (status 99: invalid access or use of undefined data): {dict(checked)}", flush=True)


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--only", choices=["speed", "agree", "hostile"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mutants", type=int, default=3000)
    parser.add_argument("--checked", type=int, default=100, help="files read under valgrind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", action="append", default=[])
    ARGUMENTS = parser.parse_args()
    build = os.path.abspath(ARGUMENTS.build)
    readers, inputs = Readers(build), Inputs(build)
    made = inputs.all()
    if ARGUMENTS.only in (None, "speed"):
        timed = [path for path in made if os.path.basename(path) in ("x86-gcc-5", "x86-clang-5", "a64-gcc-5", "a64-clang-5")]
        speed(readers, inputs, timed + ARGUMENTS.file, ARGUMENTS.rounds)
    if ARGUMENTS.only in (None, "agree"):
        agree(readers, inputs, made + ARGUMENTS.file)
    if ARGUMENTS.only in (None, "hostile"):
        hostile(readers, inputs, ARGUMENTS.mutants, ARGUMENTS.seed)


main()
