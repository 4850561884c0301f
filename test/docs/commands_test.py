#!/usr/bin/env python3
"""What commands.py takes for a command, what it refuses, and that a command that fails is seen."""

import pathlib
import tempfile
import unittest

import commands


def page(*parts):
    return "\n\n".join(parts) + "\n"


def code(language, text):
    return f"```{language}\n{text}\n```"


class Commands(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as copied, tempfile.TemporaryDirectory() as work:
            (pathlib.Path(copied) / "file").write_text("here\n")
            return commands.run("page.md", text, ".", copied, pathlib.Path(work))

    def test_blocks_run_in_one_shell_from_the_copied_folder(self):
        ran, skipped, status, output = self.run_page(page("# Page", code("sh", "mkdir a\ncd a"), "and", code("sh", "cat ../file")))
        self.assertEqual((ran, skipped, status), (2, {}, 0))
        self.assertIn("here", output)

    def test_failure_is_seen_and_named(self):
        for command in ["false", "cat no-such-file", "cat file\nno-such-program", "diff file no-such-file", "(exit 3)"]:
            with self.subTest(command):
                _, _, status, output = self.run_page(page("# Page", code("sh", command), code("sh", "echo not reached")))
                self.assertNotEqual(status, 0)
                self.assertIn("page.md:4: failed", output)
                self.assertNotIn("not reached", output)

    def test_a_difference_is_what_diff_is_to_show(self):
        self.assertEqual(self.run_page(page(code("sh", "echo there > other\ndiff file other")))[2], 0)

    def test_skipped_blocks_are_counted_by_reason(self):
        ran, skipped, status, _ = self.run_page(page(code("sh builds", "false"), code("sh needs-gpu", "false"), code("sh", "true"), code("text", "false")))
        self.assertEqual((ran, status), (1, 0))
        self.assertEqual(skipped, {reason: 1 for reason in commands.SKIPPED.values()})

    def test_a_block_that_is_neither_is_refused(self):
        for text in [
            "    make traced",
            code("", "make traced"),
            code("bash", "make traced"),
            code("sh builts", "make traced"),
            "```sh\nmake traced",
        ]:
            with self.subTest(text), self.assertRaises(commands.BadPage):
                self.run_page(page(code("sh", "true"), text))

    def test_a_page_that_runs_nothing_is_refused(self):
        with self.assertRaises(commands.BadPage):
            self.run_page(page(code("sh builds", "true")))

    def test_continued_paragraphs_and_lists_are_no_blocks(self):
        self.assertEqual(self.run_page("- an item\n    that goes on\n\n" + code("sh", "true"))[0], 1)


if __name__ == "__main__":
    unittest.main()
