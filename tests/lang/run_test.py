#!/usr/bin/env python3
"""The runner of the language tests must itself notice every kind of failure. A stand-in for nlang prints what a
program's `// does` comments say."""
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import run

STAND_IN = r"""#!/usr/bin/env python3
import re, sys
text = open(next(word for word in sys.argv if word.endswith(".n")), encoding="utf-8").read()
for stream, line in re.findall(r"^// does (out|err) (.*)$", text, re.MULTILINE):
    print(line, file=sys.stdout if stream == "out" else sys.stderr)
sys.exit(int((re.findall(r"^// does exit (\d+)$", text, re.MULTILINE) or ["0"])[0]))
"""


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.nlang = self.folder / "nlang"
        self.nlang.write_text(STAND_IN, encoding="utf-8")
        self.nlang.chmod(self.nlang.stat().st_mode | stat.S_IXUSR)

    def faults(self, *lines):
        path = self.folder / "t.n"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = type("Options", (), {"nlang": self.nlang, "gc_stress": False, "carrier_stress": False, "quota": None, "carriers": None,
                                       "schedule_seed": None})
        return run.run_program(run.Program(path), options)[0]

    def test_output(self):
        good = ["// does out a", "x; // expect: a", "// does out  b ", "// expect:  b "]
        self.assertEqual(self.faults(*good), [])
        self.assertTrue(self.faults(*good, "// expect: c"))
        self.assertTrue(self.faults(*good, "// does out c"))
        self.assertTrue(self.faults("// does out b", "// does out a", "// expect: a", "// expect: b"))
        self.assertTrue(self.faults("// does out unexpected"))

    def test_exit_status(self):
        self.assertEqual(self.faults("// does exit 3", "// exit: 3"), [])
        self.assertTrue(self.faults("// exit: 3"))
        self.assertTrue(self.faults("// does exit 1"))

    def test_standard_error(self):
        self.assertTrue(self.faults("// does err noise"))
        said = ["// does err one", "// does err two"]
        self.assertEqual(self.faults(*said, "// expect error: ^one$", "// expect error: tw"), [])
        self.assertTrue(self.faults(*said, "// expect error: two", "// expect error: one"))
        self.assertTrue(self.faults(*said, "// expect error: three"))

    def test_diagnostics(self):
        said = ["x; // error[E0401]", "// does err t.n:1:1: error[E0401]: no", "// does exit 2"]
        self.assertEqual(self.faults(*said), [])
        self.assertEqual(self.faults("x; // error", *said[1:]), [])
        self.assertEqual(self.faults("// error: 1 E0401", *said[1:]), [])
        self.assertTrue(self.faults("x; // error[E0402]", *said[1:]))
        self.assertTrue(self.faults(*said, "y; // error"))
        self.assertTrue(self.faults(*said, "// does err t.n:1:2: error[E0401]: twice"))
        self.assertTrue(self.faults(*said, "// does err t.n:9:2: error[E0999]: unexpected"))
        self.assertEqual(self.faults(*said, "// does err t.n:1:2: warning[W0001]: not mentioned"), [])

    def test_diagnostics_order(self):
        said = ["x; // error", "y; // error", "// does exit 2"]
        late, early = "// does err t.n:2:1: error[E0401]: late", "// does err t.n:1:1: error[E0401]: early"
        self.assertEqual(self.faults(*said, early, late), [])
        self.assertTrue(self.faults(*said, late, early))

    def test_warnings(self):
        said = ["x; // warning[W0001]", "// does err t.n:1:1: warning[W0001]: hm"]
        self.assertEqual(self.faults(*said), [])
        self.assertTrue(self.faults(said[0]))
        self.assertTrue(self.faults(*said, "// does err t.n:2:1: warning[W0002]: unexpected"))

    def test_expectation_files(self):
        (self.folder / "t.out").write_text("from a file\n", encoding="utf-8")
        (self.folder / "t.exit").write_text("4\n", encoding="utf-8")
        self.assertEqual(self.faults("// does out from a file", "// does exit 4"), [])
        self.assertTrue(self.faults("// does out something else", "// does exit 4"))

    def test_no_programs_is_visible(self):
        done = subprocess.run([sys.executable, run.__file__, "--nlang", str(self.nlang), "--filter", "^nothing$"],
                              capture_output=True, text=True)
        self.assertIn("0 passed, 0 failed", done.stdout)


if __name__ == "__main__":
    unittest.main()
