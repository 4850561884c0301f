/// The density map: which CTA reads what which other one wrote. Drawn on a canvas, from the level of cells that suits the zoom.
import { frame } from "../chart.ts";
import { commonGrid, type DensityMap, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, choice, element, facts, icon } from "../dom.ts";
import { bytes, cta, grouped, niceStep } from "../format.ts";
import { colour, onTheme } from "../theme.ts";
import { floatingTip } from "../tip.ts";
import { zoomIcons } from "../zoom_icons.ts";
import { Levels, type Cell, type Cells, type Measure } from "./cells.ts";
import { moveByGestures } from "./gestures.ts";
import { View } from "./view.ts";

const leastPixels = 2.5;
const mostRows = 200;
const shades = 64;
const margin = { left: 58, top: 34 };

const orders: Record<DensityMap["order"], string> = {
  ordered: "between launches", concurrent: "between launches without an order", insideLaunch: "inside a launch, not guaranteed",
};
const kinds: Record<DensityMap["kind"], [first: string, second: string]> = {
  RAW: ["writes", "reads"], WAR: ["reads", "overwrites"], WAW: ["writes", "overwrites"],
};

class Picture {
  readonly canvas = element("canvas", {});
  readonly view: View;
  map: DensityMap;
  measure: Measure = "bytes";
  private levels: Levels;
  private cells!: Cells;
  private palette: string[] = [];
  private most = 1;

  constructor(readonly ctas: number, map: DensityMap) {
    this.map = map;
    this.view = new View(ctas);
    this.levels = new Levels(map);
  }

  show(map: DensityMap, measure: Measure) {
    if (map !== this.map) this.levels = new Levels(map);
    this.map = map;
    this.measure = measure;
  }

  /** CTAs beside each other that one cell now stands for. */
  get ctasPerCell() {
    return this.cells.ctasPerCell;
  }

  /** What the darkest cell of this level has. */
  get largest(): string {
    return this.measure === "bytes" ? bytes(this.most) : `${grouped(this.most)} transfers`;
  }

  /** Pixels of the square, without the margins. */
  private get side() {
    return Math.max(1, Math.min(this.canvas.clientWidth - margin.left, this.canvas.clientHeight - margin.top) - 1);
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const scale = this.side / this.view.span;
    const cells = this.levels.forScale(scale, leastPixels);
    if (cells !== this.cells) this.cells = cells;
    this.most = Math.max(1, cells.most(this.measure));
    this.palette = ramp();
    pen.fillStyle = colour("paper");
    pen.fillRect(margin.left, margin.top, this.side, this.side);
    pen.save();
    pen.beginPath();
    pen.rect(margin.left, margin.top, this.side, this.side);
    pen.clip();
    this.fillCells(pen, scale);
    pen.restore();
    this.axes(pen, scale);
    this.canvas.dataset["drawn"] = "yes";
    this.canvas.dataset["ctasPerCell"] = String(cells.ctasPerCell);
    this.canvas.dataset["span"] = String(Math.round(this.view.span));
  }

  private fillCells(pen: CanvasRenderingContext2D, scale: number) {
    const per = this.cells.ctasPerCell, size = per * scale;
    const { x, y, span } = this.view;
    const gap = size > 7 ? 1 : 0;
    this.cells.visit(Math.floor(x / per), Math.floor((x + span) / per), Math.floor(y / per), Math.floor((y + span) / per),
      (source, destination, n) => {
        pen.fillStyle = this.shade(this.cells.get(n)[this.measure]);
        pen.fillRect(margin.left + (source * per - x) * scale, margin.top + (destination * per - y) * scale,
          Math.max(1, size - gap), Math.max(1, size - gap));
      });
  }

  /** Values span orders of magnitude: the shade follows their logarithm. */
  private shade(value: number): string {
    const at = this.most === 1 ? 1 : Math.log1p(value) / Math.log1p(this.most);
    return this.palette[Math.min(shades - 1, Math.floor(at * shades))]!;
  }

  private axes(pen: CanvasRenderingContext2D, scale: number) {
    const { x, y, span } = this.view;
    pen.strokeStyle = colour("line");
    pen.strokeRect(margin.left + 0.5, margin.top + 0.5, this.side, this.side);
    pen.fillStyle = colour("soft");
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const step = niceStep(span / Math.max(2, this.side / 70));
    for (let at = Math.ceil(x / step) * step; at < x + span; at += step) {
      pen.textAlign = "center";
      pen.fillText(grouped(at), margin.left + (at + 0.5 - x) * scale, margin.top - 6);
    }
    for (let at = Math.ceil(y / step) * step; at < y + span; at += step) {
      pen.textAlign = "right";
      pen.fillText(grouped(at), margin.left - 6, margin.top + (at + 0.5 - y) * scale + 4);
    }
    pen.textAlign = "left";
    const [first, second] = kinds[this.map.kind];
    pen.fillText(`CTA that ${first} →`, margin.left, 12);
    pen.save();
    pen.translate(12, margin.top);
    pen.rotate(Math.PI / 2);
    pen.fillText(`CTA that ${second} →`, 0, 0);
    pen.restore();
  }

  /** The cell under a point of the window: its place, and what it holds. */
  at(clientX: number, clientY: number): { source: number; destination: number; cell: Cell | null } | null {
    const box = this.canvas.getBoundingClientRect();
    const px = clientX - box.left - margin.left, py = clientY - box.top - margin.top;
    if (px < 0 || py < 0 || px >= this.side || py >= this.side || !this.cells) return null;
    const scale = this.side / this.view.span, per = this.cells.ctasPerCell;
    const source = Math.floor((this.view.x + px / scale) / per), destination = Math.floor((this.view.y + py / scale) / per);
    return { source, destination, cell: this.cells.find(source, destination) };
  }
}

