/// What an access of shared memory asks of the 32 banks: a column for each, with the words that it has to give or take, one after the other. A word
/// that is pointed at marks the lanes that access it.
import { choice, element } from "../../../report/src/dom.ts";
import { grouped } from "../../../report/src/format.ts";
import type { BankTable, BankUse, BankWidth } from "../reader/rows.ts";
import { operationClasses } from "../trace.ts";
import type { ShownAccess } from "./shown_access.ts";

const bankCount = 32, columns = 8;
const widths: readonly BankWidth[] = [4, 8];
const hint = "Below each bank stand the lanes that it serves, one below the other where they wait for each other. Lanes that want one word are served together.";

/** Null: there is no such access. */
export type BanksOf = (width: BankWidth) => Promise<BankTable | null>;

/** A turn of a bank. */
interface Turn {
  node: HTMLElement;
  lanes: ReadonlySet<number>;
}

/** " in tile, row". */
const inVariables = ({ variables }: BankTable) => (variables.length ? ` in ${variables.join(", ")}` : "");
/** " (tile[2][5])": what lies in a word for these lanes, which may want different bytes of it. */
function placeText({ places }: BankTable, lanes: readonly number[]): string {
  const distinct = [...new Set(lanes.map((lane) => places[lane]).filter((place) => place !== null))];
  return distinct.length ? ` (${distinct.join(", ")})` : "";
}

const lanesText = (lanes: readonly number[]) => `${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ")}`;

export class BankPicture {
  readonly node: HTMLElement;
  private readonly table = element("div");
  private readonly said = element("p", { class: "note", role: "status" });
  private readonly isAtomic: boolean;
  private turns: Turn[] = [];

  /** `onPoint` gets the lanes of the word that is pointed at. */
  constructor(private readonly access: ShownAccess, private readonly banksOf: BanksOf, private readonly onPoint: (lanes: ReadonlySet<number>) => void) {
    this.isAtomic = operationClasses[access.site.kind] === "atomic";
    this.node = element("div", { class: "banks" },
      element("div", { class: "controls" }, choice("Banks' words", widths.map((width) => `${width} bytes`), (at) => void this.load(widths[at]!))),
      this.said, this.table);
    this.table.addEventListener("pointerover", (event) => this.point(event.target));
    this.table.addEventListener("pointerleave", () => this.point(null));
    void this.load(widths[0]!);
  }

  /** Marks the words of a lane; null: none. */
  mark(lane: number | null) {
    for (const turn of this.turns) turn.node.classList.toggle("marked", lane !== null && turn.lanes.has(lane));
  }

  private async load(width: BankWidth) {
    delete this.node.dataset["width"];
    try {
      this.draw(await this.banksOf(width));
      this.node.dataset["width"] = String(width);
    } catch (error) {
      this.said.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private draw(of: BankTable | null) {
    this.turns = [];
    this.table.replaceChildren();
    if (!of || of.requests === 0) {
      this.said.textContent = "How banks serve such an access is not known.";
      return;
    }
    const extra = of.wavefronts - of.idealWavefronts, phases = of.phases.length;
    this.said.textContent = `${grouped(of.wavefronts)} wavefront${of.wavefronts === 1 ? "" : "s"}, ${extra === 0 ? "no bank conflicts" : `where ${grouped(of.idealWavefronts)} would do: bank conflicts`}${inVariables(of)}. ${hint}`;
    this.table.replaceChildren(...of.phases.flatMap(({ wavefronts, banks }, n) => [
      phases > 1 && element("p", { class: "line-name" }, `Phase ${n + 1} of ${phases}: ${grouped(wavefronts)} wavefront${wavefronts === 1 ? "" : "s"}`),
      this.phase(of, banks),
    ]).filter((node) => node !== false));
  }

  private phase(of: BankTable, banks: readonly BankUse[]): HTMLElement {
    const busy = new Map(banks.map((use) => [use.bank, use]));
    return element("div", { class: `bank-row ${operationClasses[this.access.site.kind]}` },
      ...Array.from({ length: bankCount / columns }, (_, group) =>
        element("ul", { class: "bank-group" }, ...Array.from({ length: columns }, (_, n) => this.bank(of, group * columns + n, busy.get(group * columns + n))))));
  }

  private bank(of: BankTable, bank: number, use: BankUse | undefined): HTMLElement {
    // Atomics of one word take their turns, too.
    const turns = (use?.words ?? []).flatMap(({ word, threads }) => (this.isAtomic ? threads.map((thread) => ({ word, threads: [thread] })) : [{ word, threads }]));
    const cells = turns.map(({ word, threads }) => {
      const node = element("i", { "aria-hidden": "true", title: `word ${word}${placeText(of, threads)}: ${lanesText(threads)}` }, threads.length === 1 ? String(threads[0]) : `${threads.length}×`);
      this.turns.push({ node, lanes: new Set(threads) });
      return node;
    });
    const isConflict = (use?.turns ?? 0) > 1;
    return element("li", { class: isConflict ? "bank conflict" : "bank" },
      element("b", { "aria-hidden": "true" }, String(bank)), ...cells,
      element("span", { class: "hidden" }, `Bank ${bank}: ${turns.length ? turns.map(({ threads }) => lanesText(threads)).join(" | ") : "no lane"}${isConflict ? `, ${use!.turns}-way conflict` : ""}`));
  }

  private point(target: EventTarget | null) {
    const turn = this.turns.find(({ node }) => node === target);
    for (const { node } of this.turns) node.classList.toggle("pointed", node === turn?.node);
    this.onPoint(turn?.lanes ?? new Set());
  }
}
