"""Unit tests of rooms.py, on houses of a few files."""
import tempfile
import unittest
from pathlib import Path

import rooms

PAGE = """
| folder | holds | may include |
| --- | --- | --- |
| `a/ground` | what is below | - |
| `a/first` | what is above | ground |
| `a/roof` | what sees all | all of a |
"""


class Rooms(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"docs/architecture.md": PAGE, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return rooms.faults(root)

    GROUND = {"a/ground/stone.h": "#include <vector>\n"}

    def test_what_is_allowed(self):
        self.assertEqual([], self.faults(self.GROUND | {
            "a/first/table.h": '#include "a/ground/stone.h"\n#include "chair.h"\n', "a/first/chair.h": "",
            "a/roof/tile.cpp": '#include "../first/table.h"\n#include "a/ground/stone.h"\n'}))

    def test_an_arrow_upward(self):
        self.assertEqual(["a/ground/stone.h: includes a/first, which docs/architecture.md doesn't let a/ground"],
                         self.faults({"a/ground/stone.h": '#include "a/first/table.h"\n', "a/first/table.h": ""}))

    def test_a_circle(self):
        told = self.faults({"a/ground/stone.h": '#include "a/first/table.h"\n',
                            "a/first/table.h": '# include "a/ground/stone.h"\n'})
        self.assertIn("a/ground: includes what includes it", told)
        self.assertIn("a/first: includes what includes it", told)

    def test_a_folder_without_a_row(self):
        self.assertEqual(["a/cellar/box.cpp: docs/architecture.md has no row for a/cellar"],
                         self.faults(self.GROUND | {"a/cellar/box.cpp": '#include "a/ground/stone.h"\n'}))


if __name__ == "__main__":
    unittest.main()
