/// Warps of a timed launch over time: a row for each, apart by multiprocessor, and on it its accesses. Accesses of one warp that are under
/// way together have rows beside each other.
import { frame } from "../chart.ts";
import { isModelled, type Excerpt, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, choice, element, icon } from "../dom.ts";
import { dimensions, grouped, niceStep, shortName } from "../format.ts";
import { timedName } from "../source/durations.ts";
import { zoomIcons } from "../zoom_icons.ts";

type Track = Excerpt["tracks"][number];

interface Slice {
  start: number;
  duration: number;
  access: number;
  /** Among the rows of its warp. */
  row: number;
}
interface Warp {
  track: Track;
  slices: Slice[];
  rows: number;
}

const rowHeight = 12, marks = 5, shortest = 16;

const warpName = (track: Track) => `block ${track.block.join(", ")}, warp ${track.warp}`;

function warpOf(track: Track): Warp {
  const ends: number[] = [];
  const slices = track.starts.map((start, i): Slice => {
    const duration = track.durations[i]!, free = ends.findIndex((end) => end <= start), row = free < 0 ? ends.length : free;
    ends[row] = start + duration;
    return { start, duration, access: track.accesses[i]!, row };
  });
  return { track, slices, rows: Math.max(1, ends.length) };
}

class Drawing {
  readonly node = element("div", { class: "gantt" });
  private readonly warps: Warp[];
  private readonly length: number;
  private from = 0;
  private to: number;

  constructor(private readonly results: Results, excerpt: Excerpt, private readonly names: readonly string[]) {
    this.warps = excerpt.tracks.map(warpOf);
    this.length = Math.max(1, excerpt.end ?? this.warps.reduce((end, { slices }) => slices.reduce((e, s) => Math.max(e, s.start + s.duration), end), 0));
    this.to = this.length;
    this.draw();
  }

  /** Makes the window `factor` times as long, around its middle. */
  zoom(factor: number) {
    const half = Math.min(this.length, Math.max(shortest, (this.to - this.from) * factor)) / 2;
    this.show((this.from + this.to) / 2 - half, 2 * half);
  }
  /** By a part of the window. */
  move(part: number) {
    this.show(this.from + part * (this.to - this.from), this.to - this.from);
  }

  private show(from: number, length: number) {
    this.from = Math.max(0, Math.min(this.length - length, from));
    this.to = this.from + length;
    this.draw();
  }

  private place(start: number, end: number): string {
    const at = (cycle: number) => (100 * (cycle - this.from)) / (this.to - this.from);
    const left = Math.max(0, at(start));
    return `left:${left.toFixed(3)}%;width:${(Math.min(100, at(end)) - left).toFixed(3)}%`;
  }

  private draw() {
    const rows: HTMLElement[] = [];
    let sm = -1;
    for (const warp of this.warps) {
      if (warp.track.sm !== sm) {
        sm = warp.track.sm;
        rows.push(element("p", { class: "multiprocessor" }, `Multiprocessor ${sm}`));
      }
      rows.push(element("div", { class: "warp" }, element("span", { class: "warp-name" }, warpName(warp.track)), this.lane(warp)));
    }
    this.node.replaceChildren(...rows, this.axis());
    this.node.dataset["from"] = String(Math.round(this.from));
    this.node.dataset["to"] = String(Math.round(this.to));
  }

  private lane(warp: Warp): HTMLElement {
    const seen = warp.slices.filter((s) => s.start < this.to && s.start + s.duration > this.from);
    return element("div", { class: "lane", style: `height:${rowHeight * warp.rows}px` }, ...seen.map((slice) =>
      element("i", {
        class: this.results.latencyAccesses[slice.access]!.operation.split(" ")[0],
        style: `${this.place(slice.start, slice.start + slice.duration)};top:${rowHeight * slice.row}px`,
        title: `${this.names[slice.access]}: ${grouped(slice.duration)} cycles from ${grouped(slice.start)}`,
      })));
  }

