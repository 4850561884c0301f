/// Of which kernel the page speaks: all, or one. The address says it (`?kernel=`), so that a link shows the same.
import type { Access, Results } from "./data.ts";

type Place = Pick<Access, "file" | "line" | "column" | "operation">;

/** Accesses of the source, whatever the kind of an atomic. */
const placeOf = (a: Place) => JSON.stringify([a.file, a.line, a.column, a.operation.split(" ")[0]]);

/** What the results say of one kernel alone; what they don't say by kernel stays as it is. */
export function ofKernel(all: Results, kernel: string | null): Results {
  const volume = all.kernels.find((k) => k.name === kernel);
  if (kernel === null || !volume) return all;
  const accesses = all.accesses.filter((a) => a.kernel === kernel);
  const places = new Set(accesses.map(placeOf));
  const { names, cells } = all.kernelMatrix;
  return {
    ...all, accesses, volume: { ...all.volume, ...volume }, kernels: [volume], lines: [],
    launches: all.launches.filter((l) => l.kernel === kernel),
    dependences: all.dependences.filter((d) => d.first.kernel === kernel || d.second.kernel === kernel),
    latencyKernels: all.latencyKernels.filter((k) => k.kernel === kernel), latencyLines: all.latencyLines.filter((l) => l.kernel === kernel),
    latencyExcerpts: all.latencyExcerpts.filter((e) => e.kernel === kernel),
    findings: all.findings.filter((f) => f.kernel === kernel || (f.line > 0 && places.has(placeOf(f)))),
    kernelMatrix: { names, cells: cells.filter((c) => names[c.source] === kernel || names[c.destination] === kernel) },
  };
}

type Sums = Pick<Results, "shown" | "volume" | "kernels">;

/** Volumes of the launches that were chosen when the page was made, where some were: those of the program are in the results. */
export function ofChosen<Side extends Sums>(side: Side): Side {
  if (side.shown.what === null) return side;
  const volume = { ...side.volume };
  for (const name of Object.keys(volume) as (keyof typeof volume)[])
    if (name !== "hostWrittenBytes") volume[name] = side.kernels.reduce((sum, k) => sum + k[name], 0);
  return { ...side, volume };
}

/** Whether launches are left out, so that what is known of lines and kernels by all launches is more than what is shown. */
export const leavesOut = ({ shown }: Results) => shown.launches < shown.of;

/** Kernels with their shares of all sectors, most first. */
export function kernelShares(results: Results): { kernel: string; share: number }[] {
  const sums = new Map(results.kernels.map((k) => [k.name, 0]));
  for (const a of results.accesses) sums.set(a.kernel, (sums.get(a.kernel) ?? 0) + a.sectors);
  const all = [...sums.values()].reduce((sum, n) => sum + n, 0);
  return [...sums].map(([kernel, sectors]) => ({ kernel, share: all ? sectors / all : 0 })).sort((a, b) => b.share - a.share);
}

/** The kernel in the address; null: it names none that is here. */
export function kernelInAddress(results: Results): string | null {
  const name = new URLSearchParams(location.search).get("kernel");
  return results.kernels.some((k) => k.name === name) ? name : null;
}

export function keepInAddress(kernel: string | null) {
  const query = new URLSearchParams(location.search);
  if (kernel === null) query.delete("kernel");
  else query.set("kernel", kernel);
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
}
