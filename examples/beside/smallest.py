#!/usr/bin/env python3
"""The smallest command for --beside: no package, no GPU. It answers each request with the time that Python itself takes
to make a list as long as the first tensor's last dimension.

  kerlab bench saxpy --variant all --beside "python3 examples/beside/smallest.py"
"""

import json
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    if request["protocol"] != "kerlab-beside-1":
        sys.exit(f"smallest.py: {request['protocol']} is unknown to it")
    extent = request["tensors"][0]["shape"][-1]
    samples = []
    for _ in range(request["rounds"]):
        begin = time.perf_counter()
        numbers = list(range(min(extent, 1000)))
        samples.append(1e6 * (time.perf_counter() - begin))
    row = {"name": "Python", "microseconds": samples, "note": f"a list of {len(numbers)} numbers, on the CPU"}
    print(json.dumps({"rows": [row]}), flush=True)
