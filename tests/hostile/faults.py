"""Lets system calls of tare fail, one at a time, and checks how it ends.

A run without faults lists the system calls of tare's first thread. Then each of them, up to a number
of times per name, fails once with each error that it can have (strace --inject). A run holds if tare
ends by itself, not by a signal of its own, within the time limit; if its exit status differs from
the run without faults, a sentence on standard error must say why; and nothing may be left in the
directories for temporary files. Prints what held, by command. Exit status 1 if anything did not.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import limited_run  # noqa: E402

COMMANDS = {
    "count kernel": ["count", "-q", "--engine", "kernel", "--runs", "1", "--", "printf", "text"],
    "count valgrind": ["count", "-q", "--engine", "valgrind", "--runs", "1", "--", "printf", "text"],
    "count qemu": ["count", "-q", "--engine", "qemu", "--runs", "1", "--", "printf", "text"],
    "count step": ["count", "-q", "--engine", "step", "--runs", "1", "--", "{programs}/endings", "exit", "3"],
    "count virtual": ["count", "-q", "--engine", "virtual", "--machine", "two-levels", "--runs", "1", "--", "printf", "text"],
    "trace": ["trace", "-q", "-o", "series", "--", "printf", "text"],
    "profile": ["profile", "-q", "-o", "a.profile", "--", "printf", "text"],
    "compare": ["compare", "-q", "--no-counts", "--runs", "3", "true", "true x"],
    "sign": ["sign", "-q", "-o", "signature", "--", "printf", "text"],
    "events": ["events", "record", "-q", "--by", "valgrind", "-o", "events", "--", "printf", "text"],
    "mix": ["mix", "-q", "/bin/true"],
    "machine show": ["machine", "show", "zen2", "--save", "zen2.json"],
}
# What a system call may fail with; those that are not listed fail with EIO.
ERRORS = {
    # The kernel answers a failed brk with the old end.
    "brk": ["retval=0"], "mmap": ["ENOMEM"], "mremap": ["ENOMEM"], "munmap": [], "mprotect": ["ENOMEM"],
    "openat": ["EMFILE", "EIO"], "read": ["EIO"], "write": ["EIO", "ENOSPC"], "writev": ["ENOSPC"],
    "pread64": ["EIO"], "pwrite64": ["ENOSPC"], "ftruncate": ["ENOSPC"], "fallocate": ["ENOSPC"],
    "clone": ["EAGAIN"], "clone3": ["EAGAIN"], "fork": ["EAGAIN"], "vfork": ["EAGAIN"],
    "pipe2": ["EMFILE"], "dup": ["EMFILE"], "dup3": ["EMFILE"], "memfd_create": ["EMFILE", "ENOMEM"],
    "eventfd2": ["EMFILE"], "epoll_create1": ["EMFILE"], "timerfd_create": ["EMFILE"],
    "mkdirat": ["ENOSPC"], "mkdir": ["ENOSPC"], "ptrace": ["ESRCH", "EPERM"], "perf_event_open": ["EACCES", "EMFILE"],
    "sched_setaffinity": ["EINVAL"], "process_vm_readv": ["EPERM"], "pidfd_open": ["EMFILE"],
    "personality": ["EPERM"], "prctl": ["EINVAL"], "prlimit64": ["EPERM"], "execve": ["EACCES"],
    # A descriptor is closed even if close reports an error; an injected one would leave it open.
    "close": [],
    # What cannot fail, or not in a way that a program could answer.
    **{name: [] for name in ("exit_group", "exit", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "getpid", "gettid", "getuid", "geteuid", "getgid",
                             "getegid", "set_tid_address", "set_robust_list", "rseq", "futex", "wait4", "waitid", "ppoll", "poll", "clock_nanosleep",
                             "madvise", "restart_syscall", "sched_yield", "umask", "getppid", "getpgid", "setpgid", "arch_prctl", "kill", "tgkill")},
}
# With these, a sentence was written.
SENTENCE = re.compile(rb"^(tare|doubtful|refused)", re.M)


def run(words, directory, limit, inject=None, listing=None):
    """Output, errors and status; None if the limit was exceeded."""
    watched = ["strace", "-qq", "--signal=none"]
    if listing is not None:
        watched += ["-o", str(listing)]
    else:
        watched += ["-o", "/dev/null", "-e", "trace=none" if inject is None else f"inject={inject}"]
    environment = {"TMPDIR": str(directory / "tmp"), "HOME": str(directory), "XDG_STATE_HOME": str(directory / "state")}
    return limited_run.run(watched + words, directory, limit, environment)


def prepared(work):
    directory = pathlib.Path(tempfile.mkdtemp(dir=work))
    (directory / "tmp").mkdir()
    return directory


def fault_list(words, work, most, limit, generator):
    """Faults as strace names them, and how the command ends without one."""
    directory = prepared(work)
    listing = directory / "listing"
    ended = run(words, directory, limit, listing=listing)
    if ended is None:
        sys.exit(f"does not end without a fault: {' '.join(words)}")
    text = listing.read_text(errors="replace")
    shutil.rmtree(directory)
    # tare watches for ^C first; what is before that is the dynamic loader.
    start = re.search(r"^rt_sigaction\(SIGINT", text, re.M)
    if start is None:
        sys.exit("where tare begins is not known")
    called = re.compile(r"^(\w+)\(", re.M)
    names = collections.Counter(called.findall(text))
    before = collections.Counter(called.findall(text[:start.start()]))
    faults = []
    for name, count in sorted(names.items()):
        places = range(before[name] + 1, count + 1)
        if len(places) > most:
            places = sorted(generator.sample(places, most))
        for error in ERRORS.get(name, ["EIO"]):
            how = error if "=" in error else f"error={error}"
            faults += [f"{name}:{how}:when={place}" for place in places]
    return faults, ended


def fault(words, normal, inject, work, limit):
    """What was wrong, or an empty text."""
    directory = prepared(work)
    ended = run(words, directory, limit, inject=inject)
    try:
        if ended is None:
            return "did not end"
        output, errors, status = ended
        if status < 0 or status in (134, 135, 136, 139):
            return f"ended by signal {-status if status < 0 else status - 128}: {errors[-300:].decode(errors='replace')}"
        if status != normal[2] and not SENTENCE.search(errors):
            return f"status {status} instead of {normal[2]} without a sentence: {errors[-300:].decode(errors='replace')!r}"
        if status == normal[2] and status == 0 and b"text" in normal[0] and b"text" not in output:
            return f"the program's output was lost, status {status}: {errors[-300:].decode(errors='replace')!r}"
        left = [path.name for path in (directory / "tmp").iterdir()]
        # Where removing itself fails, something stays, which the next start removes.
        if left and not inject.startswith(("unlink", "rmdir", "getdents64", "openat", "newfstatat", "fstat", "lseek", "close", "fcntl", "read:", "brk", "mmap")):
            return f"left in TMPDIR: {left}"
        return ""
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=40, help="places of each system call and command (default: 40)")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a run (default: 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="commands whose name has this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    generator = random.Random(options.seed)
    tare = str(options.build.resolve() / "tare")
    programs = str(options.build.resolve() / "tests/programs")
    before = set(pathlib.Path("/dev/shm").glob("tare-*"))
    failures, total = 0, 0
    print(f"{'command':16} {'faults':>7} {'held':>7}", flush=True)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, command in COMMANDS.items():
            if options.only not in name:
                continue
            words = [tare] + [word.format(programs=programs) for word in command]
            faults, normal = fault_list(words, work, options.each, options.limit, generator)
            wrong = [(inject, what) for inject, what in zip(faults, pool.map(lambda inject: fault(words, normal, inject, work, options.limit), faults)) if what]
            print(f"{name:16} {len(faults):7} {len(faults) - len(wrong):7}", flush=True)
            for inject, what in wrong:
                print(f"    {inject}: {what}", flush=True)
            failures += len(wrong)
            total += len(faults)
    # Directories of measurements in shared memory: what a failed removal left goes at the next start
    # that is at least a minute later.
    if set(pathlib.Path("/dev/shm").glob("tare-*")) - before:
        time.sleep(62)
    subprocess.run([tare, "count", "-q", "--engine", "valgrind", "--runs", "1", "--", "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    time.sleep(0.2)
    left = set(pathlib.Path("/dev/shm").glob("tare-*")) - before
    print(f"{'all':16} {total:7} {total - failures:7}; left in /dev/shm after the next start: {len(left)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
