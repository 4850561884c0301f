/// The report's style sheet. Both themes are sets of variables; drawings use them too.
#ifndef CUPR_ANALYSIS_REPORT_STYLE_H
#define CUPR_ANALYSIS_REPORT_STYLE_H

namespace cupr::analysis {

inline constexpr const char *kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fbfbf9; --card: #ffffff; --ink: #1d2126; --soft: #5d6670; --line: #e1e3e0;
  --empty: #f1f2ef; --heat: #d9622b; --load: #2c7fb8; --store: #d9622b; --atomic: #7a5195; --mark: #fff3e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1b1f25; --ink: #e6e8ea; --soft: #98a2ad; --line: #2d333b;
    --empty: #20252c; --heat: #ff8a4d; --load: #58a8de; --store: #ff8a4d; --atomic: #b18bd6; --mark: #2c241d;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 28px 16px 64px; }
h1 { font-size: 1.55rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; margin: 40px 0 4px; }
h3 { font-size: .95rem; margin: 24px 0 8px; overflow-wrap: anywhere; font-weight: 600; }
p { margin: 4px 0 12px; max-width: 72ch; }
.soft, p.note { color: var(--soft); }
p.note { font-size: .88rem; }
.lead { font-size: 1.02rem; margin: 14px 0 18px; }
.warn { border-left: 4px solid var(--heat); padding: 8px 12px; background: var(--mark); border-radius: 0 6px 6px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(148px, 1fr)); gap: 10px; margin: 18px 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
.tile b { display: block; font-size: 1.28rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: .84rem; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 0 24px; }
.pair > div { min-width: 0; } .pair > div:empty { display: none; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; color: var(--soft); padding: 2px 10px 6px; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
td { text-align: right; padding: 4px 10px; white-space: nowrap; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th.l, td.l { text-align: left; }
td.k { text-align: left; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .82rem; max-width: 34em;
  overflow: hidden; text-overflow: ellipsis; }
.bad { color: var(--heat); }
svg { display: block; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); }
svg .axis, svg .num { fill: var(--soft); }
svg .mid { text-anchor: middle; } svg .end { text-anchor: end; } svg .cell { font-size: 11px; }
svg .heat { fill: var(--heat); shape-rendering: crispEdges; } svg .none { fill: var(--empty); } svg .catch { fill: transparent; }
svg .up { fill: var(--load); } svg .down { fill: var(--store); } svg .rule { stroke: var(--line); }
svg g:hover .catch { fill: var(--empty); } svg rect.heat:hover, svg g:hover > rect.heat { stroke: var(--ink); }
table.src { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .8rem; }
table.src td { border: 0; padding: 0 8px; line-height: 1.55; }
table.src td.t { text-align: left; white-space: pre; width: 100%; }
table.src td.n { color: var(--soft); }
table.src tr.hit { background: var(--mark); }
table.src tr.gap td { color: var(--soft); text-align: left; padding: 2px 8px; }
.bar { display: inline-flex; width: 90px; height: 9px; border-radius: 2px; overflow: hidden; background: var(--empty);
  vertical-align: middle; }
.bar i { display: block; height: 100%; }
.ld { background: var(--load); } .st { background: var(--store); } .at { background: var(--atomic); }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 5px 0 14px; }
.key:first-child { margin-left: 0; }
@media (max-width: 560px) {
  .scroll { padding: 8px; } td, th { padding-left: 6px; padding-right: 6px; }
  table.src td { padding: 0 4px; } .bar { width: 32px; }
}
footer { margin-top: 48px; color: var(--soft); font-size: .84rem; }
)css";

} // namespace cupr::analysis

#endif
