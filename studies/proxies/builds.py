"""builds.py: the study's programs from Debian's sources, each by two compilers, without and with instrumentation."""
import glob
import os
import shutil
import subprocess

from hmmer2_headers import headers

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Valgrind 3.19 does not read clang's DWARF 5.
COMPILERS = {"gcc": ("gcc", "g++", ["-O2", "-g"]), "clang": ("clang-19", "clang++-19", ["-O2", "-g", "-gdwarf-4"])}
KINDS = {"vanilla": [], "instrumented": ["-finstrument-functions"]}
# clang passes its address to the hooks, but nothing defines it: it is always inlined, and its
# template is declared extern.
LOST = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17_M_use_local_dataEv"
SOURCES = ["bzip2", "gzip", "lua5.4", "sqlite3", "zstd", "hmmer2", "biosquid", "tinyxml2", "pugixml", "minisat2", "box2d", "leveldb", "snappy"]


class Recipe:
    """What is compiled and linked; `make` is instead a target of make, in a directory that is configured already."""

    def __init__(self, language, sources=(), flags=(), libraries=(), make=None):
        self.language, self.sources, self.flags, self.libraries, self.make = language, list(sources), list(flags), list(libraries), make


class Builds:
    def __init__(self, work):
        self.work, self.sources = work, f"{ROOT}/build/sources"
        os.makedirs(work, exist_ok=True)
        missing = [name for name in SOURCES if not os.path.exists(f"{self.sources}/{name}")]
        if missing:
            subprocess.run([f"{ROOT}/script/sources", self.sources, *missing], check=True)
        self.made = {}
        self.recipes = {name: getattr(self, f"recipe_{name}")() for name in
                        ("bzip2", "gzip", "lua", "sqlite3", "zstd", "hmmer2", "tinyxml2", "pugixml", "minisat", "box2d", "leveldb", "snappy")}

    def path(self, name, compiler, kind):
        return f"{self.work}/built/{compiler}/{kind}/{name}"

    def build(self, name, compiler, kind):
        program = self.path(name, compiler, kind)
        if os.path.exists(program):
            return program
        os.makedirs(os.path.dirname(program), exist_ok=True)
        recipe = self.recipes[name]
        c, cxx, flags = COMPILERS[compiler]
        flags = flags + KINDS[kind] + ["-w"]
        if recipe.make:
            self.run(["make", "-s", "clean"], cwd=recipe.make)
            tools = [f"CC={c}", f"CFLAGS={' '.join(flags)}"]
            self.run(["make", "-s", "-C", "lib", *tools], cwd=recipe.make)
            self.run(["make", "-s", *tools, name], cwd=recipe.make)
            shutil.copy(f"{recipe.make}/{name}", program)
            return program
        command = cxx if recipe.language == "C++" else c
        objects = f"{self.work}/objects/{compiler}/{kind}/{name}"
        os.makedirs(objects, exist_ok=True)
        parts = []
        for source in recipe.sources:
            parts.append(f"{objects}/{len(parts)}.o")
            self.run([command, *flags, *recipe.flags, "-c", source, "-o", parts[-1]])
        lost = [f"-Wl,--defsym={LOST}=main"] if (recipe.language, compiler, kind) == ("C++", "clang", "instrumented") else []
        self.run([command, *flags, *lost, *parts, "-o", f"{program}.part", *recipe.libraries])
        os.rename(f"{program}.part", program)
        shutil.rmtree(objects)
        return program

    @staticmethod
    def run(command, cwd=None):
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def glob(self, *patterns, without=()):
        found = sorted(path for pattern in patterns for path in glob.glob(f"{self.sources}/{pattern}"))
        return [path for path in found if not any(os.path.basename(path).startswith(name) for name in without)]

    def write(self, path, text):
        os.makedirs(os.path.dirname(f"{self.work}/{path}"), exist_ok=True)
        with open(f"{self.work}/{path}", "w") as file:
            file.write(text)

    def recipe_bzip2(self):
        names = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")
        return Recipe("C", [f"{self.sources}/bzip2/{name}.c" for name in names], ["-D_FILE_OFFSET_BITS=64"])

    def recipe_gzip(self):
        directory = f"{self.work}/gzip"
        if not os.path.exists(f"{directory}/Makefile"):
            os.makedirs(directory, exist_ok=True)
            self.run([f"{self.sources}/gzip/configure", "-q", "--disable-dependency-tracking"], cwd=directory)
        return Recipe("C", make=directory)

    def recipe_lua(self):
        self.write("lua/lua5.4-deb-multiarch.h", '#define DEB_HOST_MULTIARCH "none"\n')
        return Recipe("C", self.glob("lua5.4/src/*.c", without=["luac."]), [f"-I{self.work}/lua", "-DLUA_USE_POSIX"], ["-lm"])

    def recipe_sqlite3(self):
        directory = f"{self.work}/sqlite"
        if not os.path.exists(f"{directory}/shell.c"):
            os.makedirs(directory, exist_ok=True)
            self.run([f"{self.sources}/sqlite3/configure", "-q"], cwd=directory)
            self.run(["make", "sqlite3.c", "shell.c"], cwd=directory)
        return Recipe("C", [f"{directory}/sqlite3.c", f"{directory}/shell.c"], [f"-I{directory}", "-DSQLITE_THREADSAFE=0"], ["-lm"])

    def recipe_zstd(self):
        sources = self.glob("zstd/lib/common/*.c", "zstd/lib/compress/*.c", "zstd/lib/decompress/*.c", "zstd/programs/fileio*.c", "zstd/programs/zstdcli*.c",
                            "zstd/programs/timefn.c", "zstd/programs/util.c")
        without = ["-DZSTD_NOBENCH", "-DZSTD_NODICT", "-DZSTD_NOTRACE", "-DZSTD_DISABLE_ASM", "-DZSTD_LEGACY_SUPPORT=0", "-DXXH_NAMESPACE=ZSTD_"]
        return Recipe("C", sources, [f"-I{self.sources}/zstd/lib", f"-I{self.sources}/zstd/lib/common", *without])

    def recipe_hmmer2(self):
        squid, hmmer, directory = f"{self.sources}/biosquid", f"{self.sources}/hmmer2/src", f"{self.work}/hmmer2"
        for name, text in headers(self.sources).items():
            self.write(f"hmmer2/{name}", text)
        library = [path for path in self.glob("biosquid/*.c", without=["test_main"]) if not path.endswith("_main.c")]
        # The two define functions of the same names, which would not conflict in a library.
        names = ("alphabet", "core_algorithms", "debug", "display", "emit", "emulation", "fast_algorithms", "histogram", "hmmio", "mathsupport", "masks", "misc", "modelmakers",
                 "plan7", "plan9", "postprob", "prior", "pvm", "threads", "tophits", "trace", "hmmsearch")
        return Recipe("C", library + [f"{hmmer}/{name}.c" for name in names], [f"-I{directory}", f"-I{squid}", f"-I{hmmer}", "-std=gnu89"], ["-lm", "-Wl,-z,muldefs"])

    def recipe_tinyxml2(self):
        directory = f"{self.sources}/tinyxml2"
        return Recipe("C++", [f"{directory}/tinyxml2.cpp", f"{HERE}/drivers/tinyxml2.cc"], [f"-I{directory}", "-DNDEBUG"])

    def recipe_pugixml(self):
        directory = f"{self.sources}/pugixml/src"
        return Recipe("C++", [f"{directory}/pugixml.cpp", f"{HERE}/drivers/pugixml.cc"], [f"-I{directory}", "-DNDEBUG"])

    def recipe_minisat(self):
        sources = self.glob("minisat2/minisat/core/Solver.cc", "minisat2/minisat/simp/*.cc", "minisat2/minisat/utils/*.cc")
        return Recipe("C++", sources, ["-std=gnu++98", f"-I{self.sources}/minisat2", "-DNDEBUG", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS"], ["-lz"])

    def recipe_box2d(self):
        directory = f"{self.sources}/box2d"
        return Recipe("C++", self.glob("box2d/src/*/*.cpp") + [f"{HERE}/drivers/box2d.cc"], [f"-I{directory}/include", f"-I{directory}/src", "-DNDEBUG"])

    def recipe_leveldb(self):
        directory = f"{self.sources}/leveldb"
        sources = [path for path in self.glob("leveldb/table/*.cc", "leveldb/util/*.cc", "leveldb/helpers/memenv/memenv.cc")
                   if not path.endswith(("_test.cc", "testutil.cc", "env_windows.cc"))]
        flags = ["-std=c++17", f"-I{directory}", f"-I{directory}/include", "-DNDEBUG", "-DLEVELDB_PLATFORM_POSIX=1", "-DHAVE_FDATASYNC=1", "-DHAVE_O_CLOEXEC=1", "-DHAVE_SNAPPY=0", "-DHAVE_CRC32C=0"]
        self.write("leveldb/port/port_config.h", "")
        return Recipe("C++", sources + [f"{HERE}/drivers/leveldb.cc"], [*flags, f"-I{self.work}/leveldb"], ["-lpthread"])

    def recipe_snappy(self):
        directory = f"{self.sources}/snappy"
        with open(f"{directory}/snappy-stubs-public.h.in") as file:
            text = file.read().replace("${HAVE_SYS_UIO_H_01}", "1")
        for part in ("MAJOR", "MINOR", "PATCH"):
            text = text.replace(f"${{PROJECT_VERSION_{part}}}", "1")
        self.write("snappy/snappy-stubs-public.h", text)
        sources = [f"{directory}/{name}.cc" for name in ("snappy", "snappy-sinksource", "snappy-stubs-internal")] + [f"{HERE}/drivers/snappy.cc"]
        return Recipe("C++", sources, ["-std=c++17", f"-I{directory}", f"-I{self.work}/snappy", "-DNDEBUG", "-DHAVE_BUILTIN_CTZ=1", "-DHAVE_BUILTIN_EXPECT=1"])
