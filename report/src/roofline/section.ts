/// What bounds the time of kernels: their roofline, and what each kernel and line does.
import type { Results, Roofline } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { choice, element, type Child } from "../dom.ts";
import { percent, seconds } from "../format.ts";
import { functionName } from "../names.ts";
import { placeLink } from "../sections/place.ts";
import { termButton } from "../terms.ts";
import { isDrawn, perSecond, ratio, rooflineFigure } from "./chart.ts";
import { explained, flop, intensity, levels, limitTitle, type Kernel, type Line } from "./work.ts";

const orNone = <T>(n: T | null, show: (n: T) => string) => (n === null ? "-" : show(n));

const kernelTable = (kernels: readonly Kernel[]) => {
  const longest = (k: Kernel) => k.time ?? (k.leastTime ?? 0) * 1e9;
  return dataTable([...kernels].sort((a, b) => longest(b) - longest(a)), [
    { title: "Kernel", value: (k) => k.kernel, show: (k) => functionName(k.kernel) },
    { title: "flop", value: flop, hint: "operations of floating-point numbers and tensor cores" },
    ...levels.map((level) => ({
      title: `flop/B, ${level.title}`, value: (k: Kernel) => intensity(k, level) ?? 0, show: (k: Kernel) => ratio(intensity(k, level)),
    })),
    { title: "Limit", value: (k) => limitTitle(k.limit ?? ""), hint: "what takes longest by itself" },
    { title: "At least", value: (k) => k.leastTime ?? 0, show: (k) => orNone(k.leastTime, seconds), hint: "that the limit alone takes" },
    { title: "Takes", value: (k) => k.time ?? 0, show: (k) => orNone(k.time, (ns) => seconds(ns / 1e9)), hint: "untraced" },
    { title: "Explained", value: (k) => explained(k) ?? 0, show: (k) => orNone(explained(k), percent), hint: "how much of the time the limit explains" },
    { title: "Issue rate", value: (k) => k.issueRate ?? 0, show: (k) => orNone(k.issueRate, (n) => n.toFixed(2)), hint: "instructions of a warp scheduler in each cycle" },
    { title: "Occupancy", value: (k) => k.occupancy, show: (k) => percent(k.occupancy), hint: "warps on a multiprocessor, of as many as it can have" },
  ], { caption: "Kernels and their limits" });
};

const lineTable = (results: Results, lines: readonly Line[]) =>
  dataTable([...lines].sort((a, b) => (b.leastTime ?? 0) - (a.leastTime ?? 0)), [
    { title: "Line", value: (l) => `${l.file}:${l.line}`, show: (l) => placeLink(results, l.file, l.line) },
    { title: "Function", value: (l) => l.function, show: (l) => functionName(l.function) },
    { title: "Instructions", value: (l) => l.instructions },
    { title: "flop", value: flop },
    ...levels.map((level) => ({ title: `Bytes, ${level.title}`, value: (l: Line) => level.bytes(l) })),
    { title: "Limit", value: (l) => limitTitle(l.limit ?? "") },
    { title: "At least", value: (l) => l.leastTime ?? 0, show: (l) => orNone(l.leastTime, seconds) },
  ], { caption: "Lines and their limits" });

export function rooflineSection(roofline: Roofline, shown: Results): Child[] {
  const names = new Set(shown.kernels.map((k) => k.name));
  const kernels = roofline.rooflineKernels.filter((k) => names.has(k.kernel)), lines = roofline.rooflineLines.filter((l) => names.has(l.kernel));
  if (kernels.length === 0) return [element("p", { class: "empty" }, "Nothing is known of what this kernel executes.")];
  const drawable = levels.filter((level) => isDrawn(kernels, level));
  const place = element("div");
  const draw = (index: number) => place.replaceChildren(rooflineFigure(roofline, kernels, drawable[index]!));
  if (drawable.length > 0) draw(0);
  const bandwidth = roofline.rooflineCeilings.find((c) => c.limit === "dram");
  return [
    element("p", { class: "lead" }, "The ", termButton("limit", "limit"), " of a kernel is what takes longest by itself: its operations at their precision's peak, or the bytes that move at a level of memory. ",
      `Peaks and bandwidths were measured on ${roofline.ceilings}${bandwidth ? `, whose memory gives ${perSecond(bandwidth.rate, "B")}` : ""}; what comes to L2 and from memory is modelled, for ${roofline.device}.`),
    drawable.length > 1 && element("div", { class: "controls" }, choice("Bytes at", drawable.map((l) => l.title), draw)),
    drawable.length > 0 ? place : element("p", { class: "empty" }, "These kernels compute no floating-point numbers: what bounds them stands in the table."),
    element("div", { class: "card" }, element("h3", {}, "Kernels"), kernelTable(kernels)),
    element("div", { class: "card" }, element("h3", {}, "Lines"), element("p", { class: "note" }, "Each by itself: together they may take longer than their kernel."), lineTable(shown, lines)),
  ];
}
