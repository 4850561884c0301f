/// The page of one trace, from its results.
import { fragment } from "./address.ts";
import { emptyFigure } from "./chart.ts";
import { comparisonSection } from "./comparison/section.ts";
import type { Beside, Results } from "./data.ts";
import { choice, element, present, type Child } from "./dom.ts";
import { bisectionFigure, degreeFigure, strideFigure, transferSizeFigure } from "./figures/distributions.ts";
import { advisorSection } from "./figures/advisor.ts";
import { durationsSection } from "./figures/durations.ts";
import { callPathFigure } from "./figures/call_paths.ts";
import { connectivityFigure, distanceFigure, evolutionFigure } from "./figures/supersteps.ts";
import { shareFigure, volumeFigure } from "./figures/volume.ts";
import { footer } from "./footer.ts";
import { percent, shortName } from "./format.ts";
import { densityFigure } from "./matrix/density.ts";
import { profileSection } from "./profile/section.ts";
import { rooflineSection } from "./roofline/section.ts";
import { faultLine, faultsOf, faultsSection } from "./sections/faults.ts";
import { findingsSection } from "./sections/findings.ts";
import { kernelMatrixFigure } from "./sections/kernel_matrix.ts";
import { communicationTiles, notices, overview, pageHead } from "./sections/overview.ts";
import { allocationTable, dependenceTable, launchTable, otherMemoryTable } from "./sections/tables.ts";
import { keepInAddress, kernelInAddress, kernelShares, leavesOut, ofKernel } from "./selection.ts";
import { sourceSection } from "./source/section.ts";
import { explanations } from "./terms.ts";
import { skipLink } from "./skip_link.ts";

interface Section {
  id: string;
  title: string;
  /** Of the results that are shown, and of all. */
  content: (shown: Results, all: Results) => Child[];
  /** Whether it says something of a single kernel. */
  byKernel: boolean;
}

const cards = (...content: Child[]) => element("div", { class: "cards" }, ...content);
const card = (content: Node) => element("div", { class: "card" }, content);

const ctaMatrix = (results: Results) =>
  results.density.maps.length ? densityFigure(results) : emptyFigure("CTA to CTA", "No CTA depends on another one.");

function sections(all: Results, { earlier, profile, roofline, check }: Beside): Section[] {
  const of = (id: string, title: string, byKernel: boolean, content: Section["content"]): Section => ({ id, title, byKernel, content });
  const { advisor } = all;
  const list: (Section | false)[] = [
    earlier !== null && of("change", "Before and after", false, (r) => comparisonSection(earlier, r)),
    of("overview", "Overview", true, (r) => [overview(r)]),
    check !== null && of("faults", "Faults", true, (r) => faultsSection(check, r, all)),
    of("findings", "Findings", true, findingsSection),
    profile !== null && of("time", "Where the time went", true, (r) => profileSection(profile, r, all)),
    roofline !== null && of("limits", "What bounds the time", true, (r) => rooflineSection(roofline, r)),
    (all.accesses.length > 0 || (check !== null && check.faults.length > 0 && all.sources.length > 0)) &&
      of("source", "Source", true, (r) => sourceSection(r, all, check === null ? [] : faultsOf(check, r, all))),
    all.latencyKernels.length > 0 && of("durations", "Durations", true, durationsSection),
    all.accesses.length > 0 && of("call-paths", "Call paths", true, (r) => [callPathFigure(r)]),
    of("communication", "Communication", false, (r) => [communicationTiles(r)]),
    of("volumes", "Kernels", true, (r) => [cards(volumeFigure(r), shareFigure(r))]),
    of("ctas", "Between CTAs", false, (r) => [cards(ctaMatrix(r), transferSizeFigure(r), degreeFigure(r), bisectionFigure(r), strideFigure(r))]),
    of("kernels", "Between kernels", true, (r) => [cards(kernelMatrixFigure(r))]),
    of("supersteps", "Supersteps", false, (r) => [cards(evolutionFigure(r), connectivityFigure(r), distanceFigure(r))]),
    advisor !== null && of("advisor", "Several GPUs", false, () => advisorSection(advisor)),
    all.dependences.length > 0 && of("dependences", "Dependences", true, (r) => [
      leavesOut(r) && element("p", { class: "note" }, "Of all launches of these kernels."), card(dependenceTable(r))]),
    of("allocations", "Allocations", false, (r) => [card(allocationTable(r))]),
    all.otherMemory.length > 0 && of("other-memory", "Other memory", false, (r) => [card(otherMemoryTable(r))]),
    of("launches", "Launches", true, (r) => [card(launchTable(r))]),
  ];
  return list.filter((s): s is Section => s !== false);
}

/** A section of the page, and what shows another kernel in it. */
function placed(section: Section, all: Results): { node: HTMLElement; show: (kernel: string | null, shown: Results) => void } {
  const body = element("div"), isWhole = !section.byKernel && all.shown.what !== null;
  const note = element("p", { class: "note", hidden: !isWhole },
    isWhole ? "Of the whole program: these figures are not known of a part." : "Of all kernels: these figures are not known of each.");
  if (!section.byKernel) body.append(...present(section.content(all, all)));
  return {
    node: element("section", { id: section.id, "aria-labelledby": `${section.id}-title` },
      element("h2", { id: `${section.id}-title` }, section.title), note, body),
    show: (kernel, shown) => {
      note.hidden = section.byKernel || (kernel === null && !isWhole);
      if (section.byKernel) body.replaceChildren(...present(section.content(shown, all)));
    },
  };
}

function kernelChoice(results: Results, onChange: (kernel: string | null) => void): HTMLElement | null {
  const kernels = kernelShares(results);
  if (kernels.length < 2) return null;
  const node = choice("Kernel", ["All kernels", ...kernels.map((k) => `${shortName(k.kernel)}: ${percent(k.share)} of sectors`)],
    (i) => onChange(kernels[i - 1]?.kernel ?? null));
  const now = kernelInAddress(results);
  node.querySelector("select")!.selectedIndex = 1 + kernels.findIndex((k) => k.kernel === now);
  return node;
}

/** `traces` leads to others, if there are any. */
export function tracePage(all: Results, beside: Beside, traces: HTMLElement | null): HTMLElement[] {
  // First: it chooses the theme, and drawings that are made before would not hear of the next one.
  const head = pageHead(all, [traces, kernelChoice(all, (kernel) => {
    keepInAddress(kernel);
    showKernel(kernel);
  })]);
  const parts = sections(all, beside), nodes = parts.map((section) => placed(section, all));
  const only = element("p", { class: "only", role: "status" }), faults = element("div"), { check } = beside;
  const showKernel = (kernel: string | null) => {
    const shown = ofKernel(all, kernel);
    only.replaceChildren(...(kernel === null ? [] : ["Only kernel ", element("code", {}, kernel)]));
    faults.replaceChildren(...present([check && faultLine(check, faultsOf(check, shown, all))]));
    for (const node of nodes) node.show(kernel, shown);
  };
  showKernel(kernelInAddress(all));
  return [
    skipLink(),
    head,
    element("nav", { "aria-label": "Sections" }, ...parts.map((s) => element("a", { href: fragment(s.id) }, s.title))),
    element("main", { id: "main", tabindex: -1 }, only, faults, notices(all), ...nodes.map((n) => n.node), explanations),
    footer(),
  ];
}
