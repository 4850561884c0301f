/// The launches of a trace, a row for each stream: in the host's order, or in time. Drawn on a canvas; only what is in sight.
import { button, choice, element, facts, icon } from "../../report/src/dom.ts";
import { dimensions, grouped, niceStep, seconds } from "../../report/src/format.ts";
import { moveByGestures, type View } from "../../report/src/matrix/gestures.ts";
import { colour, onTheme } from "../../report/src/theme.ts";
import { floatingTip } from "../../report/src/tip.ts";
import { zoomIcons } from "../../report/src/zoom_icons.ts";
import { kernelName, kernelsOf, type Launch, type Trace } from "./trace.ts";

export type Axis = "order" | "time";

const rowHeight = 30, axisHeight = 20, mostRows = 11, leastPixels = 2;
const kernelColours = ["cut-x", "cut-y", "cut-z", "cut-block", "cut-cyclic", "cut-graph"] as const;

interface Bar {
  launch: number;
  from: number;
  to: number;
}

/** From where to where a launch is: of time only what the trace tells of the device, else the call's moment. */
const extent = (launch: Launch, index: number, axis: Axis): [number, number] =>
  axis === "order" ? [index, index + 1]
    : launch.began > 0 && launch.ended >= launch.began ? [launch.began, launch.ended] : [launch.time, launch.time];

/** Indices of the launches of each stream; streams beyond the last row share it, for there may be thousands. */
function streamsOf(trace: Trace): { name: string; launches: number[] }[] {
  const several = trace.launches.some((l) => l.device !== trace.launches[0]!.device);
  const rows = new Map<string, { name: string; launches: number[] }>();
  const others = { name: "other streams", launches: [] as number[] };
  trace.launches.forEach((launch, index) => {
    const name = `${several ? `GPU ${launch.device}, ` : ""}stream ${launch.stream}`;
    const row = rows.get(name) ?? (rows.size < mostRows ? { name, launches: [] } : others);
    if (row !== others) rows.set(name, row);
    row.launches.push(index);
  });
  return others.launches.length ? [...rows.values(), others] : [...rows.values()];
}

/** Part of a line from `first` to `last`. */
class Window implements View {
  from: number;
  span: number;

  constructor(private readonly first: number, private readonly last: number, private readonly closest: number) {
    this.from = first;
    this.span = last - first;
  }

  reset() {
    this.from = this.first;
    this.span = this.last - this.first;
  }
  zoom(factor: number, fx = 0.5) {
    const span = Math.min(this.last - this.first, Math.max(Math.min(this.closest, this.last - this.first), this.span * factor));
    this.from += (this.span - span) * fx;
    this.span = span;
    this.pan(0);
  }
  pan(fx: number) {
    this.from = Math.min(this.last - this.span, Math.max(this.first, this.from + fx * this.span));
  }
  /** Brings a place into sight. */
  show(from: number, to: number) {
    if (from < this.from || to > this.from + this.span) this.from = (from + to - this.span) / 2;
    this.pan(0);
  }
}

export class Timeline {
  readonly node: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly streams: { name: string; launches: number[] }[];
  private rows: { name: string; bars: Bar[] }[] = [];
  private view!: Window;
  /** By name, numbers that choose colours. */
  private readonly kernels: ReadonlyMap<string, number>;
  private axis: Axis;
  private waiting = false;

