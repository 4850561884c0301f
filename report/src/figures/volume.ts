/// Data volume: how much is loaded and stored, and how much of what is written communicates; here kernel by kernel.
import { bar, byteAmounts, categories, figure, shares, tooltip } from "../chart.ts";
import { bytesOf, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { bytes, percent, shortName } from "../format.ts";
import { colour } from "../theme.ts";

const mostBars = 12;

type Kernel = Results["kernels"][number];

/** The kernels that move most, most first. */
const largest = (results: Results) =>
  [...results.kernels].sort((a, b) => bytesOf(b) - bytesOf(a)).slice(0, mostBars);

const height = (kernels: Kernel[]) => 84 + 34 * kernels.length;

const sidewaysNames = (names: string[]) => ({
  ...categories(names), inverse: true, axisLabel: { color: colour("ink"), width: 110, overflow: "truncate" as const },
});

export function volumeFigure(results: Results): HTMLElement {
  const kernels = largest(results);
  const names = kernels.map((k) => shortName(k.name));
  const v = results.volume;
  return figure({
    title: "Data volume", height: height(kernels), places: kernels.length,
    note: `Bytes by threads, kernel by kernel${kernels.length < results.kernels.length ? `: the ${mostBars} largest of ${results.kernels.length}` : ""}.`,
    summary: `All kernels load ${bytes(v.loadBytes)}, store ${bytes(v.storeBytes)}, and access ${bytes(v.atomicBytes)} by atomics.`,
    option: () => ({
      xAxis: byteAmounts(kernels[0] ? bytesOf(kernels[0]) : 0), yAxis: sidewaysNames(names),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, formatter: tooltip((_, i) => kernels[i]!.name, bytes), className: "tip", confine: true },
      series: [
        bar("loads", kernels.map((k) => k.loadBytes), colour("load"), { stack: "bytes" }),
        bar("stores", kernels.map((k) => k.storeBytes), colour("store"), { stack: "bytes" }),
        bar("atomics", kernels.map((k) => k.atomicBytes), colour("atomic"), { stack: "bytes" }),
      ],
    }),
    table: () => dataTable(results.kernels, [
      { title: "Kernel", value: (k) => k.name },
      { title: "Loaded bytes", value: (k) => k.loadBytes },
      { title: "Stored bytes", value: (k) => k.storeBytes },
      { title: "Bytes of atomics", value: (k) => k.atomicBytes },
    ], { caption: "Data volume by kernel" }),
  });
}

export function shareFigure(results: Results): HTMLElement {
  const kernels = largest(results).filter((k) => k.uniqueWrittenBytes > 0);
  const rows = [
    { name: "all kernels", written: results.volume.uniqueWrittenBytes, read: results.communicated.bytes },
    ...kernels.map((k) => ({ name: k.name, written: k.uniqueWrittenBytes, read: k.readByLaunchesBytes })),
  ];
  const share = (r: (typeof rows)[number]) => (r.written ? r.read / r.written : 0);
  return figure({
    title: "Share of writes that communicates", height: height(kernels) + 34, places: rows.length,
    note: "Of the distinct bytes that a launch wrote: those that a later launch read.",
    summary: `${percent(results.communicated.share)} of ${bytes(results.volume.uniqueWrittenBytes)} written.`,
    option: () => ({
      xAxis: shares(), yAxis: sidewaysNames(rows.map((r, i) => (i ? shortName(r.name) : r.name))),
      tooltip: {
        trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true,
        formatter: tooltip((_, i) => rows[i]!.name, percent),
      },
      series: [
        bar("read by a later launch", rows.map(share), colour("good"), { stack: "share" }),
        bar("not read", rows.map((r) => (r.written ? 1 - share(r) : 0)), colour("line"), { stack: "share" }),
      ],
    }),
    table: () => dataTable(rows, [
      { title: "Kernel", value: (r) => r.name },
      { title: "Written bytes", value: (r) => r.written },
      { title: "Communicated bytes", value: (r) => r.read },
      { title: "Share", value: share, show: (r) => percent(share(r)) },
    ], { caption: "Share of writes that communicates" }),
  });
}

export const percentMark = (share: number) => `${Math.round(100 * share)} %`;
