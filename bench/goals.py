"""goals.py: figures held against what is wanted of them, and the parts of a benchmark."""
import sys
import tempfile

missed = []


def judge(what, kept, text):
    print(f"  {what}: {text}: {'kept' if kept else 'MISSED'}")
    if not kept:
        missed.append(what)


def judge_most(what, value, limit, text=None):
    judge(what, value <= limit, f"{text or f'{value:.2f}'}, wanted at most {limit:.3g}")


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
