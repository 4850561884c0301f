/// One launch: what is known of it, its accesses by a filter, one of them, and all of them over time.
import { element, type Child } from "../../report/src/dom.ts";
import { dimensions, grouped, seconds } from "../../report/src/format.ts";
import { functionName } from "../../report/src/names.ts";
import { accessPane, type Excerpt } from "./access/pane.ts";
import { clockText, cyclesText, shownAccess, type ShownAccess } from "./access/shown_access.ts";
import { filterForm, filterOf } from "./filters.ts";
import { lanePicture } from "./lane_picture.ts";
import { AccessList } from "./list.ts";
import { OverTime, rangesOf } from "./over_time.ts";
import type { ReaderClient } from "./reader/client.ts";
import type { Progress } from "./reader/protocol.ts";
import type { AccessRow } from "./reader/rows.ts";
import { everything, isSame, letterOf, mostPins, type AccessId, type Choice, type State } from "./state.ts";
import { addressName, allocationsAt, blockName, hasAddresses, insteadOfAddress, isAccess, isModelled, lineName, operationClasses, operationName, sitesOf, type Launch, type LiveAllocation, type Trace } from "./trace.ts";

const linesAround = 3;

const fact = (name: string, value: Child, more: Child = null) =>
  element("div", { class: "tile" }, element("dt", {}, name), element("dd", {}, element("b", {}, value), element("span", {}, more)));

function launchFacts(launch: Launch, isModelled: boolean): HTMLElement {
  const time = launch.began && launch.ended >= launch.began ? seconds((launch.ended - launch.began) / 1e9) : null;
  return element("div", {},
    element("p", { class: "where" }, functionName(launch.kernel), launch.file ? `, launched at ${lineName(launch)}` : ""),
    element("dl", { class: "tiles" },
      fact("Accesses", launch.traced ? grouped(launch.accesses) : "not traced", launch.records ? `by threads; ${grouped(launch.records)} records of warps` : null),
      fact("Grid", dimensions(launch.grid), `blocks of ${dimensions(launch.block)} threads`),
      fact("Stream", launch.stream, `device ${launch.device}`),
      time && fact("On the device", time, "with tracing")),
    launch.derived && element("p", { class: "note" }, "The accesses of this launch were not recorded: they follow from it, and are derived here."),
    launch.timed !== "" && element("p", { class: "note" }, `Its accesses were timed, by the scheme ${launch.timed}: when each began by its multiprocessor's clock, and how many cycles it took.` +
      (isModelled ? " Cycles are modelled: the program ran on the CPU device." : "")),
    launch.reason !== "" && element("p", { class: "note" }, `${launch.complete ? "" : launch.traced ? "Not all is there: " : "Not traced: "}${launch.reason}`));
}

const timeCells = ({ times }: AccessRow): string[] => (times ? [clockText(times.start), cyclesText(times.duration)] : ["-", "-"]);

export class LaunchSection {
  readonly node: HTMLElement;
  private readonly facts = element("div");
  private readonly form = element("div");
  private readonly counted = element("p", { class: "note counted", role: "status" });
  private readonly list: AccessList;
  private readonly pane = element("div", { class: "pane" });
  private readonly overTime: OverTime;
  private readonly sources = new Map<string, Promise<string | null>>();
  private selection = 0;
  private live: LiveAllocation[] = [];
  private asked = 0;

  /** `keep` is called when the state has changed. */
  constructor(private readonly trace: Trace, private readonly state: State, private readonly reader: ReaderClient, private readonly keep: () => void) {
    const here = (row: AccessRow): AccessId => ({ launch: state.launch, chunk: row.chunk, index: row.index });
    this.list = new AccessList({
      rows: (first, most) => this.reader.call("rows", first, most).catch((error: unknown) => {
        this.tell(error);
        return [];
      }),
      cells: (row) => this.cells(row),
      isCurrent: (row) => state.access !== null && isSame(state.access, here(row)),
      letter: (row) => this.letter(here(row)),
      onChoose: (row) => this.showAccess(here(row)),
      onPin: (row) => this.pin(here(row)),
    });
    this.overTime = new OverTime((bounds) => this.reader.call("density", bounds));
    this.node = element("section", { id: "launch", "aria-labelledby": "launch-title" },
      element("h2", { id: "launch-title" }, "Launch"), this.facts, this.form, this.counted,
      element("div", { class: "both" }, element("div", { class: "card" }, this.list.node), this.pane),
      element("h2", {}, "Addresses over time"), this.overTime.node);
  }

  private get launch() {
    return this.trace.launches[this.state.launch]!;
  }
  private letter(id: AccessId): string {
    const pin = this.state.pins.findIndex((p) => isSame(p, id));
    return pin < 0 ? "" : letterOf(pin);
  }
  private tell(error: unknown) {
    this.counted.textContent = error instanceof Error ? error.message : String(error);
    this.counted.classList.add("failed");
  }

  /** Shows what the state says. */
  show() {
    const { trace, state, launch } = this;
    this.live = allocationsAt(trace, launch);
    this.node.querySelector("h2")!.textContent = `Launch ${grouped(launch.id)}`;
    this.facts.replaceChildren(launchFacts(launch, isModelled(trace)));
    this.form.replaceChildren(filterForm(trace, launch, state.choice, (choice) => this.choose(choice)));
    this.select();
    void this.drawAccess();
  }

  choose(choice: Choice) {
    Object.assign(this.state, { choice });
    this.form.replaceChildren(filterForm(this.trace, this.launch, choice, (next) => this.choose(next)));
    this.select();
    this.keep();
  }

