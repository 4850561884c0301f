/// The sources of a program as a profiler shows them: what is looked at, searched and coloured by, the files, and all
/// accesses as a list.
import { fragment } from "../address.ts";
import { grouping, isModelled, type Access, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, choice, element } from "../dom.ts";
import { fileName, grouped, percent, shortName } from "../format.ts";
import { histogramLink } from "../figures/durations.ts";
import { functionName } from "../names.ts";
import { faultId, type NumberedFault } from "../sections/faults.ts";
import { byPlace, entryId } from "../sections/findings.ts";
import { linesOf, placeLink, sourceIndex } from "../sections/place.ts";
import { leavesOut } from "../selection.ts";
import { termButton } from "../terms.ts";
import { costColumns, costOf, excess, firstHeat, heatOf, operationOf, operations, perRequest, useful, type Cost, type CostColumn, type Operation } from "./cost.ts";
import { asAccess, cyclesNote, durationColumns, TimedPlaces } from "./durations.ts";
import { Listing, type ListedLine } from "./listing.ts";

interface File {
  path: string;
  text: string[];
  lines: Map<number, ListedLine>;
  details: HTMLDetailsElement;
  listing: Listing | null;
}

/** What stays as it is chosen when the kernel changes. */
const chosen = { heat: firstHeat, operation: null as Operation | null };

class SourceView {
  readonly node = element("div");
  private files: File[] = [];
  private hot: { file: number; line: number; heat: number }[] = [];
  private at = -1;
  private readonly place = element("output", { class: "soft" });
  private readonly found = element("output", { class: "soft" });
  private readonly list = element("div");
  private matches: { file: number; line: number }[] = [];
  private match = -1;
  private readonly columns: readonly CostColumn[];
  private timed: TimedPlaces;

