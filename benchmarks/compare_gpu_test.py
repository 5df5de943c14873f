"""What of compare_gpu needs no GPU: its arguments, what it says where there is none, and how it joins results. The
results are made up by hand (compare/made_up)."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MADE_UP = HERE / "compare/made_up/gpu.jsonl"


def compare_gpu(*arguments):
    # Where there is a GPU, it is hidden.
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")
    command = [sys.executable, "-B", HERE / "compare_gpu", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def row(table, label):
    return next(line for line in table.splitlines() if line.startswith(f"| {label}"))


class CompareGpu(unittest.TestCase):
    def joined(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines.jsonl"
            path.write_text("".join(line + "\n" for line in lines))
            return compare_gpu("--join", path)

    def test_without_a_gpu_it_says_so_and_is_skipped(self):
        result = compare_gpu()
        self.assertEqual(result.returncode, 77)
        self.assertIn("no GPU", result.stdout)
        self.assertIn("nothing was measured", result.stdout)

    def test_arguments(self):
        self.assertEqual(compare_gpu("--help").returncode, 0)
        for wrong in (["--shapes", "65"], ["--precisions", "half"], ["--variants", "neuraloperator"], ["--roundz", "1"]):
            with self.subTest(wrong):
                result = compare_gpu(*wrong)
                self.assertEqual(result.returncode, 2)
                self.assertIn(wrong[0], result.stderr)

    def test_ratios_are_those_of_medians(self):
        result = compare_gpu("--join", MADE_UP)
        self.assertEqual(result.returncode, 0, result.stderr)
        in_float, in_tf32 = result.stdout.split("## made up by hand, tf32")
        self.assertIn("## made up by hand, float", in_float)
        self.assertIn("| | mno | default | graphs |", in_float)
        training = "64 points, batch 256: training step"
        self.assertEqual(row(in_float, training), f"| {training} | **2** | 5 (2.50×) | 1.5 (0.75×) |")
        self.assertEqual(row(in_tf32, training), f"| {training} | **1.6** | 4 (2.50×) | – |")
        self.assertIn("| **0.5** | 0.25 (0.50×) | – |", row(in_float, "64×64 points, batch 32: 256 draws"))

    def test_the_order_of_lines_does_not_matter(self):
        lines = MADE_UP.read_text().splitlines()
        tables = [self.joined(some).stdout for some in (lines, lines[::-1])]
        self.assertNotEqual(tables[0], "")
        words = [sorted(set(table.replace("|", "\n").split("\n"))) for table in tables]
        self.assertEqual(words[0], words[1])

    def test_lines_that_cannot_be_joined_are_refused(self):
        lines = MADE_UP.read_text().splitlines()
        other = json.dumps(json.loads(lines[1]) | {"device": "another"})
        zero = json.dumps(json.loads(lines[1]) | {"median_ms": 0})
        nameless = json.dumps({key: value for key, value in json.loads(lines[1]).items() if key != "side"})
        for some, sentence in (
            (lines[1:], "no result of mno"),
            (lines + lines[:1], "mno has two results"),
            (lines + [other], "no result of mno for device another"),  # no ratio between two devices
            (lines + ["{"], "is no line of JSON"),
            (lines + ["3"], "is no line of JSON"),
            ([zero], "median of 0 ms"),
            ([nameless], "does not say side"),
        ):
            with self.subTest(sentence):
                result = self.joined(some)
                self.assertEqual(result.returncode, 1)
                self.assertIn(sentence, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_sides_from_two_files_did_not_take_turns(self):
        lines = MADE_UP.read_text().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = Path(folder) / "ours", Path(folder) / "theirs"
            ours.write_text(lines[0] + "\n")
            theirs.write_text(lines[1] + "\n")
            result = compare_gpu("--join", ours, theirs)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("5 (2.50×)", result.stdout)
        self.assertIn("did not take turns", result.stdout)


if __name__ == "__main__":
    unittest.main()