  /** Pins it, or no longer. */
  private pin(id: AccessId) {
    const { pins } = this.state, at = pins.findIndex((p) => isSame(p, id));
    if (at >= 0) pins.splice(at, 1);
    else if (pins.length < mostPins) pins.push(id);
    this.state.access ??= id;
    this.list.refresh();
    void this.drawAccess();
    this.keep();
  }

  showAccess(id: AccessId) {
    this.state.access = id;
    this.list.refresh();
    void this.drawAccess();
    this.keep();
  }

  private select() {
    ++this.selection;
    this.list.restart(this.launch.timed !== "");
    this.counted.classList.remove("failed");
    this.counted.textContent = "Reading …";
    this.overTime.clear("Reading …");
    delete this.node.dataset["counted"];
    this.reader.call("select", this.state.launch, filterOf(this.trace, this.launch, this.state.choice)).catch((error: unknown) => this.tell(error));
  }

  /** From the reader: how far the accesses that pass are counted. */
  progress(progress: Progress) {
    if (progress.selection !== this.selection) return;
    this.list.setCount(progress.found);
    const { launch } = this;
    if (progress.error !== undefined) return this.tell(progress.error);
    const what = sitesOf(this.trace, launch).every((site) => site.isBlock || isAccess(site)) ? "accesses of warps" : "accesses of warps and records between them";
    this.counted.textContent = progress.done
      ? `${grouped(progress.found)} of ${grouped(progress.records)} ${what}`
      : `${grouped(progress.found)} ${what} so far; ${Math.floor((100 * progress.chunks) / launch.chunks)} % of the launch is read`;
    if (!progress.done) return;
    this.node.dataset["counted"] = String(progress.found);
    void this.drawOverTime(progress);
  }

  private async drawOverTime(progress: Progress) {
    const [bounds, first] = await Promise.all([this.reader.call("addressBounds"), this.reader.call("rows", 0, 1)]);
    if (progress.selection === this.selection) this.overTime.show(rangesOf(bounds, this.live), progress.records, first[0]?.address ?? null);
  }

  private cells(row: AccessRow): (Node | string)[] {
    const site = sitesOf(this.trace, this.launch)[row.site], times = this.launch.timed === "" ? [] : timeCells(row);
    if (!site) return ["", "", "", "", "", "", ...times];
    return [
      blockName(row.cta, this.launch.grid), String(row.warp),
      element("span", {}, element("span", { class: `dot ${operationClasses[site.kind]}`, "aria-hidden": "true" }), `${operationName(site)}${isAccess(site) ? ` ${grouped(site.bytes || row.bytes)} B` : ""}`),
      lineName(site), hasAddresses(site) ? addressName(this.live, site.space, row.address) : insteadOfAddress(site, row.address), lanePicture(row.mask), ...times,
    ];
  }

  private async shown(id: AccessId): Promise<ShownAccess | null> {
    const lanes = await this.reader.call("access", id.launch, id.chunk, id.index);
    return lanes && shownAccess(this.trace, id, lanes, this.letter(id));
  }

  private async drawAccess() {
    const mine = ++this.asked, { access, pins } = this.state;
    delete this.node.dataset["access"];
    if (!access) return this.pane.replaceChildren(element("p", { class: "card empty" }, "Choose an access in the list to see its lanes and addresses; + pins it, to be compared with others."));
    try {
      const [current, ...pinned] = await Promise.all([access, ...pins].map((id) => this.shown(id)));
      const excerpt = current ? await this.excerptOf(current) : null;
      if (mine !== this.asked) return;
      this.pane.replaceChildren(current ? accessPane(current, pinned.filter((p) => p !== null), {
        excerpt,
        isModelled: isModelled(this.trace),
        banksOf: (width) => this.reader.call("banks", access.launch, access.chunk, access.index, width),
        onPin: (of) => this.pin(of.id),
        onShow: (of) => this.showAccess(of.id),
        onWarp: (of) => this.allOfWarp(of),
      }) : element("p", { class: "card empty" }, "The trace has no such access."));
      this.node.dataset["access"] = `${access.chunk}.${access.index}`;
    } catch (error) {
      if (mine === this.asked) this.pane.replaceChildren(element("p", { class: "card empty", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  private allOfWarp(of: ShownAccess) {
    const { grid } = of.launch, { cta, warp } = of.lanes;
    const block: Choice["block"] = [cta % grid[0], Math.floor(cta / grid[0]) % grid[1], Math.floor(cta / grid[0] / grid[1])];
    if (of.id.launch !== this.state.launch) {
      this.state.launch = of.id.launch;
      this.state.choice = { ...everything, block, warp };
      this.keep();
      this.show();
    } else this.choose({ ...everything, block, warp });
  }

  private async excerptOf({ launch, site }: ShownAccess): Promise<Excerpt | string | null> {
    const { exportedAs } = this.trace;
    if (exportedAs === "JSON" || exportedAs === "Protobuf") return `The text of the source is not in this format (${exportedAs}).`;
    const source = this.trace.modules[launch.module]?.sources.indexOf(site.file) ?? -1;
    if (source < 0 || site.line === 0) return null;
    const key = `${launch.module}/${source}`;
    const known = this.sources.get(key) ?? this.reader.call("source", launch.module, source).catch(() => null);
    this.sources.set(key, known);
    const text = await known;
    if (text === null) return null;
    const first = Math.max(1, site.line - linesAround);
    return { first, text: text.split("\n").slice(first - 1, site.line + linesAround) };
  }
}
