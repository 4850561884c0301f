"""What tidy.py says of a bad name and of a missing include, of sources that it reads behind each other and of those that it reads one by one."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GOOD = "#include <cstdint>\nstd::uint32_t {name}(std::uint32_t wide) {{ return wide; }}\n"
BAD_NAME = "int {name}(int Wide) {{ return Wide; }}\n"
NO_INCLUDE = "std::uint32_t {name}(std::uint32_t wide) {{ return wide; }}\n"


def said_of(texts, *options):
    """Of sources with these texts in a folder that is called as one of the product's."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder).resolve()
        sources = build / "launcher"
        sources.mkdir()
        commands = []
        for number, text in enumerate(texts):
            source = sources / f"source{number}.cpp"
            source.write_text(text.format(name=f"function{number}"))
            commands.append({"directory": str(build), "file": str(source),
                             "command": f"clang++-22 -std=c++20 -o {number}.o -c {source}"})
        (build / "compile_commands.json").write_text(json.dumps(commands))
        run = subprocess.run([sys.executable, "-B", HERE / "tidy.py", build, "--root", build, *options], stdout=subprocess.PIPE, text=True)
        return run.returncode, run.stdout


class Tidy(unittest.TestCase):
    def test_good_sources(self):
        for options in ([], ["--each"]):
            code, said = said_of([GOOD, GOOD, GOOD], *options)
            self.assertEqual(code, 0, said)
            self.assertIn("3 files, 0 complaints", said)

    def test_a_bad_name_among_good_sources(self):
        for options in ([], ["--each"]):
            code, said = said_of([GOOD, BAD_NAME, GOOD], *options)
            self.assertEqual(code, 1, said)
            self.assertIn("source1.cpp:1:19: error: invalid case style for parameter 'Wide'", said)

    def test_sources_with_the_same_names_are_read_by_themselves(self):
        code, said = said_of(["static int same() { return 1; }\nint a() { return same(); }\n".replace("{", "{{").replace("}", "}}"),
                              "static int same() { return 2; }\nint b() { return same(); }\n".replace("{", "{{").replace("}", "}}")])
        self.assertEqual(code, 0, said)

    def test_a_missing_include(self):
        code, said = said_of([GOOD, NO_INCLUDE], "--each")
        self.assertEqual(code, 1, said)
        self.assertIn("source1.cpp", said)


if __name__ == "__main__":
    unittest.main()
