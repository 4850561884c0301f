// What Apache Arrow's and DuckDB's own readers make of exports: JSON on stdout, numbers as texts, since those of JavaScript are inexact.
//
//     arrow.mjs < LIST
//
// LIST: [[file, stream, query], ...]: a table as an IPC file and as a stream, and SQL for DuckDB over the stream's table `t`. An answer
// for each is a line.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { tableFromIPC } from "apache-arrow";

const plain = (value) =>
  value === null || value === undefined ? null : typeof value === "boolean" ? Number(value).toString()
    : typeof value === "object" && Symbol.iterator in value ? Array.from(value, plain).join(" ") : value.toString();
const rows = (table) => table.toArray().map((row) => table.schema.fields.map((field) => plain(row[field.name])));

const require = createRequire(import.meta.url);
const dist = dirname(require.resolve("@duckdb/duckdb-wasm"));
const duckdb = require(join(dist, "duckdb-node-blocking.cjs"));
const bundle = (name) => ({ mainModule: join(dist, `duckdb-${name}.wasm`), mainWorker: "" });
const base = await duckdb.createDuckDB({ mvp: bundle("mvp"), eh: bundle("eh") }, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
await base.instantiate();
base.open({ query: { castBigIntToDouble: false } });
const connection = base.connect();
for (const [file, stream, query] of JSON.parse(readFileSync(0))) {
  connection.insertArrowFromIPCStream(readFileSync(stream), { name: "t", create: true });
  const [ofFile, ofStream] = [file, stream].map((path) => tableFromIPC(readFileSync(path)));
  const [all, again] = [rows(ofFile), rows(ofStream)];
  console.log(JSON.stringify({
    columns: ofFile.schema.fields.map((field) => [field.name, field.metadata.get("comment")]),
    rows: all,
    alike: JSON.stringify(all) === JSON.stringify(again),
    duckdb: rows(connection.query(query)),
  }));
  connection.query("drop table t");
}
