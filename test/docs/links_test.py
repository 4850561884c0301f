#!/usr/bin/env python3
"""What links.py calls a link, and which of them it refuses."""

import pathlib
import tempfile
import unittest

import links


class Links(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs" / "page.md").write_text(text)
            (root / "docs" / "other.md").write_text("# Other things: `a` and b\n\n## Twice\n\n## Twice\n\n```sh\n# none\n```\n")
            (root / "picture.png").write_bytes(b"")
            known = {"docs/page.md", "docs/other.md", "picture.png"}
            return list(links.problems(root, known))

    def test_what_is_there(self):
        for link in [
            "[a](other.md)", "[`a`](other.md#other-things-a-and-b)", "![a](../picture.png)", "[a](../docs)", "[a](#here)", "[a](other.md#twice-1)",
            '<img src="../picture.png">', "[a [b] c](other.md)", "[a]: other.md", "[a](https://example.org/x) [b](other.md)", '[a](other.md "title")',
        ]:
            with self.subTest(link):
                self.assertEqual(self.check(f"# Here\n\n{link}\n"), [])

    def test_what_is_not(self):
        for link in [
            "[a](nothing.md)", "[a](other.md#none)", "[a](other.md#twice-2)", "![a](picture.png)", "[a](../../picture.png)", "[a](#there)", "[a]: nothing.md",
            '<img src="picture.png">', "text `code` [a](nothing.md)", "- an item\n\n  [a](nothing.md)",
        ]:
            with self.subTest(link):
                found = self.check(f"# Here\n\n[good](other.md)\n\n{link}\n")
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], r"^docs/page\.md:\d+: ")

    def test_code_holds_no_links(self):
        for code in ["`[a](nothing.md)`", "```\n[a](nothing.md)\n```", "    [a](nothing.md)\n\n    [b](nothing.md)", "``x ` [a](nothing.md)``"]:
            with self.subTest(code):
                self.assertEqual(self.check(f"[good](other.md)\n\n{code}\n"), [])

    def test_the_list_names_each_page(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/README.md").write_text("[one](one.md)\n")
            for page in ("one", "two"):
                (root / f"docs/{page}.md").write_text("# Page\n")
            found = list(links.problems(root, {"docs/README.md", "docs/one.md", "docs/two.md"}))
        self.assertEqual(found, ["docs/README.md does not list docs/two.md"])

    def test_decision_records_have_one_form(self):
        form = "# 0001: A\n\nStatus: accepted.\n\n## Context\n\n## Decision\n\n## Why\n\n## Options refused\n"
        for text, wrong in [(form, 0), (form.replace("0001", "0002"), 1), (form.replace("Status", "State"), 1), (form.replace("## Context", "## Decision", 1), 1)]:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "docs/design").mkdir(parents=True)
                (root / "docs/design/0001-a.md").write_text(text + "[here](0001-a.md)\n")
                self.assertEqual(len(list(links.problems(root, {"docs/design/0001-a.md"}))), wrong)

    def test_no_links_at_all_is_a_failure(self):
        self.assertEqual(len(self.check("nothing\n")), 1)


if __name__ == "__main__":
    unittest.main()
