#!/usr/bin/env python3
"""figures.py: the table of docs/studies/compare.md from results.json: figures.py DIRECTORY"""
import json
import sys


def main():
    with open(f"{sys.argv[1]}/results.json") as file:
        results = json.load(file)
    lines = ["| program | first | second | tare compare: ratio | answer | layouts | hyperfine: ratio |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in results:
        ratio = row["tare"]["ratio"]
        lines.append(
            f"| {row['program']} | {row['first']} | {row['second']} | {ratio['value']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}] | {row['tare']['answer']} | {row['tare']['layouts']} "
            f"| {row['hyperfine']['ratio']:.3f} ± {row['hyperfine']['deviation']:.3f} |")
    with open(f"{sys.argv[1]}/table.md", "w") as target:
        target.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
