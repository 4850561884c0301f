/// Which kernel reads what which other one wrote: a matrix, in total or by the superstep that reads.
import { emptyFigure, frame } from "../chart.ts";
import type { Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { choice, element } from "../dom.ts";
import { bytes, grouped, shortName } from "../format.ts";

type Cell = Results["kernelMatrix"]["cells"][number];

const title = "Kernel to kernel";
const mostNames = 60;

/** Bytes of a cell, in one superstep or (null) in all. */
function bytesIn(cell: Cell, superstep: number | null): number {
  if (superstep === null) return cell.bytes;
  const found = (cell.supersteps as [number, number][]).find(([s]) => s === superstep);
  return found ? found[1] : 0;
}

function matrix(results: Results, superstep: number | null): HTMLElement {
  const { names, cells } = results.kernelMatrix;
  const at = new Map(cells.map((c) => [c.source * names.length + c.destination, bytesIn(c, superstep)]));
  const most = Math.max(1, ...at.values());
  const strength = (n: number) => Math.round((70 * Math.log1p(n)) / Math.log1p(most));
  const shown = names.slice(0, mostNames);
  return element("table", { class: "kernels" },
    element("caption", { class: "hidden" }, "Bytes from the kernel of the row to the kernel of the column"),
    element("thead", {}, element("tr", {},
      element("th", { scope: "col", class: "corner" }, "writes ↓ reads →"),
      ...shown.map((n) => element("th", { scope: "col", title: n }, shortName(n))))),
    element("tbody", {}, ...shown.map((from, s) => element("tr", {},
      element("th", { scope: "row", title: from }, shortName(from)),
      ...shown.map((to, d) => {
        const n = at.get(s * names.length + d) ?? 0;
        return element("td", {
          class: n ? "filled" : null, title: n ? `${from} to ${to}: ${grouped(n)} bytes` : null,
          style: n ? `--strength:${strength(n)}%` : null,
        }, n ? bytes(n) : "");
      })))));
}

export function kernelMatrixFigure(results: Results): HTMLElement {
  const { names, cells } = results.kernelMatrix;
  if (cells.length === 0) return emptyFigure(title, "No kernel reads what another launch wrote.");
  const steps = [...new Set(cells.flatMap((c) => (c.supersteps as [number, number][]).map(([s]) => s)))].sort((a, b) => a - b);
  const place = element("div", { class: "table", tabindex: 0, role: "group", "aria-label": title }, matrix(results, null));
  const pick = choice("Reads in", ["all supersteps", ...steps.map((s) => `superstep ${s}`)],
    (i) => place.replaceChildren(matrix(results, i === 0 ? null : steps[i - 1]!)));
  return frame({
    title, wide: true,
    note: names.length > mostNames
      ? `Bytes that a kernel (column) reads and another one (row) wrote: the first ${mostNames} of ${grouped(names.length)} kernels; all are in the table.`
      : "Bytes that a kernel (column) reads and another one (row) wrote.",
    table: () => dataTable(cells, [
      { title: "Writes", value: (c) => names[c.source]! },
      { title: "Reads", value: (c) => names[c.destination]! },
      { title: "Bytes", value: (c) => c.bytes },
      { title: "Reads by threads", value: (c) => c.operations },
    ], { caption: `${title}, as a list`, sortBy: 2 }),
  }, [], element("div", { class: "controls" }, pick), place);
}
