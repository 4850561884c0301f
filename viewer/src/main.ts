/// Opens traces, and puts the page together of what is in them.
import { button, choice, element, present } from "../../report/src/dom.ts";
import { bytes, fileName, grouped, short } from "../../report/src/format.ts";
import "../../report/src/style.css";
import { themeSwitch } from "../../report/src/theme.ts";
import { embeddedTrace, readerCode } from "./embedded.ts";
import { LaunchSection } from "./launch_section.ts";
import { ReaderClient } from "./reader/client.ts";
import { hashOf, stateIn } from "./state.ts";
import "./style.css";
import { Timeline } from "./timeline.ts";
import { kernelName, kernelsOf, type Trace } from "./trace.ts";

const code = readerCode();
const main = element("main", { id: "main", tabindex: -1 });
const title = element("h1", {}, "Trace viewer"), command = element("p", { class: "command" }), device = element("p", { class: "soft" });
let reader: ReaderClient | null = null;
/** Counts what was opened: answers about an earlier file come too late. */
let opened = 0;

const input = element("input", { type: "file", class: "hidden", id: "file", tabindex: -1, "aria-label": "Trace file" });
input.addEventListener("change", () => {
  const file = input.files?.[0];
  if (file) void open(file);
});
const openButton = () => button("Open a trace …", () => input.click(), { class: "open" });

const welcome = (...more: Node[]) =>
  element("div", { class: "drop card" }, ...more,
    element("p", {}, "Drop a trace here (", element("code", {}, ".cuprtrace"), "), or an export of one as JSON, Protobuf or Cap'n Proto, compressed or not, or choose one. It is read from your disk as you look; nothing is sent anywhere."),
    openButton());

function tiles(trace: Trace, file: File): HTMLElement {
  const tile = (name: string, value: string, more: string) =>
    element("div", { class: "tile" }, element("dt", {}, name), element("dd", {}, element("b", {}, value), element("span", {}, more)));
  const traced = trace.launches.filter((l) => l.traced).length, kernels = kernelsOf(trace).length;
  const sum = (of: "accesses" | "records") => trace.launches.reduce((all, l) => all + l[of], 0);
  return element("dl", { class: "tiles" },
    tile("Launches", grouped(trace.launches.length), traced === trace.launches.length ? `of ${kernels === 1 ? "one kernel" : `${grouped(kernels)} kernels`}` : `${grouped(traced)} of them traced`),
    tile("Accesses", short(sum("accesses")), `by threads; ${short(sum("records"))} records of warps`),
    tile("Allocations", grouped(trace.allocations.length), `${bytes(trace.allocations.reduce((all, a) => all + a.bytes, 0))} in all`),
    tile("File", bytes(file.size), `${file.name}, ${trace.exportedAs ? `an export as ${trace.exportedAs}` : `format ${trace.format}`}`));
}

/** Of many launches one by its number; of few also by name. */
function launchChoice(trace: Trace, onChoose: (launch: number) => void): { node: HTMLElement; set: (launch: number) => void } {
  const last = trace.launches.length - 1;
  let now = 0;
  const go = (launch: number) => onChoose(Math.min(last, Math.max(0, launch)));
  const list = trace.launches.length <= 500
    ? choice("Launch", trace.launches.map((l) => `${grouped(l.id)}: ${kernelName(l)}`), go) : null;
  const field = element("input", { type: "number", min: trace.launches[0]?.id ?? 0, max: trace.launches[last]?.id ?? 0 });
  field.addEventListener("change", () => {
    const at = trace.launches.findIndex((l) => l.id === Number(field.value));
    if (at >= 0) go(at);
  });
  return {
    node: element("div", { class: "controls" }, list ?? element("label", { class: "choice" }, element("span", {}, "Launch"), field),
      button("Previous launch", () => go(now - 1)), button("Next launch", () => go(now + 1))),
    set(launch) {
      now = launch;
      if (list) list.querySelector("select")!.selectedIndex = launch;
      field.value = String(trace.launches[launch]?.id ?? "");
    },
  };
}