  /** `results` and `faults` are of the chosen kernel; lines and the numbers of findings and faults are those of all. */
  constructor(private readonly results: Results, private readonly all: Results, private readonly faults: readonly NumberedFault[]) {
    this.columns = costColumns(all);
    this.timed = new TimedPlaces(results, chosen.operation);
    const search = element("input", { type: "search", "aria-label": "Search in the sources", placeholder: "Search" });
    search.addEventListener("input", () => this.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.goToMatch(event.shiftKey ? -1 : 1);
    });
    const heat = choice("Heat", this.columns.map((c) => c.title), (i) => this.colour(i));
    const operation = choice("Operations", ["all", ...operations.map((o) => `${o}s`)], (i) => {
      chosen.operation = operations[i - 1] ?? null;
      this.fill();
    });
    heat.querySelector("select")!.selectedIndex = chosen.heat;
    operation.querySelector("select")!.selectedIndex = chosen.operation ? operations.indexOf(chosen.operation) + 1 : 0;
    this.node.append(
      element("div", { class: "controls", role: "group", "aria-label": "Source view" }, operation, heat,
        button("Previous hotspot", () => this.goToHot(-1)), button("Next hotspot", () => this.goToHot(1)), this.place),
      element("div", { class: "controls", role: "search" }, search,
        button("Previous match", () => this.goToMatch(-1)), button("Next match", () => this.goToMatch(1)), this.found),
      this.list);
    this.fill();
  }

  /** Opens the file, unfolds the line and brings it into sight. */
  reveal(index: number, line: number): HTMLElement | null {
    const file = this.files[index];
    if (!file) return null;
    this.open(index);
    file.details.open = true;
    const row = file.listing?.reveal(line) ?? null;
    for (const marked of this.list.querySelectorAll(".current")) marked.classList.remove("current");
    row?.classList.add("current");
    row?.scrollIntoView({ block: "center", behavior: "instant" });
    return row;
  }

  private fill() {
    const accesses = this.results.accesses.filter((a) => chosen.operation === null || operationOf(a) === chosen.operation);
    const byFile = grouping(accesses, (a) => a.file);
    // What is communicated is known by line, in all kernels and launches together.
    const known = new Map(chosen.operation || leavesOut(this.results) ? [] : this.results.lines.map((l) => [`${l.file}:${l.line}`, l]));
    const wasOpen = this.files.map((file) => file.details.open);
    const timed = this.timed = new TimedPlaces(this.results, chosen.operation);
    this.files = this.results.sources.map((source, index) => {
      const byLine = grouping(byFile.get(source.path) ?? [], (a) => a.line);
      for (const line of timed.linesOf(source.path)) if (!byLine.has(line)) byLine.set(line, []);
      const lines = new Map([...byLine].map(([line, list]): [number, ListedLine] => {
        const place = `${source.path}:${line}`;
        return [line, { accesses: [...list, ...(timed.others.get(place) ?? []).map(asAccess)],
                        cost: costOf(list, known.get(place), timed.ofLine(source.path, line)) }];
      }));
      const details = element("details", { class: "card file" }, element("summary", {}, source.path));
      details.addEventListener("toggle", () => details.open && this.open(index));
      return { path: source.path, text: linesOf(source), lines, details, listing: null };
    });
    this.sortHot();
    this.list.replaceChildren(...this.files.map((file) => file.details), accessCard(this.results, accesses, timed));
    this.files.forEach((file, i) => {
      file.details.open = wasOpen[i] ?? i === 0;
      if (file.details.open) this.open(i);
    });
  }

  private open(index: number) {
    const file = this.files[index]!;
    if (file.listing) return;
    const shown = new Set(this.results.findings);
    const findings = new Map(byPlace(this.all.findings).flatMap((list, i) => {
      const f = list.find((each) => shown.has(each));
      return f && f.line && f.file === file.path ? [[f.line, [i, f.title] as const]] : [];
    }));
    const faults = grouping(this.faults.flatMap(({ number, fault }) => [...new Set(fault.accesses
      .filter((a) => sourceIndex(this.results, a.file) === index).map((a) => a.line).filter((line) => line > 0))].map((line) => ({ line, number, fault }))), (f) => f.line);
    file.listing = new Listing({
      index, path: file.path, text: file.text, lines: file.lines, columns: this.columns, timed: this.timed,
      histogram: (access) => histogramLink(this.timed.numbered(access)),
      faulty: faults.keys(),
      tags: (line) => {
        const [number, title] = findings.get(line) ?? [], [fault, ...more] = faults.get(line) ?? [];
        return [
          fault && element("a", { class: "tag bad", href: fragment(faultId(fault.number)), title: fault.fault.title },
            `fault ${fault.number}${more.length ? ` and ${grouped(more.length)} more` : ""}`),
          number !== undefined && element("a", { class: "tag warn", href: fragment(entryId(number)), title }, `finding ${number + 1}`),
        ];
      },
    }, chosen.heat, this.hot[0]?.heat ?? 0);
    file.details.append(file.listing.node);
  }

  private sortHot() {
    const column = this.columns[chosen.heat]!;
    this.hot = this.files.flatMap((file, index) => [...file.lines].map(([line, { cost }]) =>
      ({ file: index, line, heat: heatOf(column, cost) })))
      .filter((h) => h.heat > 0 && h.line > 0).sort((a, b) => b.heat - a.heat || a.file - b.file || a.line - b.line);
    this.at = -1;
    this.place.textContent = `${grouped(this.hot.length)} lines`;
  }

  private colour(column: number) {
    chosen.heat = column;
    this.sortHot();
    for (const file of this.files) file.listing?.paint(column, this.hot[0]?.heat ?? 0);
  }

  private goToHot(step: number) {
    if (this.hot.length === 0) return;
    this.at = this.at < 0 && step < 0 ? this.hot.length - 1 : (this.at + step + this.hot.length) % this.hot.length;
    const { file: index, line } = this.hot[this.at]!;
    const file = this.files[index]!, column = this.columns[chosen.heat]!;
    this.reveal(index, line);
    const value = column.value(file.lines.get(line)!.cost);
    this.place.textContent = `${grouped(this.at + 1)} of ${grouped(this.hot.length)}: ${fileName(file.path)}:${line}, ` +
      `${column.title.toLowerCase()} ${value === null ? "-" : column.show(value)}`;
  }

  private search(text: string) {
    const wanted = text.toLowerCase();
    this.matches = wanted === "" ? [] : this.files.flatMap((file, index) => file.text.flatMap((line, i) =>
      line.toLowerCase().includes(wanted) ? [{ file: index, line: i + 1 }] : []));
    this.match = -1;
    this.found.textContent = wanted === "" ? "" : `${grouped(this.matches.length)} lines`;
  }

  private goToMatch(step: number) {
    const count = this.matches.length;
    if (count === 0) return;
    this.match = this.match < 0 && step < 0 ? count - 1 : (this.match + step + count) % count;
    const { file, line } = this.matches[this.match]!;
    this.reveal(file, line);
    this.found.textContent = `${grouped(this.match + 1)} of ${grouped(count)}: ${fileName(this.files[file]!.path)}:${line}`;
  }
}

