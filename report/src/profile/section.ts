/// Where the time went: calling contexts of host and device as a flame graph and as a table, procedures, kinds of calls, threads.
import { frame } from "../chart.ts";
import type { Profile, Results } from "../data.ts";
import { dataTable, type Column } from "../data_table.ts";
import { choice, element, present, type Child } from "../dom.ts";
import { FlameGraph, searchField } from "../flame_graph.ts";
import { grouped, percent } from "../format.ts";
import { functionName } from "../names.ts";
import { termButton } from "../terms.ts";
import { bottomUp, ofKernel, procedureName, topDown, type Context } from "./contexts.ts";
import { mainMetric, metricsOf, metricsOfThreads, time, type Figures, type Metric } from "./figures.ts";
import { ContextFlame } from "./flame.ts";
import { figureColumns, metricName, TreeTable } from "./tree_table.ts";

const shareOrNone = (share: number | null) => (share === null ? "-" : percent(share));
/** Samples and calls both say of the host. */
const saysOfHost = (all: Figures) => all.calls !== 0 || all.samples !== 0;

function lead({ profileThreads, profileSamplings, executionTime }: Profile, all: Figures): Child[] {
  if (!saysOfHost(all)) return ["The trace says nothing of the host's calls: launches stand by their places in the source."];
  const callers = profileThreads.filter((t) => t.calls > 0).length;
  return [
    `${time(executionTime)} of execution. ${time(all.callTime)} in ${grouped(all.calls)} `, termButton("calls", "calls"),
    ` by ${grouped(callers)} ${callers === 1 ? "thread" : "threads"}`,
    ...(all.waitTime ? [", of it ", time(all.waitTime), " ", termButton("waiting", "waiting")] : []), ". ",
    ...(all.samples ? [`${time(all.processorTime)} of `, termButton("processor time", "processor time"), `, ${time(all.processorTimeInCalls)} of it in calls. `] : []),
    ...profileSamplings.map((s) =>
      `${grouped(s.delivered)} ${s.delivered === 1 ? "sample" : "samples"} came, by ${s.source}, which was asked for one each ${time(s.period)}; ${grouped(s.lost)} ${s.lost === 1 ? "was" : "were"} lost. `),
  ];
}

interface View {
  title: string;
  caption: string;
  note: string;
}
const views: readonly View[] = [
  { title: "top-down", caption: "Calling contexts from the program inwards", note: "From the program inwards." },
  { title: "bottom-up", caption: "Procedures, and below each one who called it", note: "What has a part of its own, and below it who called it." },
  { title: "flat", caption: "Procedures, wherever they are called", note: "Functions, loops, calls and kernels, wherever they are called." },
];

/** The same columns as the tree's, then importance. */
function procedureTable(profile: Profile, metric: Metric, all: Figures): HTMLElement {
  type Row = Profile["profileProcedures"][number];
  const figures = figureColumns(metric, all).map(({ title, of, show }): Column<Row> => ({ title, value: of, show }));
  return dataTable(profile.profileProcedures, [
    { title: "Procedure", value: (p) => p.name, show: (p) => (p.kind === "loop" ? element("code", {}, procedureName(p)) : functionName(p.name)) },
    { title: "Kind", value: (p) => p.kind },
    ...figures,
    { title: "CPU importance", value: (p) => p.cpuImportance, show: (p) => (p.cpuImportance ? percent(p.cpuImportance) : "") },
    { title: "API importance", value: (p) => p.apiImportance ?? 0, show: (p) => (p.apiImportance ? percent(p.apiImportance) : "") },
  ], { caption: views[2]!.caption, sortBy: 2 });
}

const card = (title: string, note: Child[], table: Node) =>
  element("div", { class: "card" }, element("h3", {}, title), element("p", { class: "note" }, ...present(note)), table);

