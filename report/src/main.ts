/// Puts the page together from the results that stand in it.
import { emptyFigure } from "./chart.ts";
import { readResults, type Results } from "./data.ts";
import { element, type Child } from "./dom.ts";
import { bisectionFigure, degreeFigure, strideFigure, transferSizeFigure } from "./figures/distributions.ts";
import { advisorSection } from "./figures/advisor.ts";
import { connectivityFigure, distanceFigure, evolutionFigure } from "./figures/supersteps.ts";
import { shareFigure, volumeFigure } from "./figures/volume.ts";
import { fileName } from "./format.ts";
import { densityFigure } from "./matrix/density.ts";
import { findingsSection } from "./sections/findings.ts";
import { kernelMatrixFigure } from "./sections/kernel_matrix.ts";
import { communicationTiles, notices, overview, pageHead } from "./sections/overview.ts";
import { sourceSection } from "./sections/source_view.ts";
import { allocationTable, dependenceTable, launchTable, otherMemoryTable } from "./sections/tables.ts";
import "./style.css";

interface Section {
  id: string;
  title: string;
  content: Child[];
}

const cards = (...content: Child[]) => element("div", { class: "cards" }, ...content);
const card = (content: Node) => element("div", { class: "card" }, content);

const ctaMatrix = (results: Results) =>
  results.density.maps.length ? densityFigure(results) : emptyFigure("CTA to CTA", "No CTA depends on another one.");

function sections(results: Results): Section[] {
  const all: (Section | false)[] = [
    { id: "overview", title: "Overview", content: [overview(results)] },
    { id: "findings", title: "Findings", content: findingsSection(results) },
    results.lines.length > 0 && { id: "source", title: "Source", content: sourceSection(results) },
    { id: "communication", title: "Communication", content: [communicationTiles(results), cards(volumeFigure(results), shareFigure(results))] },
    { id: "ctas", title: "Between CTAs", content: [cards(ctaMatrix(results), transferSizeFigure(results), degreeFigure(results),
      bisectionFigure(results), strideFigure(results))] },
    { id: "kernels", title: "Between kernels", content: [cards(kernelMatrixFigure(results))] },
    { id: "supersteps", title: "Supersteps", content: [cards(evolutionFigure(results), connectivityFigure(results), distanceFigure(results))] },
    results.advisor !== null && { id: "advisor", title: "Several GPUs", content: advisorSection(results.advisor) },
    results.dependences.length > 0 && { id: "dependences", title: "Dependences", content: [card(dependenceTable(results))] },
    { id: "allocations", title: "Allocations", content: [card(allocationTable(results))] },
    results.otherMemory.length > 0 && { id: "other-memory", title: "Other memory", content: [card(otherMemoryTable(results))] },
    { id: "launches", title: "Launches", content: [card(launchTable(results))] },
  ];
  return all.filter((s): s is Section => s !== false);
}

const footer = () =>
  element("footer", {},
    element("p", {}, "Volumes count bytes by threads unless a figure says distinct."),
    element("p", {}, `Made by cupranalyze. The page contains ${__LIBRARIES__.join(", ")}; nothing is loaded from the network.`));

function show(results: Results) {
  document.title = `${fileName(results.program) || "Program"}: memory report`;
  const head = pageHead(results);
  const parts = sections(results);
  document.body.append(
    element("a", { class: "skip", href: "#main" }, "To the figures"),
    head,
    element("nav", { "aria-label": "Sections" }, ...parts.map((s) => element("a", { href: `#${s.id}` }, s.title))),
    element("main", { id: "main", tabindex: -1 }, notices(results),
      ...parts.map((s) => element("section", { id: s.id, "aria-labelledby": `${s.id}-title` },
        element("h2", { id: `${s.id}-title` }, s.title), ...s.content))),
    footer());
}

readResults().then(show).catch((error: unknown) => {
  document.body.append(element("main", {}, element("h1", {}, "Memory report"),
    element("p", { role: "alert" }, `The results in this page can't be read: ${String(error)}`)));
  throw error;
});
