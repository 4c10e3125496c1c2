#!/usr/bin/env python3
"""How good a search strategy of kerlab is on recorded spaces: evaluations to 90, 95 and 99 % of the best, the best so
far after so many evaluations, and the score P against a random search, each with an interval over the seeds.

    score.py [--kerlab KERLAB] [--strategy surrogate] [--seeds 50] [--batch 1,16] [--csv CURVES.csv] FILE...

A file is a sweep of kerlab's, a cache file of Kernel Tuner or a T4 file; a word names shipped sweeps. Python 3.8, nothing
else.

P as autotuning_methodology has it, over evaluations instead of seconds: a space is searched until a random search is
expected 95 % of the way from the median to the best; after each evaluation up to there P is how much of what random
still lacks the strategy has found, (random - strategy) / (random - best), averaged. 1: it has the best at once; 0: it
is as random; below 0: worse.
"""
import argparse
import json
import random
import subprocess
import sys


def replay(kerlab, files, strategy, seeds, batch):
    command = [kerlab, "replay", "--json", "--runs", "--strategy", strategy, "--seeds", str(seeds), "--batch",
               str(batch), *files]
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)["spaces"]


def best_after(run, evaluations, start):
    """Best so far after 1, 2, ... evaluations; `start` before the first that did not fail."""
    curve, best, at = [], start, 0
    for done in range(1, evaluations + 1):
        while at < len(run) and run[at][0] <= done:
            best = run[at][1]
            at += 1
        curve.append(best)
    return curve


def mean(values):
    return sum(values) / len(values)


def quantile(values, share):
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def bootstrapped(values, statistic, share=0.95, draws=1000):
    """Interval of a statistic of the seeds."""
    draw = random.Random(1)
    found = [statistic([draw.choice(values) for _ in values]) for _ in range(draws)]
    return quantile(found, (1 - share) / 2), quantile(found, (1 + share) / 2)


class Scored:
    """One space, searched with every seed."""

    def __init__(self, space):
        self.space = space
        best, median, size = space["best_us"], space["median_us"], space["configurations"]
        cut_off = best + (median - best) * 0.05
        every_random = [best_after(run, size, median) for run in space["random_runs"]]
        expected = [mean(at) for at in zip(*every_random)]
        self.budget = next((i + 1 for i, cost in enumerate(expected) if cost <= cut_off), size)
        self.random = expected[:self.budget]
        self.curves = [best_after(run, self.budget, median) for run in space["runs"]]
        lacks = [max(cost - best, 1e-9 * best) for cost in self.random]
        self.scores = [mean([(r - c) / lack for r, c, lack in zip(self.random, curve, lacks)])
                       for curve in self.curves]

    def evaluations(self, share):
        """Of each seed, until the best is at most 1 / share of the cost."""
        wanted = self.space["best_us"] / share * (1 + 1e-12)
        return [next((done for done, cost in run if cost <= wanted), self.space["configurations"])
                for run in self.space["runs"]]


def print_space(scored):
    cells = [f"{scored.space['name']:<40} {scored.space['configurations']:>6}"]
    for share in (0.9, 0.95, 0.99):
        counts = scored.evaluations(share)
        low, high = bootstrapped(counts, lambda some: quantile(some, 0.5))
        cells.append(f"{quantile(counts, 0.5):6.0f} [{low:.0f}, {high:.0f}]".rjust(18))
    low, high = bootstrapped(scored.scores, mean)
    cells.append(f"{mean(scored.scores):6.3f} [{low:.3f}, {high:.3f}]".rjust(23))
    cells.append(f"{scored.budget:>7}")
    print(" ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kerlab", default="kerlab")
    parser.add_argument("--strategy", default="surrogate")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--batch", default="1,16", help="asked for at once; several are compared (default 1,16)")
    parser.add_argument("--csv", help="write the best so far after each evaluation, mean over the seeds, and random's")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    rows = []
    for batch in options.batch.split(","):
        spaces = [Scored(one) for one in replay(options.kerlab, options.files, options.strategy, options.seeds, batch)]
        print(f"{options.strategy}, {batch} at once, {options.seeds} seeds: median evaluations, and P, "
              "each with the 95 % interval over the seeds")
        print(f"{'space':<40} {'n':>6} {'to 90 %':>18} {'to 95 %':>18} {'to 99 %':>18} {'P':>23} {'budget':>7}")
        for scored in spaces:
            print_space(scored)
            for at, (cost, usual) in enumerate(zip(map(mean, zip(*scored.curves)), scored.random)):
                rows.append(f"{scored.space['name']},{batch},{at + 1},{cost:.6g},{usual:.6g},{scored.space['best_us']:.6g}")
        overall = [mean(by_seed) for by_seed in zip(*(scored.scores for scored in spaces))]
        low, high = bootstrapped(overall, mean)
        print(f"P of all {len(spaces)} spaces: {mean(overall):.3f} [{low:.3f}, {high:.3f}]\n")
    if options.csv:
        with open(options.csv, "w") as file:
            file.write("space,batch,evaluations,best_us_so_far,random_us_so_far,best_us\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
