/// The roofline: kernels by their operations for each byte and their operations each second, below what the GPU can do.
///
/// Both axes are logarithmic, so a bandwidth is a line that rises by as much as it goes to the right, and a peak is level. A roof's peak begins
/// where the fastest memory that is drawn reaches it. A kernel whose time is not known is drawn hollow, where its limit would have it.
import { amounts, figure, legend, line, tip } from "../chart.ts";
import type { Roofline } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { facts } from "../dom.ts";
import { percent, seconds, shortName } from "../format.ts";
import { functionName } from "../names.ts";
import { colour, type Colour } from "../theme.ts";
import { explained, flop, intensity, isUsed, limitTitle, timeOf, type Ceiling, type Kernel, type Level } from "./work.ts";

interface Point {
  kernel: Kernel;
  x: number;
  y: number;
}

const powerBelow = (n: number) => 10 ** Math.floor(Math.log10(n)), powerAbove = (n: number) => 10 ** Math.ceil(Math.log10(n));
const roofColours: readonly Colour[] = ["cut-cyclic", "cut-graph", "atomic", "good", "store"];
const mostLabels = 12;

/** 1.234e12 -> "1.23 Tflop/s" */
export function perSecond(rate: number, unit: string): string {
  for (const [prefix, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]] as const) if (rate >= size) return `${Number((rate / size).toPrecision(3))} ${prefix}${unit}/s`;
  return `${Number(rate.toPrecision(3))} ${unit}/s`;
}
export const ratio = (n: number | null) => (n === null ? "-" : String(Number(n.toPrecision(3))));

function pointsOf(kernels: readonly Kernel[], level: Level): Point[] {
  return kernels.flatMap((kernel) => {
    const x = intensity(kernel, level), time = timeOf(kernel);
    return x && time ? [{ kernel, x, y: flop(kernel) / time }] : [];
  }).sort((a, b) => timeOf(b.kernel)! - timeOf(a.kernel)!);
}

/** Whether any kernel has a place in the drawing. */
export const isDrawn = (kernels: readonly Kernel[], level: Level) => pointsOf(kernels, level).length > 0;

/** Of kernels of which any is drawn. */
export function rooflineFigure(roofline: Roofline, kernels: readonly Kernel[], level: Level): HTMLElement {
  const points = pointsOf(kernels, level), bandwidth = roofline.rooflineCeilings.find((c) => c.limit === level.limit)?.rate ?? 0;
  const peaks = roofline.rooflineCeilings.filter((c) => c.unit === "operations" && c.rate > 0 && isUsed(c, kernels)).sort((a, b) => b.rate - a.rate);
  const highest = Math.max(...peaks.map((p) => p.rate), ...(peaks.length ? [] : points.map((p) => 2 * p.y)));
  const ridges = bandwidth > 0 ? peaks.map((p) => p.rate / bandwidth) : [];
  const left = powerBelow(Math.min(...points.map((p) => p.x), ...ridges) / 2), right = powerAbove(Math.max(...points.map((p) => p.x), ...ridges) * 2);
  const bottom = powerBelow(Math.min(...points.map((p) => p.y)) / 2), top = powerAbove(Math.max(highest, ...points.map((p) => p.y)) * 1.2);
  const slope = bandwidth > 0 ? [[left, left * bandwidth], [highest / bandwidth, highest]].map(([x, y]) => (y! < bottom ? [bottom / bandwidth, bottom] : [x!, y!])) : [];
  const peakLine = (peak: Ceiling) => [[bandwidth > 0 ? Math.max(left, peak.rate / bandwidth) : left, peak.rate], [right, peak.rate]];
  const named = (p: Point) => `${shortName(p.kernel.kernel)}: ${perSecond(p.y, "flop")} of ${perSecond(roofOf(p.x), "flop")} at ${ratio(p.x)} flop/B`;
  /** What a kernel could do at most with so many operations for each byte. */
  const roofOf = (x: number) => Math.min(x * (bandwidth || Infinity), highest);
  const first = points[0]!, isTimed = points.some((p) => p.kernel.time);
  const unlit = { symbol: "none", showSymbol: false, silent: true } as const;
  return figure({
    title: `Roofline, by bytes at ${level.title}`, places: points.length, height: 420, wide: true,
    note: `Operations a second over operations for each byte at ${level.title}. The slope is that level's bandwidth, level lines are peaks.` +
      (isTimed ? "" : " How long the kernels take is not known: each stands where its limit would have it (hollow)."),
    summary: `${points.length} ${points.length === 1 ? "kernel" : "kernels"}; the one that takes longest is ${named(first)}.`,
    option: () => ({
      grid: { left: 8, right: 24, top: 40, bottom: 28, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      legend: legend({ data: [...(bandwidth > 0 ? [level.title] : []), ...peaks.map((p) => p.limit)] }),
      xAxis: { ...amounts((n) => ratio(n)), type: "log", logBase: 10, min: left, max: right, name: "flop/B", nameLocation: "middle", nameGap: 26,
               axisLine: { lineStyle: { color: colour("line") } } },
      yAxis: { ...amounts((n) => perSecond(n, "flop")), type: "log", logBase: 10, min: bottom, max: top },
      tooltip: {
        trigger: "item", ...tip,
        formatter: (given) => {
          const { kernel, x, y } = points[(Array.isArray(given) ? given[0] : given)!.dataIndex]!;
          return facts(shortName(kernel.kernel), [
            ...(kernel.time ? [["does", perSecond(y, "flop")] as [string, string]] : []),
            ["could do", perSecond(roofOf(x), "flop")],
            [`operations at ${level.title}`, `${ratio(x)} flop/B`],
            ["limit", limitTitle(kernel.limit ?? "-")],
          ]);
        },
      },
      series: [
        line("kernels", points.map((p) => ({
          value: [p.x, p.y], itemStyle: p.kernel.time ? {} : { color: colour("card"), borderColor: colour("load"), borderWidth: 2 },
        })) as unknown as number[][], colour("load"), {
          lineStyle: { width: 0 }, symbolSize: 12, showSymbol: true, z: 5,
          label: { show: points.length <= mostLabels, position: "right", color: colour("ink"), formatter: (p) => shortName(points[p.dataIndex]!.kernel.kernel) },
          labelLayout: { hideOverlap: true },
        }),
        ...(bandwidth > 0 ? [line(level.title, slope, colour("ink"), unlit)] : []),
        ...peaks.map((peak, i) => {
          const color = colour(roofColours[i % roofColours.length]!);
          return line(peak.limit, peakLine(peak), color, { ...unlit, lineStyle: { width: 2, type: "dashed", color } });
        }),
      ],
    }),
    table: () => dataTable(points, [
      { title: "Kernel", value: (p) => p.kernel.kernel, show: (p) => functionName(p.kernel.kernel) },
      { title: "flop/B", value: (p) => p.x, show: (p) => ratio(p.x) },
      { title: isTimed ? "flop/s" : "flop/s at most", value: (p) => p.y, show: (p) => perSecond(p.y, "flop") },
      { title: "Limit", value: (p) => limitTitle(p.kernel.limit ?? "") },
      { title: "At least", value: (p) => p.kernel.leastTime ?? 0, show: (p) => seconds(p.kernel.leastTime ?? 0) },
      { title: "Explained", value: (p) => explained(p.kernel) ?? 0, show: (p) => (explained(p.kernel) === null ? "-" : percent(explained(p.kernel)!)) },
    ], { caption: "Roofline" }),
  });
}