  constructor(private readonly trace: Trace, axis: Axis, private chosen: number, private readonly onChoose: (launch: number) => void,
    onAxis: (axis: Axis) => void) {
    this.axis = axis;
    this.streams = streamsOf(trace);
    this.kernels = new Map(kernelsOf(trace).map((kernel, number) => [kernel, number]));
    this.canvas = element("canvas", {
      class: "timeline", tabindex: 0, role: "img",
      "aria-label": `Timeline of ${grouped(trace.launches.length)} launches. Arrow keys move, plus and minus zoom, 0 shows all. Launches are chosen by the buttons beside it.`,
    });
    this.layOut();
    const act = (change: () => void) => () => {
      change();
      this.redraw();
    };
    const axes = choice("Along", ["the host's order", "time"], (index) => {
      this.axis = index === 0 ? "order" : "time";
      this.layOut();
      this.redraw();
      onAxis(this.axis);
    });
    axes.querySelector("select")!.selectedIndex = axis === "order" ? 0 : 1;
    const tip = floatingTip();
    moveByGestures(this.canvas, () => this.view, () => {
      tip.hide();
      this.redraw();
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const at = this.at(event);
      if (at === null) return tip.hide();
      const launch = trace.launches[at]!;
      tip.show(event, facts(`${kernelName(launch)}, launch ${grouped(launch.id)}`, [
        ["grid", dimensions(launch.grid)], ["block", dimensions(launch.block)], ["accesses", launch.traced ? grouped(launch.accesses) : "not traced"],
        ...(launch.ended > launch.began && launch.began ? [["on the device", seconds((launch.ended - launch.began) / 1e9)] as [string, string]] : []),
      ]));
    });
    this.canvas.addEventListener("pointerleave", () => tip.hide());
    let pressed = 0;
    this.canvas.addEventListener("pointerdown", (event) => (pressed = event.clientX));
    this.canvas.addEventListener("click", (event) => {
      const at = this.at(event);
      if (at !== null && Math.abs(event.clientX - pressed) < 4) this.onChoose(at);
    });
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    onTheme(this.canvas, () => this.redraw());
    this.node = element("div", { class: "card" },
      element("div", { class: "controls" }, axes,
        element("div", { class: "tools" },
          button("Zoom in", act(() => this.view.zoom(0.5)), { class: "round" }, icon(zoomIcons.zoomIn)),
          button("Zoom out", act(() => this.view.zoom(2)), { class: "round" }, icon(zoomIcons.zoomOut)),
          button("Show all", act(() => this.view.reset()), { class: "round" }, icon(zoomIcons.zoomAll)))),
      this.canvas, tip.node,
      element("p", { class: "note" }, "Click a launch to look at it. Drag to move; Ctrl and wheel, two fingers or a double click to zoom; or the arrow keys, + and -."));
  }

  choose(launch: number) {
    this.chosen = launch;
    const of = this.trace.launches[launch];
    if (of) this.view.show(...extent(of, launch, this.axis));
    this.redraw();
  }

  private layOut() {
    let first = Infinity, last = -Infinity, shortest = Infinity;
    this.rows = this.streams.map(({ name, launches }) => ({
      name,
      bars: launches.map((launch) => {
        const [from, to] = extent(this.trace.launches[launch]!, launch, this.axis);
        first = Math.min(first, from);
        last = Math.max(last, to);
        if (to > from) shortest = Math.min(shortest, to - from);
        return { launch, from, to };
      }).sort((a, b) => a.from - b.from),
    }));
    if (!(first < last)) [first, last] = [Number.isFinite(first) ? first : 0, (Number.isFinite(first) ? first : 0) + 1];
    this.view = new Window(first, last, Number.isFinite(shortest) ? shortest * 2 : last - first);
  }

