#!/usr/bin/env python3
"""Queries over traces as they are, by SQLite with the extension, give what the same queries give over an export.

    queries.py --cupranalyze PROGRAM --extension lib/cuprtrace_sqlite.so --source ROOT [--update] TRACE...

For each trace every table that the export has is compared row by row. Predicates that the extension pushes down are
compared with the same ones that it can't see (a unary + hides a column), sums of sites with sums over accesses and with
`results`, whose requests and sectors come from elsewhere. Then each query of docs/queries.md is run, and must print what
the page says; with --update, the page says what it prints.
"""
import argparse
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

TABLES = ("headers", "frames", "sites", "launches", "launch_ends", "counts", "allocations", "image_objects", "copies", "sets",
          "synchronisations", "host_calls", "host_samples")
PAGE = "docs/queries.md"


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def connected(extension):
    base = sqlite3.connect(":memory:")
    base.enable_load_extension(True)
    base.load_extension(str(extension))
    return base


def rows(base, query, *arguments):
    return sorted(base.execute(query, arguments).fetchall(), key=repr)


def columns(base, table):
    return ", ".join(f'"{row[1]}"' for row in base.execute(f"pragma table_info({table})"))


def check_tables(base, exported, trace):
    for table in TABLES:
        names = columns(exported, table)
        expected = rows(exported, f"select {names} from {table}")
        assert rows(base, f"select {names} from {table}") == expected, table
        assert rows(base, f"select {names} from cupr_{table}(?)", str(trace)) == expected, f"cupr_{table}"
        key = names.split(", ")[0]
        for (value,) in base.execute(f"select distinct {key} from {table} limit 5").fetchall():
            asked = f"select {names} from {table} where {key} = ?"
            assert rows(base, asked, value) == rows(exported, asked, value), f"{table} {key} {value}"
        assert rows(base, f"select count(*) from {table} where {key} = -7") == [(0,)], table
    for view in ("accesses", "all_accesses"):
        names = columns(exported, view)
        expected = rows(exported, f"select {names} from {view}")
        assert rows(base, f"select {names} from accesses") == expected, view
    return len(expected)


def check_records(base):
    """Records are accesses by warp."""
    names = "launch, site, cta_x, cta_y, cta_z, warp"
    by_record = rows(base, f"select {names}, sum(accesses), sum(total_bytes), count(*) > 0 from records group by {names}")
    by_access = rows(base, f"select {names}, count(*), sum(bytes), 1 from accesses group by {names}")
    assert by_record == by_access
    for mask, lanes, addresses, accesses, first in base.execute(
            "select lane_mask, lanes, addresses, accesses, address from records"):
        numbers = [int(lane) for lane in lanes.split()]
        assert sum(1 << lane for lane in numbers) == mask and len(numbers) == accesses == len(addresses.split())
        assert int(addresses.split()[0]) == first % 2**64
    sums = [0, 0, 0]
    for threads in base.execute("select thread_x, thread_y, thread_z from records where accesses > 0"):
        sums = [total + sum(map(int, numbers.split())) for total, numbers in zip(sums, threads)]
    assert tuple(sums) == base.execute("select ifnull(sum(thread_x), 0), ifnull(sum(thread_y), 0), ifnull(sum(thread_z), 0) from accesses").fetchone()
    wrong = """select count(*) from accesses join allocations on allocations.id = accesses.allocation
               where accesses.address <> allocations.address + offset or offset >= allocations.bytes"""
    assert base.execute(wrong).fetchone() == (0,)


