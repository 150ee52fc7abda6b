"""programs.py: the study's programs: what they are built from, and what they are run on."""
import os
import shlex
import shutil

from hmmer2_headers import headers
from synthetic_inputs import Draw, words, write_family, write_files

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ["bzip2", "lua5.4", "hmmer2", "biosquid", "gnuchess"]
GAMES = ["fen r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
         "fen r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 4 11",
         "fen 8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/2R3P1/3r2K1/8 w - - 0 40"]
# One position after the other, without an opening book and with the smallest hash table.
CHESS = "setoption name OwnBook value false\nsetoption name Hash value 4\n" + "".join(f"position {game}\ngo depth {depth}\n" for game, depth in zip(GAMES, (5, 4, 7))) + "quit\n"


class Program:
    """`counted` are the sources in which something is counted; they are compiled each time, the `others` once."""

    def __init__(self, name, work, kin, arguments, counted, others, flags=(), libraries=(), language="C", stdin=None):
        self.name, self.work, self.kin, self.language = name, f"{work}/{name}", kin, language
        self.arguments, self.stdin, self.metrics = arguments, stdin, f"{HERE}/metrics/{name}.toml"
        self.counted, self.others, self.flags, self.libraries = counted, others, ["-O2", "-w", *flags], list(libraries)

    def shown(self):
        return " ".join([self.name, *self.arguments]) + (f" < {self.stdin}" if self.stdin else "")

    def write_build(self, build):
        """build.sh makes the program anew, relinked.sh with its parts in the opposite order. Objects of the other sources are made when they are missing."""
        compiler = f"{build}/tare-{'c++' if self.language == 'C++' else 'cc'}"
        made = [f"{self.work}/objects/{index:02}.o" for index in range(len(self.others))]
        lines = ["#!/bin/sh", "set -e", f"mkdir -p {self.work}/objects"]
        for source, one in zip(self.others, made):
            lines.append(f"[ -f {one} ] || env -u TARE_METRICS -u TARE_ONLY -u TARE_PLACEMENT {shlex.join([compiler, *self.flags, '-c', source, '-o', one])}")
        parts = [*self.counted, *made]
        os.makedirs(self.work, exist_ok=True)
        for name, order in (("build", parts), ("relinked", parts[::-1])):
            link = shlex.join([compiler, *self.flags, *order, "-o", f"{self.work}/{self.name}", *self.libraries])
            script = f"{self.work}/{name}.sh"
            with open(f"{script}.part", "w") as file:
                file.write("\n".join([*lines, link]) + "\n")
            os.chmod(f"{script}.part", 0o755)
            os.rename(f"{script}.part", script)


def split(directory, names, counted):
    paths = {name: f"{directory}/{name}" for name in names}
    return [paths[name] for name in names if name in counted], [paths[name] for name in names if name not in counted]


def listed(directory, ending, without=()):
    return sorted(name for name in os.listdir(directory) if name.endswith(ending) and name not in without)


def bzip2(work, sources):
    counted, others = split(f"{sources}/bzip2", [f"{name}.c" for name in ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")],
                            ["blocksort.c", "huffman.c", "compress.c", "bzlib.c", "bzip2.c"])
    return Program("bzip2", work, "bzip", ["-1", "-k", "-c", "text"], counted, others, ["-D_FILE_OFFSET_BITS=64"])


def lua(work, sources):
    directory = f"{work}/lua"
    write_files(directory, {"lua5.4-deb-multiarch.h": '#define DEB_HOST_MULTIARCH "none"\n'})
    counted, others = split(f"{sources}/lua5.4/src", listed(f"{sources}/lua5.4/src", ".c", ["luac.c"]),
                            ["lapi.c", "ldo.c", "lfunc.c", "lgc.c", "lmem.c", "lobject.c", "lstring.c", "lstrlib.c", "ltable.c", "ltablib.c", "lvm.c", "lauxlib.c"])
    # Without this, Lua seeds its hashes from addresses and the time.
    return Program("lua", work, "", ["phases.lua"], counted, others, [f"-I{directory}", "-DLUA_USE_POSIX", "-Dluai_makeseed(L)=2007u"], ["-lm"])


def hmmer2(work, sources):
    squid, hmmer, directory = f"{sources}/biosquid", f"{sources}/hmmer2/src", f"{work}/hmmer2"
    write_files(directory, headers(sources))
    names = ("alphabet", "core_algorithms", "debug", "display", "emit", "emulation", "fast_algorithms", "histogram", "hmmio", "mathsupport", "masks", "misc", "modelmakers",
             "plan7", "plan9", "postprob", "prior", "pvm", "threads", "tophits", "trace", "hmmsearch")
    counted, others = split(hmmer, [f"{name}.c" for name in names],
                            ["alphabet.c", "core_algorithms.c", "display.c", "fast_algorithms.c", "histogram.c", "hmmsearch.c", "mathsupport.c", "postprob.c", "tophits.c", "trace.c", "masks.c"])
    sqio, library = split(squid, [name for name in listed(squid, ".c", ["test_main.c"]) if not name.endswith("_main.c")], ["sqio.c", "sre_string.c"])
    # The two define functions of the same names, which would not conflict in a library.
    return Program("hmmer2", work, "", ["family.hmm", "mixed.fa"], sqio + counted, library + others, [f"-I{directory}", f"-I{squid}", f"-I{hmmer}", "-std=gnu89"], ["-lm", "-Wl,-z,muldefs"])


def gnuchess(work, sources):
    directory, engine = f"{work}/gnuchess", f"{sources}/gnuchess/src/engine"
    write_files(directory, {"config.h": '#define VERSION "6"\n', "configmake.h": '#define PKGDATADIR "."\n'})
    counted, others = split(engine, listed(engine, ".cpp", ["posix.cpp"]),
                            [f"{name}.cpp" for name in ("attack", "board", "eval", "list", "material", "move_check", "move_do", "move_evasion", "move_gen", "protocol", "search_full",
                                                        "see", "sort", "trans")])
    return Program("gnuchess", work, "sjeng", [], counted, [f"{HERE}/drivers/gnuchess.cc", *others], [f"-I{directory}", f"-I{sources}/gnuchess/src", f"-I{engine}"], ["-lpthread"], "C++", "games")


PROGRAMS = {"bzip2": bzip2, "lua": lua, "hmmer2": hmmer2, "gnuchess": gnuchess}


def write_inputs(directory):
    write_files(directory, {"text": words(60000), "games": CHESS})
    shutil.copy(f"{HERE}/drivers/phases.lua", f"{directory}/phases.lua")
    write_family(directory, 150)
    with open(f"{directory}/family.fa") as file:
        relatives = file.read().split(">")[1:]
    with open(f"{directory}/mixed.fa", "w") as file:
        file.write("".join(f">{one}" for one in mixed(relatives)))


def mixed(relatives, seed=7):
    """Ten relatives of the family, then three long proteins that are none, and so on."""
    draw, made = Draw(seed), []
    for at in range(0, len(relatives), 10):
        made += relatives[at:at + 10]
        made += [f"u{at + i:03}\n{''.join('ACDEFGHIKLMNPQRSTVWY'[draw.below(20)] for _ in range(60 + draw.below(300)))}\n" for i in range(3)]
    return made
