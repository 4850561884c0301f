#!/usr/bin/env python3
"""The committed schemas are those that the program prints. With --update, makes them so."""
import argparse
import pathlib
import subprocess
import sys

FILES = {
    ("export", "json"): "analysis/export/schema/cuprewrite.schema.json",
    ("export", "protobuf"): "analysis/export/schema/cuprewrite.proto",
    ("export", "sqlite"): "analysis/export/schema/cuprewrite.sql",
    ("export", "markdown"): "docs/export-formats.md",
    ("results", "sqlite"): "analysis/export/schema/results.sql",
    ("results", "markdown"): "docs/result-formats.md",
    ("results", "json"): "docs/results.schema.json",
    ("results", "traces"): "docs/traces.schema.json",
    ("caches", "json"): "docs/caches.schema.json",
    ("instructions", "json"): "docs/instructions.schema.json",
    ("latency", "json"): "docs/latency.schema.json",
    ("profile", "json"): "docs/profile.schema.json",
    ("roofline", "json"): "docs/roofline.schema.json",
    ("sql", "markdown"): "docs/queries.md",
}
END = "<!-- end -->\n"


def expected(verb, kind, path, schema):
    """What the file must hold. Of a document, only the part between two marks is made."""
    if kind != "markdown":
        return schema
    start = f"<!-- made by `cupranalyze {verb} --schema=markdown` -->\n"
    text = path.read_text()
    return text[: text.index(start) + len(start)] + schema + "\n" + text[text.index(END):]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    stale = []
    for (verb, kind), name in FILES.items():
        path = options.source / name
        schema = subprocess.run([options.cupranalyze, verb, f"--schema={kind}"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        text = expected(verb, kind, path, schema)
        if options.update:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(name)
    if stale:
        print(f"not what the program prints: {' '.join(stale)}: run {sys.argv[0]} --update with the same options")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
