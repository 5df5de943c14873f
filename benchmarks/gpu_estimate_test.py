"""gpu_estimate.py counts what the code does: its calls, blocks and products are those of gpu_counts, and its products
those of flops.hpp.

    python gpu_estimate_test.py <gpu_counts>
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gpu_estimate

GPU_COUNTS = None
# Small batches: a field goes through the stand-in number by number. 11 entries are no multiple of anything.
CASES = [("64", ["1", "11"]), ("256", ["2"]), ("24", ["3"]), ("64x64", ["1"]), ("24x40", ["2"])]


class Estimate(unittest.TestCase):
    def test_counts_are_those_of_the_code(self):
        for shape, batches in CASES:
            out = subprocess.run([GPU_COUNTS, shape, *batches], capture_output=True, text=True, check=True).stdout
            lines = [json.loads(line) for line in out.splitlines()]
            self.assertEqual(len(lines), 3 * len(batches))
            for counted in lines:
                if counted["task"] == "predict":
                    continue
                with self.subTest(**{key: counted[key] for key in ("shape", "batch", "task")}):
                    calls = gpu_estimate.calls_of(shape, counted["batch"], counted["task"])
                    ours = gpu_estimate.total(calls)
                    for key in ("launches", "blocks", "products", "product_flops", "transforms"):
                        self.assertEqual(ours[key], counted[key], key)
                    self.assertEqual(ours["product_flops"], counted["floor_products"])
                    step = gpu_estimate.Step([int(p) for p in shape.split("x")], counted["batch"])
                    each = step.rows * gpu_estimate.WIDTH  # numbers of one transform
                    self.assertEqual(ours["transforms"] * each, counted["transformed"])

    def test_a_call_takes_as_long_as_the_slowest_of_its_parts(self):
        card = gpu_estimate.Card("made up", fp32=1e12, tf32=8e12, bandwidth=1e11, launch=5e-6)
        call = lambda **what: gpu_estimate.Call("part", "name", **({"kind": "product", "bytes": 0} | what))
        self.assertEqual(call().seconds(card, False), 5e-6)
        self.assertAlmostEqual(call(bytes=1e6).seconds(card, False), 1e-5)
        self.assertAlmostEqual(call(flops=8e7).seconds(card, False), 8e-5)
        self.assertAlmostEqual(call(flops=8e7).seconds(card, True), 1e-5)
        self.assertAlmostEqual(call(kind="kernel", flops=8e7).seconds(card, True), 8e-5)

    def test_the_estimate_is_never_below_one_of_its_parts(self):
        card = gpu_estimate.CARDS["A100"]
        for shape, batch in gpu_estimate.SHAPES.items():
            for task in ("train", "forward"):
                e = gpu_estimate.estimate(gpu_estimate.calls_of(shape, batch, task), card)
                self.assertGreaterEqual(e["float"], max(e["launches"], e["bytes"], e["flops"]))
                self.assertGreaterEqual(e["float"], e["tf32"])
                self.assertIn(e["binds"], ("launches", "bytes", "flops"))


if __name__ == "__main__":
    GPU_COUNTS = sys.argv.pop()
    unittest.main()
