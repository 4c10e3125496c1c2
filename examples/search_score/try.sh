#!/usr/bin/env bash
# try.sh [KERLAB]: scores two strategies on a made-up space in Kernel Tuner's format: random must score 0, and one that
# learns must be better by more than chance.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kerlab=${1:-kerlab}
python3 --version >/dev/null 2>&1 || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work/made_up.json" <<'END'
import json, sys
cache = {}
for x in range(1, 13):
    for y in range(1, 13):
        for way in ("tree", "flat"):
            time = "InvalidConfig" if x * y > 120 else 1 + ((x - 9) ** 2 + (y - 4) ** 2) / 20 + (way == "flat") / 2
            cache[f"{x},{y},{way}"] = {"x": x, "y": y, "way": way, "time": time}
json.dump({"device_name": "made up", "kernel_name": "k", "tune_params_keys": ["x", "y", "way"], "cache": cache},
          open(sys.argv[1], "w"))
END
for strategy in random surrogate; do
  "$here/score.py" --kerlab "$kerlab" --strategy $strategy --seeds 20 --batch 1,16 --csv "$work/$strategy.csv" \
    "$work/made_up.json" | tee "$work/$strategy"
  test "$(grep -c '^P of all 1 spaces: ' "$work/$strategy")" = 2
done
head -n 1 "$work/random.csv" | grep -q '^space,batch,evaluations,best_us_so_far,random_us_so_far,best_us$'
python3 - "$work" <<'END'
import re, sys
def scores(strategy):
    return [tuple(map(float, re.findall(r"-?[0-9.]+", line.split(": ")[1])))
            for line in open(f"{sys.argv[1]}/{strategy}") if line.startswith("P of all")]
for score, low, high in scores("random"):
    assert abs(score) < 1e-6, score
for score, low, high in scores("surrogate"):
    assert low > 0, (score, low)
END
