#!/usr/bin/env python3
"""What `cupranalyze comm` does, done by a database: the way without a tool of one's own.

    comm_sqlite.py --cupranalyze PROGRAM TRACE...

Each trace is exported to SQLite, and a query finds which CTA read what which CTA had written: for each thread's access
the last launch before it that wrote the address. That must give the same transfers, to the byte, as `comm`; the table says
how long each way takes. The query is exact where every address is always accessed with one size, launches are in one
stream and the host writes nothing between them; other traces are refused.

Exit status: 0, 1 when transfers differ, 2 when a trace can't be compared this way.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GLOBAL = """
CREATE TEMP TABLE reached AS
  SELECT a.rowid AS place, a.launch AS launch, a.address AS address, a.bytes AS bytes, s.operation AS operation,
         a.cta_x + l.grid_x * (a.cta_y + l.grid_y * a.cta_z) AS cta
  FROM accesses a JOIN sites s ON s.id = a.site JOIN launches l ON l.id = a.launch WHERE s.space = 'global'"""
# Of several writers in one launch the last one counts: SQLite takes a bare column from the row of the MAX.
WRITES = """
CREATE TEMP TABLE writes AS
  SELECT address, launch, cta, MAX(place) FROM reached WHERE operation <> 'load' GROUP BY address, launch"""
READS = "CREATE TEMP TABLE reads AS SELECT DISTINCT launch, cta, address, bytes FROM reached WHERE operation <> 'store'"
TRANSFERS = """
SELECT w.launch, w.cta, r.launch, r.cta, SUM(r.bytes) FROM reads r JOIN writes w
  ON w.address = r.address
  AND w.launch = (SELECT MAX(launch) FROM writes WHERE address = r.address AND launch < r.launch)
  GROUP BY 1, 2, 3, 4"""

NOT_EXACT = {
    "an address is accessed with several sizes":
        "SELECT 1 FROM reached GROUP BY address HAVING MIN(bytes) <> MAX(bytes)",
    "launches are in several streams": "SELECT 1 FROM launches GROUP BY 'all' HAVING COUNT(DISTINCT stream) > 1",
    "the host writes device memory between launches":
        """SELECT 1 FROM (SELECT "order", kind FROM copies UNION ALL SELECT "order", 'set' FROM sets)
           WHERE kind IN ('host to device', 'device to device', 'set')
             AND "order" > (SELECT MIN("order") FROM launches) AND "order" < (SELECT MAX("order") FROM launches)""",
}


class NotComparable(Exception):
    pass


def seconds(work):
    start = time.monotonic()
    result = work()
    return result, time.monotonic() - start


def by_query(path):
    with sqlite3.connect(path) as database:
        database.execute(GLOBAL)
        for reason, query in NOT_EXACT.items():
            if database.execute(query).fetchone():
                raise NotComparable(reason)
        database.execute(WRITES)
        database.execute("CREATE INDEX temp.writes_by_address ON writes (address, launch)")
        database.execute(READS)
        return {tuple(row[:4]): row[4] for row in database.execute(TRANSFERS)}


def by_comm(cupranalyze, trace):
    said = subprocess.run([cupranalyze, "comm", "--json", "--quiet", trace], capture_output=True, check=True).stdout
    results = json.loads(said)
    return results["volume"], {
        (t["source"], t["sourceCta"], t["destination"], t["destinationCta"]): t["bytes"]
        for t in results["transfers"] if "host" not in (t["source"], t["destination"])
    }


def compare(cupranalyze, trace, folder):
    """One line of the table; whether the transfers are the same."""
    (volume, transfers), comm = seconds(lambda: by_comm(cupranalyze, trace))
    database = folder / "trace.sqlite"
    export = [cupranalyze, "export", "--format=sqlite", "-o", database, trace]
    _, exported = seconds(lambda: subprocess.run(export, capture_output=True, check=True))
    found, queried = seconds(lambda: by_query(database))
    database.unlink()
    accesses = volume["loads"] + volume["stores"] + volume["atomics"]
    line = (f"| {trace.name} | {accesses:,} | {len(transfers):,} | {comm:.2f} s | {exported:.2f} s | {queried:.2f} s "
            f"| {(exported + queried) / comm:.0f} |")
    for key in sorted(set(found) ^ set(transfers) | {key for key in found if found[key] != transfers.get(key)})[:5]:
        print(f"{trace.name}: {key}: query {found.get(key, 0)} bytes, comm {transfers.get(key, 0)}", file=sys.stderr)
    return line, found == transfers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", type=Path, required=True)
    parser.add_argument("traces", type=Path, nargs="+", metavar="TRACE")
    options = parser.parse_args()
    print("| trace | accesses | transfers | comm | export | query | times as long |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    same = True
    with tempfile.TemporaryDirectory(prefix="cupr-comm-") as folder:
        for trace in options.traces:
            try:
                line, equal = compare(options.cupranalyze, trace, Path(folder))
            except NotComparable as reason:
                print(f"{trace}: {reason}: this query can't be exact", file=sys.stderr)
                return 2
            print(line, flush=True)
            same = same and equal
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
