/// Communication from superstep to superstep.
import { amounts, bar, byteAmounts, categories, emptyFigure, figure, line, tooltip, zoomAlongX } from "../chart.ts";
import { largest, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { bytes, grouped, short, shortName } from "../format.ts";
import { colour } from "../theme.ts";

const mostBars = 160;
const grid = { left: 8, right: 16, top: 40, bottom: 34, outerBoundsMode: "same" as const, outerBoundsContain: "axisLabel" as const };

/** "superstep 3: heatStep" */
function titles(results: Results): string[] {
  const names = new Map(results.launches.map((l) => [l.id, shortName(l.kernel)]));
  return results.supersteps.map((s, i) => {
    const kernels = [...new Set(s.launches.map((id) => names.get(id) ?? "?"))];
    return `superstep ${i}: ${kernels.slice(0, 3).join(", ")}${kernels.length > 3 ? " ..." : ""}`;
  });
}

export function evolutionFigure(results: Results): HTMLElement {
  const steps = results.supersteps;
  const title = "Volume from superstep to superstep";
  if (steps.length === 0) return emptyFigure(title, "No launch, no superstep.");
  const names = titles(results);
  const loads = steps.map((s) => s.loadBytes), stores = steps.map((s) => s.storeBytes);
  const most = largest([...loads, ...stores]);
  return figure({
    title, places: steps.length, wide: true, height: 320,
    note: "Distinct bytes that the launches of a superstep read from earlier ones, and that they wrote and later ones read.",
    summary: `${steps.length} supersteps; at most ${bytes(most)} are read or written in one.`,
    option: () => ({
      xAxis: categories(steps.map((_, i) => i)), yAxis: byteAmounts(most), grid, dataZoom: zoomAlongX(),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true, formatter: tooltip((_, i) => names[i]!, bytes) },
      series: steps.length <= mostBars
        ? [bar("read from earlier ones", loads, colour("load")), bar("written, and read later", stores, colour("store"))]
        : [line("read from earlier ones", loads, colour("load")), line("written, and read later", stores, colour("store"))],
    }),
    table: () => dataTable(steps.map((s, i) => ({ ...s, i })), [
      { title: "Superstep", value: (s) => s.i },
      { title: "Launches", value: (s) => names[s.i]!.replace(/^.*?: /, "") },
      { title: "Read bytes", value: (s) => s.loadBytes },
      { title: "Written bytes", value: (s) => s.storeBytes },
    ], { caption: title }),
  });
}

export function connectivityFigure(results: Results): HTMLElement {
  const steps = results.supersteps;
  const title = "Partners from superstep to superstep";
  if (!steps.some((s) => s.outDegree.ctas + s.inDegree.ctas > 0))
    return emptyFigure(title, "No CTA has a communication partner.");
  const names = titles(results);
  const spread = (which: "inDegree" | "outDegree", name: string, color: string) => {
    const of = steps.map((s) => (s[which].ctas ? s[which] : null));
    const hidden = { lineStyle: { opacity: 0 }, showSymbol: false, silent: true, stack: which, tooltip: { show: false } };
    return [
      line(name, of.map((d) => d?.mean ?? null), color),
      // The band: an invisible line, and upon it an area as high as two deviations.
      line(`\0${which} low`, of.map((d) => d && Math.max(0, d.mean - d.deviation)), color, { ...hidden, symbol: "none" }),
      line(`\0${which} band`, of.map((d) => d && d.mean + d.deviation - Math.max(0, d.mean - d.deviation)), color,
        { ...hidden, symbol: "none", areaStyle: { color, opacity: 0.16 } }),
    ];
  };
  const means = steps.filter((s) => s.outDegree.ctas).map((s) => s.outDegree.mean);
  return figure({
    title, places: steps.length, wide: true, height: 300,
    note: "With how many CTAs a CTA shares what it wrote (out) or read (in): mean, and one standard deviation to each side.",
    summary: means.length ? `The mean number of readers of a CTA lies between ${short(-largest(means.map((m) => -m)))} and ${short(largest(means))}.` : "",
    option: () => ({
      xAxis: { ...categories(steps.map((_, i) => i)), boundaryGap: steps.length <= mostBars },
      yAxis: amounts(short), grid, dataZoom: zoomAlongX(),
      legend: { top: 0, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, textStyle: { color: colour("ink") }, data: ["out-degree", "in-degree"] },
      tooltip: {
        trigger: "axis", className: "tip", confine: true,
        formatter: tooltip((_, i) => names[i]!, (n) => (n === null || n === undefined || Number.isNaN(n) ? "-" : n.toFixed(2))),
      },
      series: [...spread("outDegree", "out-degree", colour("store")), ...spread("inDegree", "in-degree", colour("load"))],
    }),
    table: () => dataTable(steps.map((s, i) => ({ ...s, i })), [
      { title: "Superstep", value: (s) => s.i },
      { title: "CTAs that are read", value: (s) => s.outDegree.ctas },
      { title: "Out-degree, mean", value: (s) => s.outDegree.mean, show: (s) => s.outDegree.mean.toFixed(2) },
      { title: "deviation", value: (s) => s.outDegree.deviation, show: (s) => s.outDegree.deviation.toFixed(2) },
      { title: "CTAs that read", value: (s) => s.inDegree.ctas },
      { title: "In-degree, mean", value: (s) => s.inDegree.mean, show: (s) => s.inDegree.mean.toFixed(2) },
      { title: "deviation", value: (s) => s.inDegree.deviation, show: (s) => s.inDegree.deviation.toFixed(2) },
    ], { caption: title }),
  });
}

export function distanceFigure(results: Results): HTMLElement {
  const all = results.distances;
  const title = "Superstep distance";
  if (all.length === 0) return emptyFigure(title, "No launch reads what an earlier one wrote.");
  return figure({
    title, places: all.length, wide: true,
    note: "How many supersteps lie between a write and a read of it: 0 is the next one. A byte that is read at several distances counts at each.",
    summary: `${bytes(all[0]!.bytes)} are read at distance ${all[0]!.distance}; the largest distance is ${grouped(all.at(-1)!.distance)}.`,
    option: () => ({
      xAxis: categories(all.map((d) => d.distance)), yAxis: byteAmounts(largest(all.map((d) => d.bytes))), legend: { show: false },
      grid: { ...grid, top: 16 }, ...(all.length > 1 ? { dataZoom: zoomAlongX() } : {}),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true, formatter: tooltip((d) => `distance ${d}`, bytes) },
      series: [bar("bytes", all.map((d) => d.bytes), colour("good"))],
    }),
    table: () => dataTable(all, [
      { title: "Distance", value: (d) => d.distance },
      { title: "Bytes", value: (d) => d.bytes },
      { title: "Reads", value: (d) => d.operations },
    ], { caption: title }),
  });
}