def check_predicates(base):
    values = {}
    for column in ("launch", "site", "cta", "address", "kernel"):
        all_values = [row[0] for row in base.execute(f"select distinct {column} from accesses order by 1")]
        values[column] = all_values[:2] + all_values[len(all_values) // 2:][:2] + all_values[-1:]
    for table in ("accesses", "records", "site_totals"):
        total = base.execute(f"select count(*) from {table}").fetchone()[0]
        seen = 0
        for column, of in values.items():
            if column not in [row[1] for row in base.execute(f"pragma table_info({table})")]:
                continue
            for value in of:
                for operator in ("=", "<", "<=", ">", ">="):
                    for asked in (value, value + 0.5) if isinstance(value, int) else (value,):
                        pushed, hidden = (
                            rows(base, f"select launch, site, count(*) from {table} where {sign}{column} {operator} ? group by 1, 2",
                                 asked) for sign in ("", "+"))
                        assert pushed == hidden, (table, column, operator, asked)
                        seen += len(pushed)
        assert total == 0 or seen > 0, table
        assert rows(base, f"select count(*) from {table} where launch = null or site = 'x'") == [(0,)]


def check_totals(base, results):
    by_access = rows(base, "select launch, site, count(*), sum(bytes) from accesses group by 1, 2")
    assert rows(base, "select launch, site, accesses, bytes from site_totals") == by_access
    by_record = rows(base, "select launch, site, count(*), sum(requests), sum(sectors), sum(least_sectors) from records group by 1, 2")
    assert rows(base, "select launch, site, records, requests, sectors, least_sectors from site_totals") == by_record
    by_line = """select file, line, sum(requests), sum(sectors), sum(least_sectors) from {} {} group by 1, 2
                 having sum(requests) > 0"""
    assert rows(base, by_line.format("site_totals", "where space = 'global'")) == rows(results, by_line.format("lines", "")), "lines"


def check_errors(extension, folder, trace):
    base = connected(extension)
    damaged = folder / "damaged.cuprtrace"
    damaged.write_bytes(b"no trace" * 100)
    for query, message in ((f"select * from cupr_launches('{damaged}')", "damaged.cuprtrace"),
                           ("select * from cupr_launches('/no/such/trace')", "/no/such/trace"),
                           ("select * from cupr_records", "which trace? cupr_records("),
                           (f"select cupr_open('{damaged}')", "damaged.cuprtrace"),
                           (f"create virtual table t using cupr_sites('{trace}', 1)", "takes one argument")):
        try:
            base.execute(query).fetchall()
        except sqlite3.Error as error:
            assert message in str(error), (query, error)
        else:
            raise AssertionError(query)
    # A file that is written anew is read anew.
    changing = folder / "it's.cuprtrace"
    query = "select count(*) from cupr_launches(?)"
    changing.write_bytes(damaged.read_bytes())
    try:
        base.execute(query, (str(changing),)).fetchall()
    except sqlite3.Error:
        changing.write_bytes(trace.read_bytes())
    launches = base.execute(query, (str(trace),)).fetchall()
    assert base.execute(query, (str(changing),)).fetchall() == launches
    # Two traces in one query, and tables by their names, kept by a database.
    assert base.execute("select cupr_open(?, 'old_')", (str(changing),)).fetchall() == base.execute(
        "select count(distinct id) from old_launches").fetchall()
    same = "select count(*) from cupr_launches(?) a join cupr_launches(?) b on a.id = b.id and a.kernel = b.kernel"
    assert base.execute(same, (str(trace), str(changing))).fetchall() == launches


def check(options, trace, folder):
    base = connected(options.extension)
    base.execute("select cupr_open(?)", (str(trace),)).fetchall()
    exported, results = folder / "export.db", folder / "results.db"
    run(options.cupranalyze, "export", trace, "--format=sqlite", "-o", exported)
    run(options.cupranalyze, "results", trace, "--format=sqlite", "-o", results, stderr=subprocess.DEVNULL)
    accesses = check_tables(base, sqlite3.connect(exported), trace)
    check_records(base)
    check_predicates(base)
    check_totals(base, sqlite3.connect(results))
    print(f"{trace.name}: {accesses} accesses")


def pages_queries(options, folder):
    """Blocks of sh, each with what it prints in the block of text behind it."""
    page = options.source / PAGE
    text = page.read_text()
    seen = 0

    def answered(match):
        nonlocal seen
        seen += 1
        words = shlex.split(match[1].strip())
        assert words[0] == "cupranalyze", words
        printed = run(options.cupranalyze, *words[1:], cwd=options.source / "test/golden/v4")
        if not options.update:
            assert printed == match[2], f"{match[1]}prints:\n{printed}"
        return f"```sh golden\n{match[1]}```\n\n```text\n{printed}```\n"

    replaced = re.sub(r"```sh golden\n(.*?)```\n\n```text\n(.*?)```\n", answered, text, flags=re.S)
    assert seen == text.count("```sh golden"), "a query without its answer"
    if options.update:
        page.write_text(replaced)
    print(f"{PAGE}: {seen} queries")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True, type=pathlib.Path)
    parser.add_argument("--extension", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.cupranalyze = options.cupranalyze.resolve()
    with tempfile.TemporaryDirectory() as folder:
        pages_queries(options, pathlib.Path(folder))
        check_errors(options.extension, pathlib.Path(folder), options.traces[0])
    for trace in options.traces:
        with tempfile.TemporaryDirectory() as folder:
            check(options, trace, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
