#!/usr/bin/env python3
"""module_test.py PROGRAM: the module kerlab with the real program, on the emulated device."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import kerlab  # noqa: E402


class Arguments(unittest.TestCase):
    def test_keywords_are_options(self):
        options = {"M": 4096, "dry_run": True, "full": False, "seed": None, "variant": ["a", "b"], "time": 1.5}
        self.assertEqual(kerlab.arguments(options),
                         ["--M", "4096", "--dry-run", "--variant", "a", "--variant", "b", "--time", "1.5"])

    def test_a_dictionary_is_a_configuration(self):
        self.assertEqual(kerlab.arguments({"config": {"BM": 128, "SWAP": True}}), ["--config", "BM=128,SWAP=1"])


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lab = kerlab.Kerlab(device="emu:h200", db=str(Path(self.folder.name) / "lab.db"))

    def test_tune_bench_and_check_a_kernel(self):
        tuned = self.lab.tune("softmax", M=64, N=256, dtype="fp32", variant="row_per_block", trials=2)
        self.assertTrue(tuned.passed)
        winner = tuned["rows"][0]
        self.assertEqual(winner["trial"]["status"], "passed")
        timed = self.lab.bench("softmax", M=64, N=256, dtype="fp32", variant="row_per_block")["rows"][0]
        self.assertEqual(timed["trial"]["configuration"], winner["trial"]["configuration"])
        self.assertGreater(timed["measurement"]["median_us"], 0)
        self.assertTrue(self.lab.check("softmax", M=64, N=256, dtype="fp32", variant="row_per_block", only=True).passed)
        self.assertEqual(self.lab.run("db stats")["decisions"], 1)

    def test_a_wrong_kernel_is_a_document_with_its_exit_code(self):
        family = Path(self.folder.name) / "toy"
        self.lab.run("new", family)
        source = family / "simple.cu"
        text = source.read_text()
        wrong = text.replace("+ to_float(y", "- to_float(y")
        self.assertNotEqual(text, wrong)
        source.write_text(wrong)
        checked = self.lab.check(family, variant="simple", only=True)
        self.assertEqual(checked.exit_code, kerlab.WRONG)
        self.assertEqual(checked["failed"], 1)

    def test_what_cannot_be_done_is_an_error(self):
        with self.assertRaisesRegex(kerlab.Error, "did you mean 'softmax'") as raised:
            self.lab.tune("sofmax")
        self.assertEqual(raised.exception.exit_code, kerlab.USAGE)
        with self.assertRaisesRegex(kerlab.Error, "--trials"):
            self.lab.tune("softmax", trials="x")
        with self.assertRaisesRegex(kerlab.Error, "does not start"):
            kerlab.Kerlab("/nonexistent/kerlab").run("list")


if __name__ == "__main__":
    os.environ["KERLAB_PROGRAM"] = sys.argv.pop(1)
    unittest.main()
