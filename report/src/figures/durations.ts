/// How long accesses took in timed launches: by kernel, by access, and how the durations of one are distributed.
import { amounts, bar, categories, figure, tooltip } from "../chart.ts";
import { isModelled, timedAccesses, type Results, type TimedAccess } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, choice, element, present, type Child } from "../dom.ts";
import { grouped, percent, short, shortName } from "../format.ts";
import { functionName } from "../names.ts";
import { placeLink } from "../sections/place.ts";
import { cyclesNote, timedName } from "../source/durations.ts";
import { colour } from "../theme.ts";
import { excerptFigure } from "./excerpt.ts";

type Class = Results["latencyClasses"][number];

/** As cupranalyze makes classes: eight for each power of two, and one for each number below 16. */
const classLast = (first: number) => first + Math.max(1, 2 ** (Math.floor(Math.log2(Math.max(1, first))) - 3)) - 1;
/** Between far classes the empty ones are left out. */
const mostEmpty = 40;

const rangeName = (first: number, last: number) => (first === last ? grouped(first) : `${grouped(first)}\u2013${grouped(last)}`);

/** With the empty ones between, so that what is far apart stands apart. */
function withGaps(classes: readonly Class[]): { name: string; samples: number }[] {
  return classes.flatMap((of, i) => {
    const rows = [{ name: rangeName(of.first, of.last), samples: of.samples }], next = classes[i + 1];
    if (!next) return rows;
    for (let first = of.last + 1; first < next.first && rows.length <= mostEmpty; first = classLast(first) + 1)
      rows.push({ name: rangeName(first, classLast(first)), samples: 0 });
    return rows.length > mostEmpty ? [rows[0]!, { name: "\u2026", samples: 0 }] : rows;
  });
}

const withError = (n: number, error: number | null, show: (n: number) => string) => `${show(n)}${error === null ? "" : ` ± ${show(error)}`}`;
const oneDigit = (n: number) => n.toFixed(1);

function histogram(results: Results, access: TimedAccess): HTMLElement {
  const classes = results.latencyClasses.filter((c) => c.access === access.number), rows = withGaps(classes);
  const isModel = isModelled(results);
  return figure({
    title: `Durations of ${timedName(access)}`, places: rows.length,
    note: `How many of its accesses took so many cycles${isModel ? " (modelled)" : ""}; a class is no wider than an eighth of its cycles. ` +
      `Kernel ${shortName(access.kernel)}.`,
    summary: `${grouped(access.samples)} accesses, ${oneDigit(access.mean)} cycles on average, half of them at most ${grouped(access.p50)}, 99 % at most ${grouped(access.p99)}.`,
    option: () => ({
      xAxis: categories(rows.map((r) => r.name), "cycles"), yAxis: amounts(short), legend: { show: false },
      grid: { left: 8, right: 16, top: 16, bottom: 28, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, className: "tip", confine: true,
                 formatter: tooltip((name) => `${name} cycles`, grouped) },
      series: [bar("accesses of warps", rows.map((r) => r.samples), colour("load"))],
    }),
    table: () => dataTable(classes, [
      { title: "Cycles, from", value: (c) => c.first },
      { title: "To", value: (c) => c.last },
      { title: "Accesses of warps", value: (c) => c.samples },
    ], { caption: "Durations" }),
  });
}

/** The figure that shows one access, and the list that chooses it. */
class Histogram {
  readonly node = element("div", { id: "duration-histogram" });
  private readonly place = element("div");
  private readonly list: HTMLSelectElement;

  constructor(private readonly results: Results, private readonly accesses: readonly TimedAccess[]) {
    const label = choice("Access", accesses.map(timedName), (i) => this.draw(i));
    this.list = label.querySelector("select")!;
    this.node.append(element("div", { class: "controls" }, label), this.place);
    this.draw(0);
  }

  /** `number`: of the access among all; it stays as it is if this one is not shown. */
  show(number: number) {
    const index = this.accesses.findIndex((a) => a.number === number);
    if (index < 0) return;
    this.list.selectedIndex = index;
    this.draw(index);
    this.node.scrollIntoView({ block: "center", behavior: "instant" });
    this.list.focus({ preventScroll: true });
  }

  private draw(index: number) {
    const access = this.accesses[index];
    this.place.replaceChildren(...(access ? [histogram(this.results, access)] : []));
  }
}

