"""The pages that are part of the repository were made of their sources: their builds write a digest of them into the page (report/single_file.ts)."""
import hashlib
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# By page: the folders whose files it is made of, and the other files; as seen from its own folder.
PAGES = {
    "report/dist/report.html": (["src"], ["../docs/check.schema.json", "../docs/profile.schema.json", "../docs/results.schema.json", "../docs/roofline.schema.json", "../docs/traces.schema.json", "index.html", "package-lock.json", "single_file.ts", "vite.config.ts"]),
    "viewer/dist/viewer.html": (["src", "reader", "../report/src"], ["../report/single_file.ts", "index.html", "package-lock.json", "vite.config.ts"]),
}


def digest(home, folders, others):
    names = [f"{folder}/{file.relative_to(home / folder).as_posix()}" for folder in folders for file in (home / folder).rglob("*") if file.is_file()]
    result = hashlib.sha256()
    for name in sorted(names + others):
        text = (home / name).read_bytes()
        result.update(f"{name} {len(text)}\n".encode() + text)
    return result.hexdigest()


class Sources(unittest.TestCase):
    def test_the_pages_are_made_of_the_sources(self):
        for page, sources in PAGES.items():
            with self.subTest(page=page):
                said = re.search(r'<meta name="sources" content="([0-9a-f]{64})">', (ROOT / page).read_text())
                self.assertIsNotNone(said, "the page does not say what it is made of")
                home = (ROOT / page).parents[1]
                self.assertEqual(said[1], digest(home, *sources), f"{page} is not of these sources: cd {home.name} && npm ci && npm run build")


if __name__ == "__main__":
    unittest.main()
