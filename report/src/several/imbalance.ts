/// What each trace does of something, side by side: of ranks that share work evenly all bars are of one height.
import { amounts, bar, byteAmounts, categories, figure, line, tooltip, type Series } from "../chart.ts";
import type { Traces } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { choice, element } from "../dom.ts";
import { bytes, grouped, niceStep, seconds, short } from "../format.ts";
import { colour, type Colour } from "../theme.ts";
import { traceLabels } from "./labels.ts";

type Trace = Traces["traces"][number];

interface Part {
  name: string;
  colour: Colour;
  of: (trace: Trace) => number;
}
interface Measure {
  title: string;
  note: string;
  /** Stacked; a trace's value is their sum. */
  parts: Part[];
  show: (n: number) => string;
  axis: (most: number) => ReturnType<typeof byteAmounts>;
}

const sectorBytes = 32;

/** From 0 to at least `most`. */
function steps(most: number, label: (n: number) => string) {
  const step = niceStep(most / 5);
  return { ...amounts(label), min: 0, max: step * Math.max(1, Math.ceil(most / step)), interval: step };
}

const nanoseconds = (n: number) => seconds(n / 1e9);

export const moved: Measure = {
  title: "Bytes moved", note: "32 bytes for each sector that requests moved", show: bytes, axis: byteAmounts,
  parts: [
    { name: "of use", colour: "good", of: (t) => sectorBytes * t.leastSectors },
    { name: "excess", colour: "store", of: (t) => sectorBytes * (t.sectors - t.leastSectors) },
  ],
};
const others: Measure[] = [
  {
    title: "Accesses", note: "Accesses by threads", show: grouped, axis: (most) => steps(most, short),
    parts: [
      { name: "loads", colour: "load", of: (t) => t.loads }, { name: "stores", colour: "store", of: (t) => t.stores },
      { name: "atomics", colour: "atomic", of: (t) => t.atomics },
    ],
  },
  {
    title: "Communicated bytes", note: "Distinct bytes that launches wrote and later ones of the same trace read", show: bytes, axis: byteAmounts,
    parts: [{ name: "communicated", colour: "load", of: (t) => t.communicatedBytes }],
  },
];
const time: Measure = {
  title: "Time on the device", note: "Sum of the launches' times, with tracing", show: nanoseconds, axis: (most) => steps(most, nanoseconds),
  parts: [{ name: "time", colour: "load", of: (t) => t.deviceTime ?? 0 }],
};

export const valueOf = (measure: Measure, trace: Trace) => measure.parts.reduce((sum, part) => sum + part.of(trace), 0);

/** The largest value, of the mean: 1 where all are equal. */
export function imbalance(measure: Measure, { traces }: Traces): { most: number; mean: number; factor: number; at: number } {
  const values = traces.map((t) => valueOf(measure, t));
  const most = values.reduce((a, b) => Math.max(a, b), 0), mean = values.reduce((a, b) => a + b, 0) / values.length;
  return { most, mean, factor: mean ? most / mean : 1, at: values.indexOf(most) };
}

function measured(traces: Traces, measure: Measure): HTMLElement {
  const labels = traceLabels(traces), { most, mean, factor, at } = imbalance(measure, traces);
  return figure({
    title: measure.title, wide: true, places: labels.length,
    note: `${measure.note}. The line is the mean, ${measure.show(mean)}; the most, of ${labels[at]}, is ${factor.toFixed(2)} times that.`,
    summary: `${labels.length} traces, ${measure.show(mean)} on average; ${labels[at]} has most, ${measure.show(most)}, ${factor.toFixed(2)} times the average.`,
    option: () => ({
      xAxis: categories(labels), yAxis: measure.axis(most),
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true, formatter: tooltip((_, i) => labels[i]!, measure.show) },
      series: [
        ...measure.parts.map((part): Series => bar(part.name, traces.traces.map(part.of), colour(part.colour), { stack: "value" })),
        line("mean", labels.map(() => mean), colour("ink"), { showSymbol: false, lineStyle: { width: 1, type: "dashed", color: colour("ink") } }),
      ],
    }),
    table: () => dataTable(traces.traces.map((trace, i) => ({ trace, label: labels[i]! })), [
      { title: "Trace", value: (r) => r.label },
      ...measure.parts.map((part) => ({ title: part.name, value: (r: { trace: Trace }) => part.of(r.trace), show: (r: { trace: Trace }) => measure.show(part.of(r.trace)) })),
      { title: "Of the mean", value: (r) => (mean ? valueOf(measure, r.trace) / mean : 1), show: (r) => (mean ? valueOf(measure, r.trace) / mean : 1).toFixed(2) },
    ], { caption: `${measure.title} by trace` }),
  });
}

export function imbalanceFigure(traces: Traces): HTMLElement {
  const measures = [moved, ...others, ...(traces.traces.some((t) => t.deviceTime !== null) ? [time] : [])];
  const place = element("div", {}, measured(traces, moved));
  const pick = choice("Compare by", measures.map((m) => m.title), (i) => place.replaceChildren(measured(traces, measures[i]!)));
  return element("div", {}, element("div", { class: "controls" }, pick), place);
}
