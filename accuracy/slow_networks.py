"""slow_networks.py: two network namespaces joined by a slow link, for MPI programs (needs root).

Each network is a context manager that yields the words of a launcher: mpirun over TCP, one node in each
namespace. `limited` has a bandwidth (tc's token bucket), `delayed` a delay (kernels/delayed_link.c,
because not all kernels have netem).
"""
import contextlib
import os
import shutil
import subprocess

SPACES = ("tare-scaling-a", "tare-scaling-b")
SUBNET = "10.77.0"
DEVICE = "tarelink"
# Two packets: whatever passes at once is not limited, which a ping-pong would take for bandwidth.
BURST = "3100"
# Debian's name, whichever MPI is the default.
MPIRUN = shutil.which("mpirun.openmpi") or "mpirun"


def ip(text, check=True):
    done = subprocess.run(text.split(), capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{text}: {done.stderr.strip()}")


def remove():
    for space in SPACES:
        ip(f"ip netns del {space}", check=False)


@contextlib.contextmanager
def spaces():
    remove()
    try:
        for space in SPACES:
            ip(f"ip netns add {space}")
            ip(f"ip -n {space} link set lo up")
        yield SPACES
    finally:
        remove()


def launcher(directory):
    """mpirun in the first namespace; its daemon of the second node is started by a script instead of ssh."""
    a, b = SPACES
    agent = os.path.join(directory, "agent")
    with open(agent, "w", encoding="utf-8") as file:
        # The first argument is the host. Another host name makes it another node.
        file.write(f'#!/bin/sh\nshift\nexec ip netns exec {b} unshare -u sh -c "hostname tare-b; $*"\n')
    os.chmod(agent, 0o755)
    settings = {
        "plm_rsh_agent": agent,
        "pml": "ob1",
        "btl": "tcp,self",
        "btl_tcp_if_include": f"{SUBNET}.0/24",
        "oob_tcp_if_include": f"{SUBNET}.0/24",
        # The link's own process needs a core now and then.
        "mpi_yield_when_idle": "1",
    }
    words = ["ip", "netns", "exec", a, MPIRUN, "--host", f"{SUBNET}.1:4,{SUBNET}.2:4", "--bind-to", "none", "--map-by", "node"]
    for name, value in settings.items():
        words += ["--mca", name, value]
    return words


def bring_up(device):
    for number, space in enumerate(SPACES, 1):
        ip(f"ip -n {space} addr add {SUBNET}.{number}/24 dev {device}")
        ip(f"ip -n {space} link set {device} up")


@contextlib.contextmanager
def limited(directory, rate):
    """A link of this rate, as tc writes it."""
    with spaces() as (a, b):
        ip(f"ip link add {DEVICE} netns {a} type veth peer name {DEVICE} netns {b}")
        bring_up(DEVICE)
        for space in (a, b):
            ip(f"tc -n {space} qdisc add dev {DEVICE} root tbf rate {rate} burst {BURST} latency 50ms")
        yield launcher(directory)


@contextlib.contextmanager
def delayed(directory, microseconds):
    """A link on which each packet takes that much longer."""
    program = os.path.join(directory, "delayed_link")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels", "delayed_link.c")
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    with spaces() as (a, b):
        link = subprocess.Popen([program, a, b, DEVICE, str(microseconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            if link.stdout.readline() != "ready\n":
                raise RuntimeError("the delayed link did not start")
            bring_up(DEVICE)
            yield launcher(directory)
        finally:
            link.stdin.close()
            link.wait()