function show(trace: Trace, file: File, from: ReaderClient, progress: (to: LaunchSection) => void) {
  document.title = `${fileName(trace.program) || file.name}: trace viewer`;
  title.textContent = fileName(trace.program) || "a program";
  command.textContent = trace.arguments.join(" ");
  device.textContent = trace.deviceName ? `on ${trace.deviceName}` : "";
  const notes = [...trace.notes, ...(trace.truncation === "" ? [] : [trace.truncation])].map((note) => element("p", {}, note));
  const notice = notes.length > 0 && element("section", { class: "notices", "aria-label": "Notes" }, ...notes);
  const parts: (Node | false)[] = [notice, tiles(trace, file)];
  if (trace.launches.length === 0) {
    main.replaceChildren(...present([...parts, element("p", { class: "card empty" }, "The trace has no launches.")]));
    main.dataset["open"] = file.name;
    return;
  }
  const state = stateIn(trace, location.hash);
  const keep = () => {
    history.replaceState(null, "", `#${hashOf(trace, state)}`);
    launches.set(state.launch);
    timeline.choose(state.launch);
  };
  const section = new LaunchSection(trace, state, from, keep);
  const toLaunch = (launch: number) => {
    state.launch = launch;
    state.choice = { ...state.choice, block: [null, null, null], warp: null, site: null };
    state.access = null;
    keep();
    section.show();
  };
  const timeline = new Timeline(trace, state.axis, state.launch, toLaunch, (axis) => {
    state.axis = axis;
    keep();
  });
  const launches = launchChoice(trace, toLaunch);
  main.replaceChildren(...present([...parts,
    element("section", { id: "timeline", "aria-labelledby": "timeline-title" },
      element("h2", { id: "timeline-title" }, "Timeline"), launches.node, timeline.node),
    section.node]));
  progress(section);
  launches.set(state.launch);
  timeline.choose(state.launch);
  section.show();
  onhashchange = () => {
    Object.assign(state, stateIn(trace, location.hash));
    launches.set(state.launch);
    timeline.choose(state.launch);
    section.show();
  };
  main.dataset["open"] = file.name;
}

async function open(file: File) {
  const mine = ++opened;
  reader?.close();
  onhashchange = null;
  delete main.dataset["open"];
  const reading = element("p", { class: "card empty", role: "status" }, `Reading ${file.name} …`);
  main.replaceChildren(reading);
  let section: LaunchSection | null = null;
  const from = (reader = new ReaderClient((progress) => section?.progress(progress), (read) => {
    reading.textContent = `Reading ${file.name} … ${Math.floor((100 * read) / file.size)} %`;
  }));
  try {
    const trace = await from.call("open", await code, file, file.name);
    if (mine === opened) show(trace, file, from, (to) => (section = to));
  } catch (error) {
    if (mine !== opened) return;
    title.textContent = "Trace viewer";
    command.textContent = device.textContent = "";
    main.replaceChildren(welcome(element("p", { class: "notices", role: "alert" }, `This file can't be shown. ${error instanceof Error ? error.message : String(error)}`)));
  }
  input.value = "";
}

for (const name of ["dragover", "drop"] as const)
  addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", name === "dragover");
    const file = name === "drop" ? event.dataTransfer?.files[0] : undefined;
    if (file) void open(file);
  });
addEventListener("dragleave", () => document.body.classList.remove("over"));

const theme = themeSwitch(); // first: drawings ask for its colours
document.body.append(
  element("a", { class: "skip", href: "#main" }, "To the trace"),
  element("header", {},
    element("div", {}, element("p", { class: "eyebrow" }, "Trace viewer"), title, command, device),
    element("div", { class: "controls" }, input, openButton(), theme)),
  main,
  element("footer", {}, element("p", {}, `Made by cupranalyze. The page contains ${__LIBRARIES__.join(", ")}; nothing is loaded from the network.`)));
main.append(welcome());
void embeddedTrace().then((file) => file && open(file));
