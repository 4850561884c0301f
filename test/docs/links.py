#!/usr/bin/env python3
"""Relative links of the project's Markdown pages: each names a file that git knows, and a heading where it has a #; and
docs/README.md lists each page of docs, and decision records have one form.

    links.py ROOT

Exit status: 0 all lead somewhere, 1 some don't, or there is nothing to look at.
"""

import pathlib
import re
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)|<(?:img|a)\s[^>]*(?:src|href)=\"([^\"]+)\"")


def without_code(text):
    """The text, its lines kept, without blocks and spans of code."""
    lines, fence, before = [], None, ""
    for line in text.split("\n"):
        mark = re.match(r"^ {0,3}(`{3,}|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            line = ""
        elif mark:
            fence, line = mark[1], ""
        elif line.startswith("    ") and not before.strip():
            lines.append("")
            continue  # `before` stays: a block of several lines
        else:
            line = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        lines.append(line)
        before = line
    return lines


def anchors(text):
    """The ids that GitHub gives a page's headings."""
    found, lines = {}, text.split("\n")
    fence, ids = False, set()
    for line in lines:
        if re.match(r"^ {0,3}(```|~~~)", line):
            fence = not fence
        heading = None if fence else re.match(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", line)
        if heading:
            shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", shown.replace("`", "").lower()).replace(" ", "-")
            count = found.get(name, 0)
            found[name] = count + 1
            ids.add(f"{name}-{count}" if count else name)
        ids.update(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", line))
    return ids


def problems(root, known):
    """Yields `page:line: what is wrong` for the pages among `known`, paths below root; and counts links in the end."""
    folders = {str(parent) for path in known for parent in pathlib.PurePosixPath(path).parents}
    pages = {path: (root / path).read_text(encoding="utf-8") for path in known if path.endswith(".md") and (root / path).is_file()}
    links = 0
    for path, text in sorted(pages.items()):
        for number, line in enumerate(without_code(text), 1):
            for match in LINK.finditer(line):
                target = next(group for group in match.groups() if group)
                if re.match(r"^[a-z][a-z+.-]*:", target):
                    continue
                links += 1
                file, _, anchor = urllib.parse.unquote(target).partition("#")
                aim = pathlib.PurePosixPath(path).parent.joinpath(file) if file else pathlib.PurePosixPath(path)
                parts = []
                for part in aim.parts:
                    if part == "..":
                        if not parts:
                            parts = ["outside"]
                            break
                        parts.pop()
                    else:
                        parts.append(part)
                aim = "/".join(parts) or "."
                if aim not in known and aim not in folders:
                    yield f"{path}:{number}: '{target}': there is no {aim}"
                elif anchor and aim in pages and anchor not in anchors(pages[aim]):
                    yield f"{path}:{number}: '{target}': {aim} has no heading #{anchor}"
    for path, text in sorted(pages.items()):  # decision records have one form
        if number := re.match(r"docs/design/(\d{4})-", path):
            wanted = [rf"# {number[1]}: ", r"Status: ", r"## Context$", r"## Decision$", r"## Options refused$"]
            found = [want for line in text.split("\n") for want in wanted if re.match(want, line)]
            if found != wanted:
                yield f"{path}: a decision record has, in this order, '# {number[1]}: ...', Status, Context, Decision, Options refused"
    # The list of all pages, by what a reader wants.
    listed = without_code(pages.get("docs/README.md", ""))
    for path in sorted(pages):
        if path.startswith("docs/") and "docs/README.md" in pages and path != "docs/README.md":
            if not any(f"({path.removeprefix('docs/')})" in line for line in listed):
                yield f"docs/README.md does not list {path}"
    if not links:
        yield f"{root}: no links in {len(pages)} pages"
    print(f"{links} relative links in {len(pages)} pages")


def main():
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        known = set(filter(None, listed.stdout.split("\0")))
    else:  # an archive of the sources
        known = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    wrong = list(problems(root, known))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
