#!/usr/bin/env python3
"""The committed schemas are those that the program prints. With --update, makes them so."""
import argparse
import pathlib
import subprocess
import sys

FILES = {
    "json": "analysis/export/schema/cuprewrite.schema.json",
    "protobuf": "analysis/export/schema/cuprewrite.proto",
    "sqlite": "analysis/export/schema/cuprewrite.sql",
    "markdown": "docs/export-formats.md",
}
START, END = "<!-- made by `cupranalyze export --schema=markdown` -->\n", "<!-- end -->\n"


def expected(kind, path, schema):
    """What the file must hold. Of a document, only the part between two marks is made."""
    if kind != "markdown":
        return schema
    text = path.read_text()
    return text[: text.index(START) + len(START)] + schema + "\n" + text[text.index(END):]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    stale = []
    for kind, name in FILES.items():
        path = options.source / name
        schema = subprocess.run([options.cupranalyze, "export", f"--schema={kind}"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        text = expected(kind, path, schema)
        if options.update:
            path.write_text(text)
        elif path.read_text() != text:
            stale.append(name)
    if stale:
        print(f"not what the program prints: {' '.join(stale)}: run {sys.argv[0]} --update with the same options")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