/** From nothing to the most, by way of the style sheet's three colours. */
function ramp(): string[] {
  const [low, mid, high] = [colour("heat-low"), colour("heat-mid"), colour("heat-high")];
  return Array.from({ length: shades }, (_, i) => {
    const at = (2 * i) / (shades - 1);
    const [from, to, part] = at <= 1 ? [low, mid, at] : [mid, high, at - 1];
    return `color-mix(in oklab, ${from}, ${to} ${(100 * part).toFixed(1)}%)`;
  }).map(resolved);
}

/** A canvas takes plain colours fastest. */
function resolved(mixed: string): string {
  const probe = element("i", { style: `color:${mixed};display:none` });
  document.body.append(probe);
  const plain = getComputedStyle(probe).color;
  probe.remove();
  return plain;
}

function table(levels: Levels, grid: readonly number[] | null, map: DensityMap): HTMLElement {
  const cells = levels.finest;
  const order = Array.from({ length: cells.count }, (_, n) => cells.get(n)).sort((a, b) => b.bytes - a.bytes).slice(0, mostRows);
  const range = (n: number) => ctas(n, cells.ctasPerCell, grid);
  const [first, second] = kinds[map.kind];
  return element("div", {},
    element("p", { class: "note" }, cells.count > mostRows ? `The ${mostRows} largest of ${grouped(cells.count)} cells.` : "All cells."),
    dataTable(order, [
      { title: `CTA that ${first}`, value: (c) => c.source, show: (c) => range(c.source) },
      { title: `CTA that ${second}`, value: (c) => c.destination, show: (c) => range(c.destination) },
      { title: "Bytes", value: (c) => c.bytes },
      { title: "Transfers", value: (c) => c.transfers },
    ], { caption: "CTA to CTA" }));
}

const ctas = (cell: number, per: number, grid: readonly number[] | null) =>
  per === 1 ? cta(cell, grid) : `${grouped(cell * per)} to ${grouped((cell + 1) * per - 1)}`;

export function densityFigure(results: Results): HTMLElement {
  const { ctas: count, maps } = results.density;
  const grid = commonGrid(results);
  const picture = new Picture(count, maps[0]!);
  const { canvas, view } = picture;
  const largest = element("span");
  const legend = element("div", { class: "ramp" }, element("span", {}, "less"), element("i"), largest);
  const scale = element("span", { class: "soft", role: "status" });
  const tip = floatingTip();
  const redraw = () => {
    picture.draw();
    if (!canvas.dataset["drawn"]) return;
    largest.textContent = picture.largest;
    scale.textContent = picture.ctasPerCell === 1 ? "One cell is one CTA" : `One cell is ${grouped(picture.ctasPerCell)} × ${grouped(picture.ctasPerCell)} CTAs`;
  };
  let waiting = false;
  const moved = () => {
    tip.hide();
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      redraw();
    });
  };
  Object.entries({
    class: "density", tabindex: "0", role: "img",
    "aria-label": `CTA to CTA: density map of ${grouped(count)} CTAs. Arrow keys move, plus and minus zoom, 0 shows all. The largest cells are in the table below.`,
  }).forEach(([name, value]) => canvas.setAttribute(name, value));
  moveByGestures(canvas, () => view, moved);
  canvas.addEventListener("pointermove", (event) => {
    const place = picture.at(event.clientX, event.clientY);
    if (!place) return tip.hide();
    const range = (n: number) => ctas(n, picture.ctasPerCell, grid);
    const [first, second] = kinds[picture.map.kind];
    tip.show(event, facts(place.cell ? bytes(place.cell.bytes) : "nothing", [
      [first, `CTA ${range(place.source)}`], [second, `CTA ${range(place.destination)}`],
      ...(place.cell ? [["transfers", grouped(place.cell.transfers)] as [string, string]] : []),
    ]));
  });
  canvas.addEventListener("pointerleave", () => tip.hide());
  new ResizeObserver(redraw).observe(canvas);
  onTheme(canvas, redraw);

  let map = maps[0]!, measure: Measure = "bytes";
  const act = (change: () => void) => () => {
    change();
    moved();
  };
  return frame(
    {
      title: "CTA to CTA", wide: true,
      note: "Who depends on whom, by the CTAs' numbers (x + width · (y + height · z)), over all launches. What lies on the diagonal stays with its number.",
      table: () => table(new Levels(map), grid, map),
    },
    [
      button("Zoom in", act(() => view.zoom(0.5)), { class: "round" }, icon(zoomIcons.zoomIn)),
      button("Zoom out", act(() => view.zoom(2)), { class: "round" }, icon(zoomIcons.zoomOut)),
      button("Show all", act(() => view.reset()), { class: "round" }, icon(zoomIcons.zoomAll)),
    ],
    element("div", { class: "controls" },
      choice("Dependence", maps.map((m) => `${m.kind} ${orders[m.order]}`), (i) => act(() => picture.show((map = maps[i]!), measure))()),
      choice("Shade", ["bytes", "number of transfers"], (i) => act(() => picture.show(map, (measure = i ? "transfers" : "bytes")))()),
      legend, scale),
    element("div", { class: "stage" }, canvas), tip.node,
    element("p", { class: "note" }, "Drag to move; Ctrl and wheel, two fingers or a double click to zoom; or the arrow keys, + and -."));
}
