/// What the page shows: its trace, or of several a line for each and then the one that was opened. The data of each is read only then.
import { address, openTrace } from "./address.ts";
import { readBeside, readResults, readTraces, type Traces } from "./data.ts";
import { element } from "./dom.ts";
import { fileName } from "./format.ts";
import { ofChosen } from "./selection.ts";
import { severalView } from "./several/view.ts";
import { traceChoice, traceLabels } from "./several/labels.ts";
import { revealLine } from "./source/section.ts";
import { tracePage } from "./trace_page.ts";
import "./print.ts";
import "./style.css";

let nodes: HTMLElement[] = [];

function show(title: string, content: HTMLElement[]) {
  for (const node of nodes) node.remove();
  nodes = content;
  document.title = title;
  document.body.append(...content);
}

/** Brings what the address names into sight: a line of a source, or anything else with an id, through what is folded. */
function goTo(id: string) {
  if (id === "" || revealLine(id)) return;
  const node = document.getElementById(id);
  for (let at = node?.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  node?.scrollIntoView({ behavior: "instant" });
  if (node?.hasAttribute("tabindex")) node.focus({ preventScroll: true });
}

/** `trace`: of several, or null. */
async function showTrace(traces: Traces | null, trace: number | null) {
  openTrace(trace);
  const [all, beside] = await Promise.all([readResults(trace), readBeside(trace)]);
  if (all === null) throw new Error("the results are missing");
  const label = traces && trace !== null ? `${traceLabels(traces)[trace]}, ` : "";
  const page = () => tracePage(ofChosen(all), { ...beside, earlier: beside.earlier && ofChosen(beside.earlier) },
    traces && traceChoice(traces, trace));
  return () => show(`${label}${fileName(all.program) || "Program"}: memory report`, page());
}

function failed(error: unknown) {
  show("Memory report", [element("main", {}, element("h1", {}, "Memory report"),
    element("p", { role: "alert" }, `The results in this page can't be read: ${String(error)}`))]);
  throw error;
}

/** What is shown: a trace, the view of all of them, or nothing yet. */
let shown: number | null | undefined;

async function showAddress(traces: Traces | null) {
  const { trace: named, id } = address();
  const trace = traces && named !== null && named < traces.traces.length ? named : null;
  if (trace !== shown) {
    shown = trace;
    if (traces && trace === null) {
      openTrace(null);
      show(`${traces.traces.length} traces: memory report`, severalView(traces));
    } else {
      if (traces) show("Memory report", [element("main", {}, element("p", { role: "status" }, `Reading ${traceLabels(traces)[trace!]} …`))]);
      const draw = await showTrace(traces, trace);
      if (shown !== trace) return; // another one was asked for meanwhile
      draw();
    }
    if (traces) scrollTo({ top: 0, behavior: "instant" });
  }
  goTo(id);
}

readTraces().then(async (traces) => {
  const update = () => showAddress(traces).catch(failed);
  await update();
  addEventListener("hashchange", update);
  // A second press on the same link changes no address.
  document.body.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    if (link && link.hash !== "" && link.hash === location.hash) goTo(address().id);
  });
}).catch(failed);