  private axis(): HTMLElement {
    const step = niceStep((this.to - this.from) / marks);
    const at: number[] = [];
    for (let cycle = Math.ceil(this.from / step) * step; cycle < this.to; cycle += step) at.push(cycle);
    return element("div", { class: "warp axis", "aria-hidden": "true" }, element("span", { class: "warp-name" }, "cycles"),
      element("div", { class: "lane" }, ...at.map((cycle) => element("span", { style: `left:${((100 * (cycle - this.from)) / (this.to - this.from)).toFixed(3)}%` }, grouped(cycle)))));
  }
}

/** What is shown of how much. */
function extent(excerpt: Excerpt): string {
  const { tracks } = excerpt, listed = tracks.reduce((sum, t) => sum + t.starts.length, 0);
  const of = (shown: number, all: number, what: string) => `${shown === all ? `all ${grouped(all)}` : `${grouped(shown)} of ${grouped(all)}`} ${what}`;
  return `${of(new Set(tracks.map((t) => t.sm)).size, excerpt.multiprocessors, "multiprocessors")}, ${of(tracks.length, excerpt.warps, "warps")}, ${of(listed, excerpt.samples, "accesses")}` +
    `${excerpt.end === null ? "" : `; what begins behind cycle ${grouped(excerpt.end)} is left out`}.`;
}

function drawn(results: Results, excerpt: Excerpt): HTMLElement {
  const names = results.latencyAccesses.map((access, number) => timedName({ ...access, number }));
  const drawing = new Drawing(results, excerpt, names);
  const tool = (label: string, act: () => void, path: string) => button(label, act, { class: "round" }, icon(path));
  const box = element("div", { class: "gantt-box", tabindex: 0, role: "group", "aria-label": "Accesses of warps over time. + and - zoom, arrow keys move, 0 shows all." }, drawing.node);
  box.addEventListener("keydown", (event) => {
    const acts: Record<string, () => void> = {
      "+": () => drawing.zoom(0.5), "=": () => drawing.zoom(0.5), "-": () => drawing.zoom(2), "0": () => drawing.zoom(Infinity),
      ArrowLeft: () => drawing.move(-0.25), ArrowRight: () => drawing.move(0.25),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  const launch = results.launches.find((l) => l.id === excerpt.launch);
  const rows = excerpt.tracks.flatMap((track) => track.starts.map((start, i) => ({ track, start, duration: track.durations[i]!, access: track.accesses[i]! })));
  return frame({
    title: "Warps over time", wide: true,
    note: `Launch ${grouped(excerpt.launch)} of ${shortName(excerpt.kernel)}${launch ? `, grid ${dimensions(launch.grid)}` : ""}: ${extent(excerpt)} ` +
      `Cycles${isModelled(results) ? ", modelled," : ""} are counted from each multiprocessor's first access: their clocks have nothing to do with each other. ` +
      "'cupranalyze latency --perfetto' writes all of a launch.",
    table: () => dataTable(rows, [
      { title: "Multiprocessor", value: (r) => r.track.sm },
      { title: "Warp", value: (r) => warpName(r.track) },
      { title: "Begins at cycle", value: (r) => r.start },
      { title: "Cycles", value: (r) => r.duration },
      { title: "Access", value: (r) => names[r.access]! },
    ], { caption: "Accesses of warps over time" }),
  }, [
    tool("Zoom in", () => drawing.zoom(0.5), zoomIcons.zoomIn), tool("Zoom out", () => drawing.zoom(2), zoomIcons.zoomOut),
    tool("Show all", () => drawing.zoom(Infinity), zoomIcons.zoomAll),
  ], element("div", { class: "controls" }, button("Earlier", () => drawing.move(-0.5)), button("Later", () => drawing.move(0.5)),
    ...(["load", "store", "atomic"] as const).map((o) => element("span", {}, element("span", { class: `dot ${o}`, "aria-hidden": "true" }), o))), box);
}

/** Null: there is no excerpt. */
export function excerptFigure(results: Results): HTMLElement | null {
  const { latencyExcerpts: excerpts } = results;
  if (excerpts.length === 0) return null;
  const place = element("div"), node = element("div", { id: "excerpt" });
  const draw = (i: number) => place.replaceChildren(drawn(results, excerpts[i]!));
  if (excerpts.length > 1)
    node.append(element("div", { class: "controls" },
      choice("Launch", excerpts.map((e) => `${grouped(e.launch)}: ${shortName(e.kernel)}`), draw)));
  node.append(place);
  draw(0);
  return node;
}
