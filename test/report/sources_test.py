"""report/dist/report.html was made of report/src: the build writes a digest of its sources into the page (vite.config.ts)."""
import hashlib
import pathlib
import re
import unittest

OTHERS = ["../docs/results.schema.json", "index.html", "package-lock.json", "vite.config.ts"]
REPORT = pathlib.Path(__file__).resolve().parents[2] / "report"


def digest(folder):
    files = [file for file in (folder / "src").rglob("*") if file.is_file()]
    names = [file.relative_to(folder).as_posix() for file in files] + OTHERS
    result = hashlib.sha256()
    for name in sorted(names):
        text = (folder / name).read_bytes()
        result.update(f"{name} {len(text)}\n".encode() + text)
    return result.hexdigest()


class Sources(unittest.TestCase):
    def test_the_page_is_made_of_the_sources(self):
        said = re.search(r'<meta name="sources" content="([0-9a-f]{64})">', (REPORT / "dist/report.html").read_text())
        self.assertIsNotNone(said, "the page does not say what it is made of")
        self.assertEqual(said[1], digest(REPORT), "report/dist/report.html is not of these sources: cd report && npm ci && npm run build")


if __name__ == "__main__":
    unittest.main()
