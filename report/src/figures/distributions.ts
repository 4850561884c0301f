/// Transfer sizes, degrees, bisection and strides.
import { amounts, bar, byteAmounts, categories, emptyFigure, figure, line, shares, tooltip } from "../chart.ts";
import type { Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { axisBytes, bytes, grouped, percent, short } from "../format.ts";
import { colour } from "../theme.ts";
import { percentMark } from "./volume.ts";

const nobody = "No CTA reads what a CTA of an earlier launch wrote.";
const mostBars = 24;

// The generator of types knows these members only by the type of any further one.
type Degrees = { partners: number; ctas: number }[];
type Strides = { stride: number | null; bytes: number }[];

export function transferSizeFigure(results: Results): HTMLElement {
  const { sizes, transfers, exact } = results.transferSizes;
  const title = "Transfer sizes";
  if (transfers === 0) return emptyFigure(title, nobody);
  let sum = 0;
  const points = sizes.map((s) => ({ ...s, share: (sum += s.transfers) / transfers }));
  const first = points[0]!.bytes, last = points.at(-1)!.bytes;
  const half = points.find((p) => p.share >= 0.5)!;
  return figure({
    title, places: points.length + 2,
    note: `Share of the transfers between two CTAs that are at most so large${exact ? "" : " (sizes in classes)"}.`,
    summary: `${grouped(transfers)} transfers of ${bytes(first)} to ${bytes(last)}; half of them are at most ${bytes(half.bytes)}.`,
    option: () => ({
      xAxis: {
        ...amounts(axisBytes), type: "log", logBase: 2, min: Math.max(1, first / 2), max: last * 2,
        axisLine: { lineStyle: { color: colour("line") } },
      },
      yAxis: shares(), legend: { show: false }, grid: { left: 8, right: 24, top: 16, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: {
        trigger: "axis", className: "tip", confine: true, axisPointer: { type: "line" },
        formatter: tooltip((_, i) => (points[i - 1] ? `at most ${bytes(points[i - 1]!.bytes)}` : ""), percent),
      },
      series: [line("transfers", [[Math.max(1, first / 2), 0], ...points.map((p) => [p.bytes, p.share]), [last * 2, 1]], colour("load"),
        { step: "end", areaStyle: { color: colour("load"), opacity: 0.12 } })],
    }),
    table: () => dataTable(points, [
      { title: exact ? "Size in bytes" : "Size in bytes, at most", value: (p) => p.bytes },
      { title: "Transfers", value: (p) => p.transfers },
      { title: "Share up to here", value: (p) => p.share, show: (p) => percent(p.share) },
    ], { caption: title }),
  });
}

/** Numbers of partners, in classes of powers of two if there are many of them. */
function degreeClasses(lists: Degrees[]): { name: string; counts: number[] }[] {
  const partners = [...new Set(lists.flat().map((d) => d.partners))].sort((a, b) => a - b);
  const classOf = (n: number) => (partners.length <= mostBars ? n : 2 ** Math.floor(Math.log2(Math.max(1, n))));
  const classes = [...new Set(partners.map(classOf))];
  return classes.map((c) => ({
    name: partners.length <= mostBars || c === 1 ? grouped(c) : `${short(c)} to ${short(2 * c - 1)}`,
    counts: lists.map((list) => list.reduce((sum, d) => sum + (classOf(d.partners) === c ? d.ctas : 0), 0)),
  }));
}

export function degreeFigure(results: Results): HTMLElement {
  const { in: into, out } = results.degrees as Record<"in" | "out", Degrees>;
  const title = "Communication partners";
  const total = (list: Degrees) => list.reduce((sum, d) => sum + d.ctas, 0);
  const totals = [total(into), total(out)];
  if (totals[0]! + totals[1]! === 0) return emptyFigure(title, nobody);
  const classes = degreeClasses([into, out]);
  const share = (which: 0 | 1) => classes.map((c) => (totals[which] ? c.counts[which]! / totals[which]! : 0));
  return figure({
    title, places: classes.length,
    note: "Share of the CTAs (of each launch) that read from so many CTAs (in), or are read by so many (out).",
    summary: `A CTA reads from up to ${grouped(into.at(-1)?.partners ?? 0)} others and is read by up to ${grouped(out.at(-1)?.partners ?? 0)}.`,
    option: () => ({
      xAxis: categories(classes.map((c) => c.name)), yAxis: amounts(percentMark),
      tooltip: {
        trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true,
        formatter: tooltip((name) => `${name} ${name === "1" ? "partner" : "partners"}`, percent),
      },
      series: [bar("in-degree", share(0), colour("load")), bar("out-degree", share(1), colour("store"))],
    }),
    table: () => dataTable(classes, [
      { title: "Partners", value: (c) => c.name },
      { title: "CTAs by in-degree", value: (c) => c.counts[0]! },
      { title: "CTAs by out-degree", value: (c) => c.counts[1]! },
    ], { caption: title }),
  });
}

export function bisectionFigure(results: Results): HTMLElement {
  const title = "Bisection";
  const cuts = (["x", "y", "z"] as const).flatMap((dimension) => {
    const cut = results.bisection[dimension];
    return cut ? [{ dimension, ...cut }] : [];
  });
  if (cuts.length === 0) return emptyFigure(title, "No grid has more than one CTA in any dimension.");
  return figure({
    title, places: cuts.length,
    note: "Bytes that cross a cut through the middle of the grids, and their share of all that is transferred.",
    summary: cuts.map((c) => `A cut in ${c.dimension}: ${bytes(c.bytes)}, ${percent(c.relative)}.`).join(" "),
    option: () => ({
      xAxis: categories(cuts.map((c) => `cut in ${c.dimension}`)), yAxis: byteAmounts(Math.max(...cuts.map((c) => c.bytes))), legend: { show: false },
      grid: { left: 8, right: 16, top: 28, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: {
        trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true,
        formatter: tooltip(String, (n) => `${bytes(n)}, ${percent(cuts.find((c) => c.bytes === n)?.relative ?? 0)}`),
      },
      series: [{
        type: "bar", name: "crossing", barMaxWidth: 64,
        data: cuts.map((c) => ({ value: c.bytes, itemStyle: { color: colour(`cut-${c.dimension}`), borderRadius: 3 } })),
        label: { show: true, position: "top", color: colour("ink"), formatter: (p) => percent(cuts[p.dataIndex]!.relative) },
      }],
    }),
    table: () => dataTable(cuts, [
      { title: "Cut in", value: (c) => c.dimension },
      { title: "Bytes", value: (c) => c.bytes },
      { title: "Share of transfers", value: (c) => c.relative, show: (c) => percent(c.relative) },
    ], { caption: title }),
  });
}

export function strideFigure(results: Results): HTMLElement {
  const { loads, stores } = results.strides as Record<"loads" | "stores", Strides>;
  const title = "Strides";
  const all = [...new Set([...loads, ...stores].map((s) => s.stride))];
  if (all.length === 0) return emptyFigure(title, nobody);
  const at = (list: Strides, stride: number | null) =>
    list.reduce((sum, s) => sum + (s.stride === stride ? s.bytes : 0), 0);
  const rows = all.map((stride) => ({ stride, loads: at(loads, stride), stores: at(stores, stride) }));
  const kept = rows.filter((r) => r.stride !== null).sort((a, b) => b.loads + b.stores - a.loads - a.stores).slice(0, mostBars);
  const rest = rows.filter((r) => !kept.includes(r));
  kept.sort((a, b) => a.stride! - b.stride!);
  if (rest.length)
    kept.push({ stride: null, loads: rest.reduce((s, r) => s + r.loads, 0), stores: rest.reduce((s, r) => s + r.stores, 0) });
  const sums = { loads: rows.reduce((s, r) => s + r.loads, 0), stores: rows.reduce((s, r) => s + r.stores, 0) };
  const name = (stride: number | null) => (stride === null ? "others" : `${grouped(stride)} B`);
  const top = [...kept].sort((a, b) => b.loads - a.loads)[0]!;
  return figure({
    title, places: kept.length,
    note: "Distance in bytes between neighbouring threads, for the loads and stores that take part in communication.",
    summary: `Most bytes are loaded with stride ${name(top.stride)}.`,
    option: () => ({
      xAxis: categories(kept.map((r) => name(r.stride))), yAxis: amounts(percentMark),
      tooltip: {
        trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true,
        formatter: tooltip((n) => `stride ${n}`, percent),
      },
      series: [
        bar("loads", kept.map((r) => (sums.loads ? r.loads / sums.loads : 0)), colour("load")),
        bar("stores", kept.map((r) => (sums.stores ? r.stores / sums.stores : 0)), colour("store")),
      ],
    }),
    table: () => dataTable(rows, [
      { title: "Stride", value: (r) => r.stride ?? Infinity, show: (r) => name(r.stride) },
      { title: "Loaded bytes", value: (r) => r.loads },
      { title: "Stored bytes", value: (r) => r.stores },
    ], { caption: title }),
  });
}