let shown: Histogram | undefined;

/** What brings the histogram of a timed access into sight. */
export const histogramLink = (access: TimedAccess | undefined): Child =>
  access ? button("durations", () => shown?.show(access.number), { class: "tag", title: "Show how its durations are distributed" }) : null;

function accessTable(results: Results, accesses: readonly TimedAccess[]): HTMLElement {
  const all = results.latencyKernels.reduce((sum, k) => sum + k.cycles, 0);
  const perAccess = (a: TimedAccess, width: number) => (a.widthOf === "" ? -1 : width / a.samples);
  const widthText = (a: TimedAccess, width: number) => (a.widthOf === "" ? "-" : `${oneDigit(width / a.samples)} ${a.widthOf}`);
  return dataTable(accesses, [
    { title: "Place", value: (a) => `${a.file}:${a.line}`, show: (a) => placeLink(results, a.file, a.line) },
    { title: "Column", value: (a) => a.column },
    { title: "Operation", value: (a) => a.operation },
    { title: "Memory", value: (a) => a.space },
    { title: "Kernel", value: (a) => a.kernel, show: (a) => functionName(a.kernel) },
    { title: "Function", value: (a) => a.function, show: (a) => functionName(a.function) },
    { title: "Accesses of warps", value: (a) => a.samples },
    { title: "Of memory time", hint: "of the cycles of all timed accesses", value: (a) => (all ? a.cycles / all : 0), show: (a) => percent(all ? a.cycles / all : 0) },
    { title: "Mean cycles", hint: "with its interval of 95 %", value: (a) => a.mean, show: (a) => withError(a.mean, a.meanError, oneDigit) },
    { title: "p50", hint: "cycles", value: (a) => a.p50 },
    { title: "p99", hint: "cycles", value: (a) => a.p99 },
    { title: "Most", hint: "cycles", value: (a) => a.max },
    { title: "Width", hint: "sectors or wavefronts of an access", value: (a) => perAccess(a, a.width), show: (a) => widthText(a, a.width) },
    { title: "Least width", hint: "if the same bytes lay in the best order", value: (a) => perAccess(a, a.leastWidth), show: (a) => widthText(a, a.leastWidth) },
    { title: "Its pattern's cycles", hint: "what wide accesses took beyond narrower ones, with its interval of 95 %",
      value: (a) => (a.patternReference === null ? -Infinity : a.patternCycles),
      show: (a) => (a.patternReference === null ? "-" : withError(a.patternCycles, a.patternError, grouped)) },
    { title: "Durations", value: () => "", show: (a) => histogramLink(a) as Node },
  ], { caption: "Timed accesses", sortBy: 7 });
}

const kernelTable = (results: Results) =>
  dataTable(results.latencyKernels, [
    { title: "Kernel", value: (k) => k.kernel, show: (k) => functionName(k.kernel) },
    { title: "Timed launches", value: (k) => k.launches },
    { title: "Warps", value: (k) => k.warps },
    { title: "Accesses of warps", value: (k) => k.samples },
    { title: "Not timed", hint: "accesses of warps that nothing was measured of", value: (k) => k.untimed },
    { title: "Mean cycles", hint: "with its interval of 95 %", value: (k) => k.mean, show: (k) => withError(k.mean, k.meanError, oneDigit) },
    { title: "Of its warps' time", hint: "in which an access or more was under way, from the first access to the last",
      value: (k) => k.memoryShare ?? -1, show: (k) => (k.memoryShare === null ? "-" : percent(k.memoryShare)) },
  ], { caption: "Timed kernels", sortBy: 3 });

export function durationsSection(results: Results): Child[] {
  const accesses = timedAccesses(results).sort((a, b) => b.cycles - a.cycles);
  const note = cyclesNote(results, isModelled(results));
  if (note === null) return [element("p", { class: "note" }, "No launch of this kernel was timed.")];
  shown = new Histogram(results, accesses);
  return present([
    element("p", { class: "note" }, note),
    element("div", { class: "card", id: "timed-kernels" }, element("h3", {}, "Kernels"), kernelTable(results)),
    element("div", { class: "card", id: "timed-accesses" }, element("h3", {}, "Accesses"), accessTable(results, accesses)),
    shown.node,
    excerptFigure(results),
  ]);
}