let view: SourceView | undefined;

export function sourceSection(results: Results, all: Results, faults: readonly NumberedFault[]): HTMLElement[] {
  view = new SourceView(results, all, faults);
  const note = cyclesNote(results, isModelled(results));
  return [...(note ? [element("p", { class: "note" }, note)] : []), view.node];
}

/** Brings a line into sight; false: `id` is none of a line. */
export function revealLine(id: string): boolean {
  const [, file, line] = /^line-(\d+)-(\d+)$/.exec(id) ?? [];
  return line !== undefined && Boolean(view?.reveal(Number(file), Number(line)));
}

function accessCard(results: Results, accesses: Access[], timed: TimedPlaces): HTMLElement {
  const rows = accesses.map((access) => ({ ...access, cost: costOf([access], undefined, timed.of([access])) }));
  type Row = Access & { cost: Cost };
  const durations = results.latencyKernels.length === 0 ? [] : durationColumns.map((column) => ({
    title: column.title, value: (r: Row) => column.value(r.cost) ?? -1,
    show: (r: Row) => { const value = column.value(r.cost); return value === null ? "-" : column.show(value); },
  }));
  const callers = (r: Row) => r.callers.map((caller, i) => shortName(caller) + (r.callSites[i] ? ` at ${fileName(r.callSites[i]!)}` : ""));
  return element("div", { class: "card", id: "accesses" }, element("h3", {}, "All accesses"),
    element("p", { class: "note" }, "What is an ", termButton("access", "access"), ", a ", termButton("request", "request"), ", a ",
      termButton("sector", "sector"), "; how many ", termButton("sectors per request", "sectors per request"), " are good; what is ", termButton("ideal sectors", "ideal"), ", ", termButton("excess", "excess"), " and ",
      termButton("of use", "of use"), "?"),
    dataTable<Row>(rows, [
    { title: "Place", value: (r) => `${r.file}:${r.line}`, show: (r) => placeLink(results, r.file, r.line) },
    { title: "Column", value: (r) => r.column },
    { title: "Operation", value: (r) => r.operation },
    { title: "Kernel", value: (r) => r.kernel, show: (r) => functionName(r.kernel) },
    { title: "Function", value: (r) => r.function, show: (r) => functionName(r.function) },
    { title: "Called from", hint: "innermost first, inlined or not", value: (r) => callers(r).join(", "),
      show: (r) => element("span", { title: r.callSites.join(", ") }, callers(r).join(", ")) },
    { title: "Bytes each", hint: "of each thread", value: (r) => r.bytes },
    { title: "Accesses", hint: "by threads", value: (r) => r.accesses },
    { title: "Requests", hint: "accesses by warps", value: (r) => r.requests },
    { title: "Sectors", hint: "32-byte sectors, request by request", value: (r) => r.sectors },
    { title: "Sectors per request", value: (r) => perRequest(r.cost), show: (r) => perRequest(r.cost).toFixed(1) },
    { title: "Ideal sectors", hint: "if each request's bytes lay side by side", value: (r) => r.leastSectors },
    { title: "Excess sectors", hint: "sectors that another layout would save", value: (r) => excess(r.cost) },
    { title: "Of use", hint: "ideal sectors / sectors", value: (r) => useful(r.cost), show: (r) => percent(useful(r.cost)) },
    ...durations,
  ], { caption: "All accesses", sortBy: 9 }));
}
