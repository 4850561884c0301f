/// Numbers and names as cupranalyze prints them.

const group = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export const grouped = (n: number) => group.format(n);

/** 1536 -> "1.5 KiB" */
export function bytes(n: number): string {
  let unit = 0;
  while (n >= 1023.95 && unit + 1 < units.length) {
    n /= 1024;
    ++unit;
  }
  return unit === 0 ? `${grouped(n)} B` : `${n.toFixed(1)} ${units[unit]}`;
}

/** For the marks of an axis: as bytes, but without a fraction that is 0. */
export const axisBytes = (n: number) => bytes(n).replace(".0 ", " ");

/** 0.5 -> "50.0 %". Rounding doesn't turn "nearly" into "all" or "none". */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "-";
  if (share < 1 && share >= 0.9995) return ">99.9 %";
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return `${(100 * share).toFixed(1)} %`;
}

/** 12,345,678 -> "12.3 M" */
export function short(n: number): string {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]] as const)
    if (n >= size) return `${(n / size).toFixed(n < 100 * size && n % size ? 1 : 0)} ${unit}`;
  return String(Math.round(n * 10) / 10);
}

export function seconds(s: number): string {
  if (s === 0) return "0";
  if (s < 1e-6) return `${(s * 1e9).toFixed(0)} ns`;
  if (s < 1e-3) return `${(s * 1e6).toFixed(1)} µs`;
  return s < 1 ? `${(s * 1e3).toFixed(2)} ms` : `${s.toFixed(2)} s`;
}

/** The last part of a path. */
export const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** A function's name without parameters, return type and namespaces: `void ns::f<int>(int*)` -> `f<int>`. What begins with a bracket stands for none. */
export function shortName(name: string): string {
  if (name.startsWith("[")) return name;
  const end = parametersStart(name);
  let depth = 0, start = 0;
  for (let i = 0; i < end; ++i) {
    if ("<({".includes(name[i]!)) ++depth;
    else if (">)}".includes(name[i]!)) --depth;
    else if (depth === 0 && (name[i] === " " || (name[i] === ":" && name[i - 1] === ":"))) start = i + 1;
  }
  return name.slice(start, end) || name;
}

/** Where the last bracketed list outside of `<>` begins. */
function parametersStart(name: string): number {
  let depth = 0;
  for (let i = name.lastIndexOf(")"); i > 0; --i) {
    if (name[i] === ")") ++depth;
    else if (name[i] === "(" && --depth === 0) return i;
  }
  return name.length;
}

/** [16, 16, 1] -> "16 × 16" */
export function dimensions(d: readonly number[]): string {
  const used = d[2] !== 1 ? 3 : d[1] !== 1 ? 2 : 1;
  return d.slice(0, used).map(grouped).join("\u00a0×\u00a0");
}

/** CTA 33 of a grid of 32 x 32 -> "33 (1, 1)" */
export function cta(index: number, grid: readonly number[] | null): string {
  if (!grid || (grid[1] === 1 && grid[2] === 1)) return grouped(index);
  const [gx, gy] = [grid[0]!, grid[1]!];
  const at = [index % gx, Math.floor(index / gx) % gy, Math.floor(index / gx / gy)];
  return `${grouped(index)} (${at.slice(0, grid[2] === 1 ? 2 : 3).join(", ")})`;
}

/** The step between marks of an axis: 1, 2 or 5 times a power of ten, at least `least` and 1. */
export const niceStep = (least: number) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least)!);
};
