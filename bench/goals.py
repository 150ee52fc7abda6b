"""goals.py: compares figures with their goals, and runs the parts of a benchmark."""
import sys
import tempfile

missed = []


def check(what, met, text):
    print(f"  {what}: {text}: {'met' if met else 'MISSED'}")
    if not met:
        missed.append(what)


def check_max(what, value, limit, text=None):
    check(what, value <= limit, f"{text or f'{value:.2f}'}, goal: at most {limit:.3g}")


def finish():
    """Ends the program, with status 1 when a goal was missed."""
    if missed:
        print("Missed: " + ", ".join(missed))
    sys.exit(1 if missed else 0)


def run_parts(given, make):
    """make(work) gives an object with a method for each part of given.only, which takes given.rounds."""
    with tempfile.TemporaryDirectory() as work:
        bench = make(work)
        for part in given.only.split(","):
            getattr(bench, part)(given.rounds)
            print(flush=True)
    finish()
