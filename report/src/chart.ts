/// A figure: title, a drawing by ECharts, and the same figures as a table for who can't see or use it.
import { BarChart, LineChart, type BarSeriesOption, type LineSeriesOption } from "echarts/charts";
import {
  DataZoomComponent, GridComponent, LegendComponent, TooltipComponent, type DataZoomComponentOption,
  type GridComponentOption, type LegendComponentOption, type TooltipComponentOption,
} from "echarts/components";
import { init, use, type ComposeOption, type ECharts } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { button, element, facts, icon } from "./dom.ts";
import { axisBytes } from "./format.ts";
import { colour, onTheme } from "./theme.ts";
import { zoomIcons } from "./zoom_icons.ts";

use([BarChart, LineChart, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

export type Option = ComposeOption<
  BarSeriesOption | LineSeriesOption | DataZoomComponentOption | GridComponentOption | LegendComponentOption | TooltipComponentOption
>;
export type Series = BarSeriesOption | LineSeriesOption;

export interface Figure {
  title: string;
  note: string;
  /** What the drawing says, in a sentence: all that a screen reader hears of it. */
  summary: string;
  /** Called anew for each theme. */
  option: () => Option;
  /** How many places along the axis hold something: the arrow keys go from one to the next. */
  places: number;
  table: () => HTMLElement;
  height?: number;
  wide?: boolean;
}

const printWidth = 660;

function asTable(table: () => HTMLElement): HTMLElement {
  const details = element("details", { class: "as-table" }, element("summary", {}, "As a table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(table());
  });
  return details;
}

/** The frame of every figure, with the text alternative below the drawing, unless that stands beside it. */
export function frame(
  f: Pick<Figure, "title" | "note" | "wide"> & Partial<Pick<Figure, "table">>, tools: (Node | null)[], ...drawing: Node[]
): HTMLElement {
  return element("figure", { class: f.wide ? "card wide" : "card" },
    element("figcaption", {},
      element("div", { class: "head" },
        element("h3", {}, f.title),
        element("div", { class: "tools" }, ...tools)),
      element("p", {}, f.note)),
    ...drawing, f.table ? asTable(f.table) : null);
}

/** What stands for a figure that has nothing to show. */
export function emptyFigure(title: string, why: string): HTMLElement {
  return element("figure", { class: "card" },
    element("figcaption", {}, element("div", { class: "head" }, element("h3", {}, title))),
    element("p", { class: "empty" }, why));
}

/** All that are in the page. */
const charts = new Map<Element, ECharts>();

function resizeAll(width: (box: Element) => number | "auto") {
  for (const [box, chart] of charts)
    if (box.isConnected) {
      chart.resize({ width: width(box) });
      chart.getZr().flush(); // nobody waits for the next frame
    } else {
      chart.dispose();
      charts.delete(box);
    }
}
addEventListener("beforeprint", () => resizeAll((box) => Math.min(box.clientWidth, printWidth)));
addEventListener("afterprint", () => resizeAll(() => "auto"));

export function figure(f: Figure): HTMLElement {
  const box = element("div", {
    class: "chart", tabindex: 0, role: "img", "aria-label": `${f.title}. ${f.summary}`, style: `height:${f.height ?? 280}px`,
  });
  const spoken = element("div", { class: "hidden", role: "status" });
  let chart: ECharts | undefined;
  const draw = () => chart?.setOption({ ...base(), ...f.option() }, { notMerge: true });
  new ResizeObserver(() => {
    if (box.clientWidth === 0) return;
    if (chart) return chart.resize();
    chart = init(box, null, { renderer: "svg" });
    charts.set(box, chart);
    chart.on("rendered", () => {
      box.dataset["drawn"] = "yes";
    });
    draw();
  }).observe(box);
  onTheme(box, draw);

  const zoomable = "dataZoom" in f.option();
  const zoom = (factor: number) => chart && zoomBy(chart, factor);
  let place = -1;
  box.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0) {
      place = Math.max(0, Math.min(f.places - 1, place + step));
      chart?.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: place });
      spoken.textContent = box.querySelector(".tip")?.textContent ?? "";
    } else if (event.key === "Escape") chart?.dispatchAction({ type: "hideTip" });
    else if (zoomable && (event.key === "+" || event.key === "=")) zoom(0.5);
    else if (zoomable && event.key === "-") zoom(2);
    else if (zoomable && event.key === "0") zoom(Infinity);
    else return;
    event.preventDefault();
  });
  const tools = zoomable
    ? [button("Zoom in", () => zoom(0.5), { class: "round" }, icon(zoomIcons.zoomIn)),
       button("Zoom out", () => zoom(2), { class: "round" }, icon(zoomIcons.zoomOut)),
       button("Show all", () => zoom(Infinity), { class: "round" }, icon(zoomIcons.zoomAll))]
    : [];
  return frame(f, tools, box, spoken);
}

