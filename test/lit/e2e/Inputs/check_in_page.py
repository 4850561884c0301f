"""Whether a report's page has what 'check --json' prints, and the text of a source: usage: check_in_page.py PAGE JSON SOURCE."""
import json
import pathlib
import re
import sys

page, printed, source = sys.argv[1:]
text = pathlib.Path(page).read_text()


def element(name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', text, re.DOTALL)[1])


assert element("check") == json.loads(pathlib.Path(printed).read_text()), "the page has other faults"
assert any(pathlib.Path(file["path"]).name == source and file["text"] for file in element("results")["sources"]), "no text of the source"