const kindCard = (profile: Profile) =>
  card("Kinds of calls", [termButton("API importance", "API importance"), " says which kind to look at first."],
    dataTable(profile.profileKinds.filter((k) => k.calls > 0), [
      { title: "Kind", value: (k) => k.kind },
      { title: "Calls", value: (k) => k.calls },
      { title: "Time", value: (k) => k.callTime, show: (k) => time(k.callTime) },
      { title: "On the API", value: (k) => k.apiTime, show: (k) => time(k.apiTime) },
      { title: "API importance", value: (k) => k.apiImportance ?? 0, show: (k) => shareOrNone(k.apiImportance) },
    ], { caption: "Kinds of calls", sortBy: 3 }));

const threadCard = (profile: Profile) =>
  card("Threads", ["Of the host: their calls and samples."], dataTable(profile.profileThreads, [
    { title: "Thread", value: (t) => t.id, show: (t) => String(t.id) },
    { title: "Name", value: (t) => t.name || "-" },
    ...metricsOfThreads.map((m) => ({ title: m.title, value: m.of, show: (t: Figures) => (m.of(t) ? m.show(m.of(t)) : "") })),
    { title: "Samples", value: (t) => t.samples },
  ], { caption: "Threads of the host", sortBy: 2 }));

export function profileSection(whole: Profile, shown: Results, all: Results): Child[] {
  const kernel = shown === all ? null : shown.kernels[0]!.name;
  const profile = kernel === null ? whole : ofKernel(whole, kernel);
  const down = topDown(profile, all.program), figures = down.total, known = metricsOf(figures);
  let up: Context | null = null, metric = mainMetric(figures), view = views[0]!;
  const isUp = () => view === views[1];
  const tree = () => (isUp() ? (up ??= bottomUp(down)) : down);
  const flameTree = () => new ContextFlame(tree(), metric, all, isUp() ? 1 : Infinity);
  const flame = new FlameGraph(flameTree());
  const table = element("div"), note = element("p", { class: "note" });
  const fill = () => {
    note.textContent = view.note;
    table.replaceChildren(view === views[2] ? procedureTable(profile, metric, figures) : new TreeTable(tree(), metric, all, view.caption).node);
  };
  const change = () => {
    flame.become(flameTree());
    fill();
  };
  fill();
  const metricChoice = choice("By", known.map((m) => m.title.toLowerCase()), (i) => {
    metric = known[i]!;
    change();
  });
  metricChoice.querySelector("select")!.selectedIndex = known.indexOf(metric);
  // Procedures are known of the whole program.
  const viewChoice = choice("View", views.slice(0, kernel === null ? 3 : 2).map((v) => v.title), (i) => {
    view = views[i]!;
    change();
  });
  const hasDevice = figures.launches > 0;
  return [
    element("p", { class: "lead" }, ...present(lead(whole, whole.profileNodes[0]!.total))),
    kernel !== null && element("p", { class: "note" }, "Of this kernel, and the calls that launch it. Procedures, kinds of calls and threads are known of all kernels together."),
    element("div", { class: "controls" }, metricChoice, viewChoice, searchField(flame)),
    frame({
      title: "Calling contexts", wide: true,
      note: "Functions of the host, calls of the CUDA API, what these launched, functions there, and accesses, each below its caller and as wide as its part. A press shows a frame alone." +
        (hasDevice && saysOfHost(figures) ? " What the device does takes none of the host's time: by that, it shares its call's width by its own time, or else by its accesses." : ""),
    }, [], legend(hasDevice), flame.node),
    element("div", { class: "card" }, element("h3", {}, "The same as a table"), note,
      element("p", { class: "note" }, "Words: ", ...known.filter((m) => m.term).flatMap((m, i) => [i ? ", " : "", metricName(m)]), "."), table),
    kernel === null && saysOfHost(figures) && element("div", { class: "cards" }, kindCard(profile), threadCard(profile)),
  ];
}

const legend = (hasDevice: boolean) =>
  element("p", { class: "note kinds" }, ...[["", "host"], ["call", "call of the API"], ...(hasDevice ? [["device", "device"]] : [])]
    .map(([kind, what]) => element("span", { class: kind || null }, element("i", { class: "kind", "aria-hidden": "true" }), what!)));