/** Makes the visible part of the axis `factor` times as long, around its middle. */
function zoomBy(chart: ECharts, factor: number) {
  const [now] = (chart.getOption()["dataZoom"] ?? []) as { start: number; end: number }[];
  if (!now) return;
  const half = Math.min(50, ((now.end - now.start) / 2) * factor);
  const middle = Math.max(half, Math.min(100 - half, (now.start + now.end) / 2));
  chart.dispatchAction({ type: "dataZoom", start: middle - half, end: middle + half });
}

function base(): Option {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    tooltip: {
      trigger: "axis", axisPointer: { type: "shadow", shadowStyle: { color: colour("ink"), opacity: 0.06 } },
      ...tip, formatter: tooltip(String, axisBytes),
    },
    grid: { left: 8, right: 16, top: 40, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    legend: legend(),
  };
}

export const legend = (extra: LegendComponentOption = {}): LegendComponentOption => ({
  top: 0, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, itemGap: 16, textStyle: { color: colour("ink") },
  inactiveColor: colour("line"), ...extra,
});

/** Of every tooltip: what `facts` draws is its box. */
export const tip = {
  className: "tip", borderWidth: 0, padding: 0, backgroundColor: "transparent", extraCssText: "box-shadow:none", confine: true, transitionDuration: 0,
};

/** A tooltip for all series at one place; names and values are set as text. */
export const tooltip = (title: (place: string, index: number) => string, value: (n: number, series: string) => string) =>
  (given: unknown): HTMLElement => {
    type Item = { axisValue?: string; name: string; seriesName: string; value: number | number[]; color: string; dataIndex: number };
    const items = (Array.isArray(given) ? given : [given]) as Item[];
    const first = items[0]!;
    return facts(title(first.axisValue ?? first.name, first.dataIndex),
      items.filter((i) => !i.seriesName.startsWith("\0")).map((i) => {
        const n = Array.isArray(i.value) ? i.value[1]! : i.value;
        return [i.seriesName, value(n, i.seriesName), i.color];
      }));
  };

const axisStyle = () => ({
  axisLine: { lineStyle: { color: colour("line") } },
  axisTick: { show: false },
  axisLabel: { color: colour("soft"), hideOverlap: true },
  splitLine: { lineStyle: { color: colour("line"), opacity: 0.7 } },
  nameTextStyle: { color: colour("soft") },
});

/** An axis of names; its title stands in the middle below. */
export const categories = (data: (string | number)[], name = "") =>
  ({ ...axisStyle(), type: "category" as const, data: data.map(String), name, nameLocation: "middle" as const, nameGap: 26 });

export const amounts = (label: (n: number) => string) => {
  const style = axisStyle();
  return { ...style, type: "value" as const, axisLine: { show: false }, axisLabel: { ...style.axisLabel, formatter: label }, splitNumber: 4 };
};

/** An axis of bytes from 0 to at least `most`, with marks at powers of two. */
export const byteAmounts = (most: number) => {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, most) / 5)));
  return { ...amounts(axisBytes), min: 0, max: step * Math.max(1, Math.ceil(most / step)), interval: step };
};

/** An axis of shares, from 0 to 100 %. */
export const shares = () => ({ ...amounts((share) => `${Math.round(100 * share)} %`), min: 0, max: 1, interval: 0.25 });

/** Zooming along the x axis, by the slider, by pinching, and by the wheel together with Ctrl. */
export const zoomAlongX = () => [
  { type: "inside" as const, zoomOnMouseWheel: "ctrl" as const, moveOnMouseWheel: false, filterMode: "filter" as const },
  {
    type: "slider" as const, height: 18, bottom: 4, borderColor: "transparent", backgroundColor: colour("paper"), brushSelect: false,
    fillerColor: `color-mix(in srgb, ${colour("load")} 18%, transparent)`, handleStyle: { color: colour("load"), borderColor: colour("load") },
    moveHandleSize: 0, textStyle: { color: colour("soft") }, showDataShadow: false, showDetail: false,
  },
];

export const bar = (name: string, data: (number | null)[], color: string, extra: BarSeriesOption = {}): BarSeriesOption =>
  ({ type: "bar", name, data, itemStyle: { color, borderRadius: 2 }, barMaxWidth: 28, emphasis: { disabled: true }, ...extra });

export const line = (name: string, data: (number | number[] | null)[], color: string, extra: LineSeriesOption = {}): LineSeriesOption =>
  ({ type: "line", name, data, color, lineStyle: { width: 2, color }, symbol: "circle", symbolSize: 6, showSymbol: data.length <= 60,
     sampling: data.length > 2000 ? "lttb" : undefined, emphasis: { disabled: true }, ...extra });
