"""The rules of scripts/try_suite: what counts as the same output, which folders are programs, which arguments they get."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from suite.beside import beside_nvcc
from suite.building import Builder
from suite.comparison import Incomparable, compare
from suite.compiler import for_clang, without_architectures
from suite.devices import Comparison as Devices
from suite.devices import table, threads_verdict
from suite.outcome import Outcome
from suite.running import Run, find_arguments, smaller
from suite.tree import Tree


def printed(*texts, **other):
    return [Run(stdout=text, **other) for text in texts]


class Comparison(unittest.TestCase):
    def test_same(self):
        self.assertIsNone(compare(printed("a 1\n", "a 1\n"), Run(stdout="a 1\n")))

    def test_number(self):
        self.assertIn("line 2", compare(printed("x\na 1\n", "x\na 1\n"), Run(stdout="x\na 2\n")))

    def test_word(self):
        self.assertIn("line 1", compare(printed("PASS\n", "PASS\n"), Run(stdout="FAIL\n")))

    def test_number_that_varies(self):
        plain = printed("pid 17 sum 5\n", "pid 18 sum 5\n")
        self.assertIsNone(compare(plain, Run(stdout="pid 19 sum 5\n")))
        self.assertIn("line 1", compare(plain, Run(stdout="pid 19 sum 6\n")))

    def test_time(self):
        plain = printed("kernel took 3 ms\nsum 5\n", "kernel took 3 ms\nsum 5\n")
        self.assertIsNone(compare(plain, Run(stdout="kernel took 99.5 ms\nsum 5\n")))
        self.assertIn("line 2", compare(plain, Run(stdout="kernel took 99.5 ms\nsum 4\n")))

    def test_times_in_columns(self):
        plain = printed("|  77 ns |  29 ns |\nsum   5\n", "|  78 ns |  31 ns |\nsum   5\n")
        self.assertIsNone(compare(plain, Run(stdout="| 123 ns |   9 ns |\nsum   5\n")))
        self.assertIn("line 2", compare(plain, Run(stdout="|  77 ns |  29 ns |\nsum 5\n")))

    def test_times_in_words(self):
        for line in (" {} s, 8.05 % : COPY DATA\n", "SENDING TOOK: {}\n"):
            plain = printed(line.format("0.25"), line.format("0.25"))
            self.assertIsNone(compare(plain, Run(stdout=line.format("   0.5"))))
            self.assertIn("line 1", compare(plain, Run(stdout=line.format("0.25").replace("D", "E"))))

    def test_nan(self):
        self.assertIn("line 1", compare(printed("sum 5\n", "sum 5\n"), Run(stdout="sum nan\n")))

    def test_lines(self):
        self.assertIn("missing", compare(printed("a\nb\n", "a\nb\n"), Run(stdout="a\n")))
        self.assertIn("more", compare(printed("a\n", "a\n"), Run(stdout="a\nb\n")))

    def test_status(self):
        self.assertIn("exit status 1", compare(printed("", ""), Run(status=1)))

    def test_files(self):
        plain = printed("", "", files={"out.txt": b"1\n2\n"})
        self.assertIsNone(compare(plain, Run(files={"out.txt": b"1\n2\n"})))
        self.assertIn("out.txt, line 2", compare(plain, Run(files={"out.txt": b"1\n3\n"})))
        self.assertIn("out.txt", compare(plain, Run()))

    def test_binary_file(self):
        plain = printed("", "", files={"out.bin": b"\0\1"})
        self.assertIn("out.bin", compare(plain, Run(files={"out.bin": b"\0\2"})))

    def test_incomparable(self):
        with self.assertRaises(Incomparable):
            compare(printed("a\n", "b\n"), Run(stdout="a\n"))
        with self.assertRaises(Incomparable):
            compare(printed("a\n", "a\na\n"), Run(stdout="a\n"))


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def programs(self):
        return [str(path.relative_to(self.root)) for path in Tree(self.root).program_folders()]

    def test_main_decides(self):
        self.write("a/a.cu", "int main() {}")
        self.write("b/b.cu", "void notMain() {}")
        self.write("c/c.cpp", "int main() {}")  # no CUDA
        self.write("d/d.cu", "// int main() {}\n")
        self.assertEqual(self.programs(), ["a"])

    def test_makefile_decides_which_folder(self):
        self.write("a/src/main.cpp", "int main(int argc, char **argv) {}")
        self.write("a/src/kernel.cu")
        self.write("a/Makefile", "all:\n")
        self.write("b/src/main.cu", "int\nmain() {}".replace("\n", " "))
        self.assertEqual(self.programs(), ["a", "b/src"])

    def test_includes(self):
        main = self.write("p/main.cu", '#include "near.h"\n#include <other.h>\n#include <helper.h>\n#include <vector>\n#include "part.cu"\n')
        self.write("p/near.h", "#include <sub/deep.h>\n")
        part = self.write("p/part.cu")
        self.write("common/other.h")
        self.write("common/helper.h")
        self.write("other/far/away/helper.h")
        self.write("common/sub/deep.h")
        helper = self.write("common/helper.cpp")
        folders, included, belonging = Tree(self.root).includes([main])
        self.assertEqual(folders, [self.root / "common"])
        self.assertEqual(included, {part})
        self.assertEqual(belonging, [helper])

    def test_variables_of_a_makefile(self):
        self.write("p/Makefile", "CUDA = /opt\nCC := $(CUDA)/bin/nvcc\nNVCC = nvcc -O3\nCXX = g++\nall:\n\t$(CC)\n")
        self.assertEqual(Builder.variables(self.root / "p", "/x/nvcc"), ["CC=/x/nvcc", "NVCC=/x/nvcc -O3"])

    def test_arguments(self):
        self.write("p/Makefile", "run: \n\t$(LAUNCHER) ./main 16 data/in.txt > out\n")
        self.assertEqual(find_arguments(self.root / "p", self.root / "p/main"), ["16", "data/in.txt"])
        self.write("q/run", "./prog -n 3\n")
        self.write("q/README", "usage: ./prog [n]\n")
        self.assertEqual(find_arguments(self.root / "q", self.root / "q/prog"), ["-n", "3"])
        self.write("r/README", "    $ ./prog <size>\n    $ ./prog 7\n")
        self.assertEqual(find_arguments(self.root / "r", self.root / "r/prog"), ["7"])
        self.assertEqual(find_arguments(self.root / "r", self.root / "r/other"), [])


class Arguments(unittest.TestCase):
    def test_smaller(self):
        self.assertEqual(list(smaller(["4096", "in.txt", "100"])),
                         [["4096", "in.txt", "1"], ["256", "in.txt", "1"], ["16", "in.txt", "1"]])
        self.assertEqual(list(smaller(["20", "1"])), [])
        self.assertEqual(list(smaller([])), [])

    def test_architectures_go(self):
        self.assertEqual(without_architectures(["-arch", "sm_20", "-c", "-gencode=arch=compute_30,code=sm_30", "a.cu"]),
                         ["-c", "a.cu"])

    def test_clang(self):
        command = for_clang(["-Xcompiler", "-Wall,-fopenmp", "-lineinfo", "-dc", "a.cu"], "sm_90")
        self.assertEqual(command[-5:], ["-Wall", "-fopenmp", "-c", "-fgpu-rdc", "a.cu"])

    def test_numbers(self):
        self.assertIn("-nvvm-reflect-add=__CUDA_PREC_SQRT=1", for_clang(["a.cu"], "sm_90"))
        fast = for_clang(["--use_fast_math", "-fmad=false", "a.cu"], "sm_90")
        self.assertNotIn("-ffast-math", fast)
        self.assertNotIn("-nvvm-reflect-add=__CUDA_PREC_SQRT=1", fast)
        for flag in ("-fgpu-flush-denormals-to-zero", "-D__nv_expf=__nv_fast_expf", "-ffp-contract=off"):
            self.assertIn(flag, fast)
        self.assertIn("-fgpu-flush-denormals-to-zero", for_clang(["-ftz=true", "a.cu"], "sm_90"))

    def test_a_device_that_gave_up_is_a_failure(self):
        self.assertTrue(Run(stderr="cuprewrite: CPU device: kernel k: no such instruction\n").died)


class TwoDevices(unittest.TestCase):
    """What is said of `cupranalyze diff --accesses --json`."""

    def launch(self, kernel="void k<int>(int*)", loads=8, grid=1):
        return {"id": 3, "kernel": kernel, "grid": [grid, 1, 1], "block": [32, 1, 1], "accesses": {"load": loads, "store": 2}}

    def found(self, before, after, one_sided=None):
        launches = [{"position": 2, "before": before, "after": after, "oneSided": one_sided}]
        return {"same": False, "before": {"launches": 4}, "after": {"launches": 5}, "different": 2, "launches": launches}

    def test_same(self):
        self.assertEqual(threads_verdict({"same": True}), "same")

    def test_accesses(self):
        one_sided = {"before": 2, "after": 1, "ctas": 1, "all": True}
        said = "2 of 5 launches; launch 3 (k): {}2 of 10 accesses only on the GPU, 1 only on the CPU device, by 1 blocks"
        found = self.found(self.launch(), self.launch(loads=7), one_sided)
        self.assertEqual(threads_verdict(found), said.format(""))
        one_sided["all"] = False
        self.assertEqual(threads_verdict(found), said.format("at least "))

    def test_other_launch(self):
        self.assertEqual(threads_verdict(self.found(self.launch(), self.launch(grid=2))),
                         "2 of 5 launches; launch 3 (k) is another on the CPU device: k, grid [2, 1, 1], block [32, 1, 1], "
                         "not [1, 1, 1], [32, 1, 1]")

    def test_missing(self):
        self.assertEqual(threads_verdict(self.found(None, self.launch())),
                         "2 of 5 launches; launch 3 only on the CPU device")
        self.assertEqual(threads_verdict(self.found(self.launch(), None), ("here", "there")), "2 of 5 launches; launch 3 only here")

    def test_sums(self):
        rows = [Devices("s", "b", "same", "same", "2 | 3", "same", 2, 1000, seconds_cpu=1.25),
                Devices("s", "a", "same", "differs", "same", "", 1, 500, seconds_cpu=0.25)]
        lines = table(rows).splitlines()
        self.assertTrue(lines[2].startswith("| s | a | same | differs | 1 | 500 | same |"))
        self.assertIn("| 2 \\| 3 |", lines[3])
        self.assertEqual(lines[4], "| | **2 programs** | 2 same | 1 same | 3 | 1,500 | 1 same | 1 same | 0.0 | 0.0 | 1.5 |")


class BesideNvcc(unittest.TestCase):
    def rows(self, outcomes, *runs):
        """The sums of the suite s, and by program the cells behind its name."""
        lines = beside_nvcc([("s", outcomes)], [vars(run) for run in runs]).splitlines()
        programs = [[cell.strip() for cell in line.split(" | ")] for line in lines[lines.index("") + 3:]]
        self.assertEqual(lines[3], lines[2].replace("| s |", "| **all** |"))
        return lines[2], {row[1]: row[2:] for row in programs}

    def test_kinds(self):
        outcomes = [Outcome(name, "built") for name in ("good", "fails", "other", "large", "slow")]
        outcomes += [Outcome("bad", "build failed", "error: that"), Outcome("old", "not nvcc's", "error: gone")]
        sums, rows = self.rows(outcomes, Devices("s", "good", "same", "same", accesses=2000, arguments="8 1"),
                               Devices("s", "fails", "the plain program: exit status 1"),
                               Devices("s", "other", "line 2: 'x'", "closed library"),
                               Devices("s", "slow", "exit status 3", "timeout"))
        self.assertEqual(sums, "| s | 7 | 6 | 5 of 6 (83.3 %) | 3 | 1 of 3 (33.3 %) | 0 | 1 of 1 (100.0 %) | 1 |")
        self.assertEqual(rows, {"good": ["yes", "same", "same", "2,000", "8 1", "|"],
                                "fails": ["yes", "", "", "", "", "the plain program: exit status 1 |"],
                                "other": ["yes", "differs", "closed library", "0", "", "GPU: line 2: 'x' |"],
                                "slow": ["yes", "differs", "no end", "0", "", "GPU: exit status 3; CPU device: timeout |"],
                                "large": ["yes", "", "", "", "", "its data files are large |"],
                                "bad": ["no", "", "", "", "", "error: that |"]})

    def test_nothing_run(self):
        self.assertIn("| s | 1 | 0 | 0 of 0 | 0 | 0 of 0 | 0 | 0 of 0 | 0 |", self.rows([Outcome("old", "not nvcc's")])[0])


if __name__ == "__main__":
    unittest.main()