  private redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw() {
    const { canvas, view } = this, ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    if (width === 0) return;
    const height = this.rows.length * rowHeight + axisHeight;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d")!, scale = width / view.span;
    pen.scale(ratio, ratio);
    const fills = kernelColours.map((name) => colour(name)), ink = colour("ink"), soft = colour("soft"), card = colour("card"), line = colour("line");
    const family = getComputedStyle(document.body).fontFamily;
    pen.font = `12px ${family}`;
    this.rows.forEach((row, number) => {
      const top = number * rowHeight;
      pen.fillStyle = colour("paper");
      pen.fillRect(0, top + 2, width, rowHeight - 4);
      let drawnTo = -1;
      for (let i = this.firstInSight(row.bars); i < row.bars.length; ++i) {
        const bar = row.bars[i]!;
        if (bar.from > view.from + view.span) break;
        const x = (bar.from - view.from) * scale, long = Math.max(leastPixels, (bar.to - bar.from) * scale);
        const isChosen = bar.launch === this.chosen;
        if (x + long <= drawnTo && !isChosen) continue; // of many in one pixel, one is seen
        drawnTo = x + long;
        this.drawBar(pen, bar, x, top, long, { fill: fills[this.kernels.get(this.trace.launches[bar.launch]!.kernel)! % fills.length]!, ink, card, isChosen });
      }
      if (this.rows.length > 1) {
        pen.fillStyle = soft;
        pen.textAlign = "right";
        pen.fillText(row.name, width - 6, top + rowHeight / 2 + 4);
      }
    });
    this.drawAxis(pen, width, height, soft, line);
    canvas.dataset["drawn"] = "yes";
  }

  private drawBar(pen: CanvasRenderingContext2D, bar: Bar, x: number, top: number, long: number,
    look: { fill: string; ink: string; card: string; isChosen: boolean }) {
    const launch = this.trace.launches[bar.launch]!, gap = long > 6 ? 1 : 0;
    const left = Math.max(-2, x), right = Math.min(pen.canvas.width + 2, x + long - gap);
    pen.globalAlpha = launch.traced ? 0.4 : 0.12;
    pen.fillStyle = look.fill;
    pen.fillRect(left, top + 3, Math.max(1, right - left), rowHeight - 6);
    pen.globalAlpha = 1;
    pen.fillStyle = look.isChosen ? look.ink : look.fill;
    pen.fillRect(left, top + rowHeight - (look.isChosen ? 7 : 5), Math.max(1, right - left), look.isChosen ? 4 : 2);
    if (look.isChosen) pen.fillRect(left, top + 3, Math.max(1, right - left), 2);
    if (right - left < 40) return;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left - 4, rowHeight);
    pen.clip();
    pen.fillStyle = look.ink;
    pen.textAlign = "left";
    pen.fillText(kernelName(launch), Math.max(left, 0) + 5, top + rowHeight / 2 + 3);
    pen.restore();
  }

  private drawAxis(pen: CanvasRenderingContext2D, width: number, height: number, soft: string, line: string) {
    const { view } = this, step = niceStep(view.span / Math.max(2, width / 110));
    pen.fillStyle = soft;
    pen.strokeStyle = line;
    pen.textAlign = "left";
    for (let at = Math.ceil(view.from / step) * step; at <= view.from + view.span; at += step) {
      const x = ((at - view.from) / view.span) * width;
      pen.beginPath();
      pen.moveTo(x + 0.5, height - axisHeight);
      pen.lineTo(x + 0.5, height - axisHeight + 4);
      pen.stroke();
      const launch = this.trace.launches[at];
      const text = this.axis === "time" ? seconds(at / 1e9) : launch && Number.isInteger(at) ? `launch ${grouped(launch.id)}` : "";
      if (x < width - 50) pen.fillText(text, x + 3, height - 5);
    }
  }

  /** Index of the first bar that may be seen: those of a stream hardly overlap, so they end in their order, too. */
  private firstInSight(bars: readonly Bar[]): number {
    let low = 0, high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bars[middle]!.to < this.view.from) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  private at(event: MouseEvent): number | null {
    const box = this.canvas.getBoundingClientRect(), row = this.rows[Math.floor((event.clientY - box.top) / rowHeight)];
    if (!row) return null;
    const { view } = this, perPixel = view.span / box.width, place = view.from + (event.clientX - box.left) * perPixel;
    for (let i = this.firstInSight(row.bars); i < row.bars.length && row.bars[i]!.from <= place; ++i) {
      const bar = row.bars[i]!;
      if (place <= Math.max(bar.to, bar.from + leastPixels * perPixel)) return bar.launch;
    }
    return null;
  }
}
