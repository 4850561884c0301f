/// What several GPUs would have to exchange, cut by cut.
import { bar, byteAmounts, categories, figure, line, tooltip, zoomAlongX } from "../chart.ts";
import { largest, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { element } from "../dom.ts";
import { bytes, percent, seconds } from "../format.ts";
import { colour } from "../theme.ts";

type Advisor = NonNullable<Results["advisor"]>;
type Cut = Advisor["cuts"][number];

const cutNames: Record<Cut["cut"], string> = {
  x: "cut in x", y: "cut in y", z: "cut in z", block: "blocks of CTAs", cyclic: "cyclic", graph: "graph partition",
};
/** Blocks with their numbers in x, y and z. */
const cutName = (c: Cut) => (c.cut === "block" ? `${cutNames.block}, ${c.tiles.join(" x ")}` : cutNames[c.cut]);

function volumeFigure(advisor: Advisor): HTMLElement {
  const devices = [...new Set(advisor.cuts.map((c) => c.devices))].sort((a, b) => a - b);
  const kinds = [...new Set(advisor.cuts.map((c) => c.cut))];
  const find = (n: number, kind: Cut["cut"]) => advisor.cuts.find((c) => c.devices === n && c.cut === kind);
  return figure({
    title: "Bytes that would cross", places: devices.length, note: "Between the GPUs, over the whole run, for each way to divide the CTAs.",
    summary: advisor.text,
    option: () => ({
      xAxis: categories(devices.map((n) => `${n} GPUs`)), yAxis: byteAmounts(largest(advisor.cuts.map((c) => c.crossingBytes))),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true, formatter: tooltip(String, bytes) },
      grid: { left: 8, right: 16, top: 56, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      series: kinds.map((kind) => bar(cutNames[kind], devices.map((n) => find(n, kind)?.crossingBytes ?? null), colour(`cut-${kind}`))),
    }),
    table: () => cutTable(advisor),
  });
}

function stepFigure(advisor: Advisor): HTMLElement {
  const best = advisor.best.map((i) => advisor.cuts[i]!);
  const name = (c: Cut) => `${c.devices} GPUs, ${cutName(c)}`;
  const colours = ["load", "store", "good", "atomic", "cut-y", "cut-block"] as const;
  const steps = Math.max(...best.map((c) => c.supersteps.length));
  const numbers = Array.from({ length: steps }, (_, i) => i);
  return figure({
    title: "Superstep by superstep", places: steps, note: "Bytes that the best cuts let cross in each superstep.",
    summary: best.map((c) => `${name(c)}: up to ${bytes(largest(c.supersteps))}.`).join(" "),
    option: () => ({
      xAxis: categories(numbers), yAxis: byteAmounts(largest(best.flatMap((c) => c.supersteps))), dataZoom: zoomAlongX(),
      grid: { left: 8, right: 16, top: 56, bottom: 34, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: { trigger: "axis", className: "tip", confine: true, formatter: tooltip((n) => `superstep ${n}`, bytes) },
      series: best.map((c, i) => line(name(c), c.supersteps, colour(colours[i % colours.length]!))),
    }),
    table: () => dataTable(numbers, [
      { title: "Superstep", value: (n) => n },
      ...best.map((c) => ({ title: name(c), value: (n: number) => c.supersteps[n] ?? 0 })),
    ], { caption: "Crossing bytes by superstep" }),
  });
}

const cutTable = (advisor: Advisor) =>
  dataTable(advisor.cuts, [
    { title: "GPUs", value: (c) => c.devices },
    { title: "Division", value: cutName },
    { title: "Crossing bytes", value: (c) => c.crossingBytes, hint: "once for each launch and GPU that reads them" },
    { title: "If kept", value: (c) => c.crossingOnceBytes, hint: "bytes that would cross if each GPU kept what it has read until it is written again" },
    { title: "Share", value: (c) => c.crossingShare, show: (c) => percent(c.crossingShare), hint: "of all that is transferred between CTAs" },
    { title: "From the host", value: (c) => c.readFromHostBytes, hint: "bytes that the host wrote, once for each GPU that reads them; not in the crossing bytes" },
    { title: "Memory", value: (c) => c.memoryBytes, show: (c) => bytes(c.memoryBytes), hint: "that the GPU which needs most needs for what its CTAs access" },
    { title: "Balance", value: (c) => c.balance, show: (c) => c.balance.toFixed(2), hint: "bytes of the busiest GPU / mean; 1 is even" },
    { title: "Work", value: (c) => c.parallelism, show: (c) => `${c.parallelism.toFixed(2)} x`, hint: "how much faster the work would be if nothing had to cross" },
    { title: "Time on the link", value: (c) => c.seconds, show: (c) => seconds(c.seconds) },
    ...(advisor.kernelSeconds === null ? [] : [{ title: "Speed-up", value: (c: Cut) => c.speedup ?? 0,
      show: (c: Cut) => `${(c.speedup ?? 0).toFixed(2)} x`, hint: "over one GPU, with the time on the link" }]),
    { title: "", value: (c) => (advisor.best.includes(advisor.cuts.indexOf(c)) ? "best" : ""),
      show: (c) => (advisor.best.includes(advisor.cuts.indexOf(c)) ? element("span", { class: "tag good" }, "best") : "") },
  ], { caption: "Ways to divide the CTAs" });

export function advisorSection(advisor: Advisor): HTMLElement[] {
  const { bytesPerSecond, latencySeconds } = advisor.link;
  return [
    element("p", { class: "lead" }, advisor.text),
    element("div", { class: "cards" }, volumeFigure(advisor), stepFigure(advisor)),
    element("div", { class: "card" }, cutTable(advisor)),
    element("p", { class: "note" },
      [...advisor.notes, `Times are for a link of ${(bytesPerSecond / 1e9).toFixed(1)} GB/s with ${seconds(latencySeconds)} latency, superstep by superstep.`].join(" ")),
  ];
}
