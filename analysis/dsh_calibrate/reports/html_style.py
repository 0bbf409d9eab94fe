"""The style sheet and the one script of the HTML report."""

from __future__ import annotations

from dsh_calibrate.reports.charts.palette import DARK, LIGHT

_RULES = """\
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1.25rem 4rem;background:var(--page);
color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Arial,sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.4rem;margin:3rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
h4{font-size:1rem;margin:1.25rem 0 .4rem;color:var(--muted)}
p,ul{max-width:48rem;margin:.6rem 0}
a{color:var(--link)}
.summary{background:var(--panel);border-left:4px solid var(--healthy);padding:.9rem 1rem .9rem 2rem;
border-radius:4px;max-width:none}
.summary li{margin:.25rem 0}
nav ol{columns:18rem;padding-left:1.4rem;margin:1rem 0;font-size:.95rem}
.finding{border-left:4px solid var(--muted);background:var(--panel);padding:.6rem .9rem;
border-radius:4px}
.finding.warning{border-left-color:var(--warning)}
.scroll{overflow-x:auto;max-width:100%}
.scroll:focus-visible{outline:2px solid var(--link)}
table{border-collapse:collapse;font-size:.9rem;min-width:20rem}
th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid var(--line);vertical-align:top;
overflow-wrap:normal}
td{max-width:34rem}
td:first-child{min-width:7rem}
thead th{color:var(--muted);font-weight:600;border-bottom-width:2px;vertical-align:bottom}
.n{text-align:right;font-variant-numeric:tabular-nums}
th.w{min-width:16rem}
td.n{white-space:nowrap}
code,pre{font-family:ui-monospace,"Cascadia Mono","Liberation Mono",monospace;font-size:.875em}
td code{overflow-wrap:anywhere}
pre{background:var(--panel);padding:.8rem 1rem;overflow-x:auto;border-radius:4px}
figure{margin:.5rem 0}
figure svg{display:block;max-width:100%;min-width:34rem;height:auto}
figcaption,.note{color:var(--muted);font-size:.9rem;max-width:48rem}
input.filter{font:inherit;font-size:.9rem;margin:.3rem 0;padding:.25rem .5rem;width:16rem;
max-width:100%;background:var(--page);color:var(--ink);border:1px solid var(--muted);
border-radius:4px}
@media print{body{max-width:none;padding:0;font-size:11pt}nav,input.filter{display:none}
h2,h3,h4{break-after:avoid}tr,figure{break-inside:avoid}.scroll,pre{overflow:visible}
pre{white-space:pre-wrap}figure svg{min-width:0}}
"""

FILTER = """\
for (const table of document.querySelectorAll('table')) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 12) continue;
  const input = document.createElement('input');
  input.type = 'search';
  input.className = 'filter';
  input.placeholder = 'Filter rows';
  input.setAttribute('aria-label', 'Filter the rows of this table');
  input.addEventListener('input', () => {
    const wanted = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.parentElement.before(input);
}
"""
"""Adds a box that filters the rows of long tables; nothing is lost without it."""


def style() -> str:
    """The style sheet: colours as variables, dark ones where the reader prefers them."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{@media screen{{:root{{{dark}}}}}}}\n{_RULES}"
    )


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{role}:{colour}" for role, colour in colours.items())
