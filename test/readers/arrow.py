#!/usr/bin/env python3
"""Exports to Arrow, read by Apache Arrow's JavaScript library and by DuckDB (arrow.mjs), give what sqlite3 gives.

    arrow.py --cupranalyze PROGRAM [--node PROGRAM] TRACE...

Exit status 77: the readers are not there. `npm ci` in this folder brings them.
"""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SKIPPED = 77
ANSWERED = {
    "all_accesses": "select file, line, kernel, count(*), cast(sum(bytes) as bigint), count(distinct address) from {} group by 1, 2, 3 order by 1, 2, 3",
    "launches": "select count(*), cast(sum(grid_x) as bigint), max(kernel), count(distinct kernel) from {}",
    "sites": "select space, count(*), count(bytes), cast(sum(line) as bigint) from {} group by 1 order by 1",
    "headers": "select program, version, not_whole from {}",
}
# A row per warp: no database has it.
THREADS_OF_RECORDS = "select launch, site, cast(sum(len(lanes)) as bigint) from t group by 1, 2 order by 1, 2"
THREADS_OF_ACCESSES = "select launch, site, count(*) from accesses group by 1, 2 order by 1, 2"


def texts(rows):
    """As the reader writes them; numbers from 2^63 on are negative in SQLite."""
    return [[None if value is None else str(value % 2**64 if isinstance(value, int) else value) for value in row]
            for row in rows]


class Trace:
    def __init__(self, cupranalyze, trace, folder):
        self.export, self.name, self.folder = [cupranalyze, "export", trace], trace.name, folder
        database = folder / f"{trace.stem}.db"
        self.run("--format=sqlite", "-o", database)
        self.base = sqlite3.connect(database)

    def run(self, *words):
        return subprocess.run([*self.export, *words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def job(self, table, query):
        """For arrow.mjs."""
        file, stream = (self.folder / f"{self.name}.{table}.{kind}" for kind in ("file", "stream"))
        self.run("--format=arrow", f"--table={table}", "-o", file)
        stream.write_bytes(self.run("--format=arrow", f"--table={table}"))
        return [str(file), str(stream), query]

    def jobs(self):
        return [self.job("records", THREADS_OF_RECORDS)] + [
            self.job(table, query.format("t")) for table, query in ANSWERED.items()]

    def check(self, answers):
        assert all(answer["alike"] for answer in answers), "a file and a stream"
        assert all(comment is not None for answer in answers for _, comment in answer["columns"])
        assert answers[0]["duckdb"] == texts(self.base.execute(THREADS_OF_ACCESSES)), "records"
        for (table, query), read in zip(ANSWERED.items(), answers[1:]):
            names = ", ".join(f'"{name}"' for name, _ in read["columns"])
            expected = texts(self.base.execute(f"select {names} from {table}"))
            assert sorted(read["rows"], key=repr) == sorted(expected, key=repr), table
            answered = texts(self.base.execute(query.format(table)))
            assert read["duckdb"] == answered, (table, read["duckdb"], answered)
        print(f"{self.name}: {max(len(answer['rows']) for answer in answers)} rows")
        return max(len(answer["rows"]) for answer in answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cupranalyze", required=True)
    parser.add_argument("--node", default="node")
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if not (HERE / "node_modules").exists():
        print("no readers of Arrow: npm ci in test/readers")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        traces = [Trace(options.cupranalyze, trace, pathlib.Path(folder)) for trace in options.traces]
        jobs = [trace.jobs() for trace in traces]
        said = subprocess.run([options.node, HERE / "arrow.mjs"], input=json.dumps(sum(jobs, [])).encode(), check=True,
                              stdout=subprocess.PIPE).stdout
        answers = iter(map(json.loads, said.splitlines()))
        most = max(trace.check([next(answers) for _ in of]) for trace, of in zip(traces, jobs))
        assert most > 65536, "none has several batches"
    return 0


if __name__ == "__main__":
    sys.exit(main())
