"""Benchmarks of package testing by several builds that take turns, so that commits are compared in one run:

    python3 bench/turns.py [-rounds N] [-time 10ms] [-cells] PATTERN NAME=PROGRAM ...

runs the benchmarks that PATTERN selects by each PROGRAM, which `go test -c` built, N times in turns. A
NAME may be followed by a variable of the environment: new,DML_CPU=-vnni=/tmp/new.test. The figure of
a benchmark is the least of its turns. A line of the table has a group of benchmarks, those whose names
begin alike, up to the first part that is from=, and for each program the geometric mean of how many times
as long the last program takes. -cells adds the microseconds of each benchmark.
"""
import argparse
import collections
import math
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LINE = re.compile(r"Benchmark(\S+)\s+\d+\s+([\d.]+) ns/op")
parser = argparse.ArgumentParser()
parser.add_argument("-rounds", type=int, default=3)
parser.add_argument("-time", default="10ms")
parser.add_argument("-cells", action="store_true")
parser.add_argument("pattern")
parser.add_argument("programs", nargs="+")
args = parser.parse_args()
least = collections.defaultdict(dict)
names = []
for _ in range(args.rounds):
    for program in args.programs:
        name, path = program.rsplit("=", 1)
        names += [name] * (name not in names)
        variables = dict(v.split("=", 1) for v in name.split(",")[1:])
        out = subprocess.run([path, "-test.run", "-", "-test.bench", args.pattern, "-test.benchtime", args.time, "-test.cpu", "1"],
                             cwd=HERE, env={**os.environ, **variables}, check=True, capture_output=True, text=True).stdout
        for row, ns in LINE.findall(out):
            least[row][name] = min(float(ns), least[row].get(name, math.inf))
groups = collections.defaultdict(list)
for row, ns in least.items():
    if len(ns) == len(names):
        groups[row.split("/from=")[0]].append([ns[names[-1]] / ns[name] for name in names])
        if args.cells:
            print(row, *(f"{ns[name] / 1000:.1f}" for name in names))
print("|".join(["", " group ", " rows ", *(f" {name} " for name in names), ""]))
print("|---" * (len(names) + 2) + "|")
for group, ratios in groups.items():
    print("|".join(["", f" {group} ", f" {len(ratios)} ", *(f" {math.exp(sum(map(math.log, column)) / len(column)):.2f} " for column in zip(*ratios)), ""]))
