// Keyboard shortcuts, the dialog for rejecting, and charts drawn from tables. All of it is optional: links and forms work
// without scripts.
"use strict";
(() => {
  const $ = (what, where = document) => where.querySelector(what);
  const $$ = (what, where = document) => [...where.querySelectorAll(what)];
  const PLACE = "dopejar.row";

  // rows: the focused one, or the first
  const rows = () => $$("[data-row]");
  const current = () => document.activeElement?.closest?.("[data-row]") ?? null;
  const focusRow = (row) => row && ($("[data-open]", row) ?? row).focus();
  const move = (step) => {
    const all = rows();
    const at = all.indexOf(current());
    focusRow(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + step))]);
  };
  const remember = () => {
    const at = rows().indexOf(current());
    if (at >= 0) sessionStorage.setItem(PLACE, `${location.pathname} ${at}`);
  };
  const resume = () => {
    const [path, at] = (sessionStorage.getItem(PLACE) ?? "").split(" ");
    sessionStorage.removeItem(PLACE);
    const all = rows();
    if (path === location.pathname && all.length) focusRow(all[Math.min(Number(at), all.length - 1)]);
  };

  // rejecting from a row asks for the reason in a dialog
  const reject = (link) => {
    const row = link.closest("[data-row]"), form = link.closest("form"), dialog = $("#reject-dialog");
    $(".subject", dialog).textContent = row.dataset.text;
    $("input", dialog).value = "";
    dialog.returnValue = "";
    dialog.onclose = () => {
      focusRow(row);
      if (dialog.returnValue !== "reject") return;
      remember();
      const button = document.createElement("button");
      button.formAction = link.dataset.reject;
      button.hidden = true;
      $("[name=reason]", form).value = $("input", dialog).value;
      form.append(button);
      button.click();
    };
    dialog.showModal();
  };

  const act = (key) => {
    const row = current() ?? rows()[0];
    const where = row ?? document;
    if (key === "a") $("[data-key=a]", where)?.click();
    else if (key === "x") $("[name=pick]", where)?.click();
    else if (key === "r") row ? $("[data-reject]", row)?.click() : $("[data-reason]")?.focus();
    else if (key === "e") {
      const field = $("[data-edit]");
      if (field) { field.focus(); field.select(); }
      else if (row && $("[data-reject]", row)) location.assign($("[data-open]", row).href + "#edit");
    }
  };
  const go = (where) => { const link = typeof where === "string" ? $(where) : where; if (link) location.assign(link.href); };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog")) return;
    if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key;
    if (key === "j") move(1);
    else if (key === "k") move(-1);
    else if ("arxe".includes(key)) act(key);
    else if (key === "/") $("[data-search]")?.focus();
    else if (key === "?") go("[data-help]");
    else if (key === "b") go("[data-back]");
    else if ("12345".includes(key)) go($$(".top nav a")[Number(key) - 1]);
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-reject]");
    if (link) { event.preventDefault(); reject(link); }
    if (event.target.closest("[data-reload]")) { event.preventDefault(); location.reload(); }
  });
  // the bar under the rows names how many are selected
  const picked = () => $$("[name=pick]:checked").length;
  const count = () => {
    const number = picked(), label = $("[data-picked]"), all = $("[data-approve-picked]");
    if (label) label.textContent = number ? `${number} selected:` : "Selected rows:";
    if (all) { all.textContent = `Approve ${number} in one act`; all.disabled = !number; }
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-pick-all]"))
      for (const box of $$("[name=pick]")) box.checked = event.target.checked;
    count();
  });
  // a list that nobody works in follows the store by itself
  let touched = Date.now();
  for (const name of ["keydown", "pointerdown", "scroll"]) document.addEventListener(name, () => { touched = Date.now(); }, true);
  document.addEventListener("htmx:after:swap", () => {
    if ($("#counts .outdated") && Date.now() - touched > 10_000 && !picked() && !current() && !$("dialog[open]") && !document.activeElement?.matches("input, select")) location.reload();
  });
  document.addEventListener("submit", remember);

  // charts: the first column of a table against its numeric columns
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const SHADES = [["--accent", []], ["--ink-soft", []], ["--warn", []], ["--accent", [6, 4]], ["--ink", [2, 3]], ["--bad", []], ["--bad", [6, 4]]];
  const draw = (box) => {
    const table = document.getElementById(box.dataset.chart);
    const columns = $$("thead th", table), heads = columns.map((cell) => cell.textContent);
    const lines = $$("tbody tr", table).map((row) => [...row.cells]);
    const first = (cell) => cell.dataset.day ? Date.parse(cell.dataset.day) / 1000 : Number(cell.dataset.x ?? NaN);
    let points = lines.map((cells) => [first(cells[0]), ...cells.slice(1).map((cell) => Number(cell.textContent.replace(/[^\d.]/g, "")) || 0)]);
    points = points.filter((point) => Number.isFinite(point[0])).sort((a, b) => a[0] - b[0]);
    if (points.length < 2 || !window.uPlot || !box.clientWidth) return;
    const all = heads.map((_, at) => points.map((point) => point[at]));
    const shown = heads.map((_, at) => at).filter((at) => at === 0 || (!("off" in columns[at].dataset) && all[at].some(Boolean)));
    if (shown.length < 2) return;
    const part = points.at(-1)[0] - points[0][0] < 2 * 86400 ? [11, 16] : [5, 10]; // of an ISO time: the minute, or the day
    const axis = { stroke: style("--ink-soft"), grid: { stroke: style("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
    const bottom = { ...axis, values: (_, at) => at.map((x) => new Date(x * 1000).toISOString().slice(...part)) };
    const series = shown.map((at) => at === 0 ? { label: heads[0] } : {
      label: heads[at], stroke: style(SHADES[(at - 1) % SHADES.length][0]), dash: SHADES[(at - 1) % SHADES.length][1], width: 1.75,
      points: { show: points.length < 12, size: 5 },
    });
    box.replaceChildren();
    new uPlot({
      width: box.clientWidth || box.parentElement.clientWidth, height: box.classList.contains("low") ? 180 : 240, series,
      axes: [bottom, { ...axis, size: 48 }], cursor: { drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [0, Number(box.dataset.most) || Math.max(1, high * 1.08)] } },
    }, shown.map((at) => all[at]), box);
  };
  const charts = () => $$("[data-chart]").forEach(draw);
  let waiting;
  window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(charts, 150); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", charts);
  for (const box of $$("[data-draws]")) box.addEventListener("toggle", charts); // a folded chart has no width
  charts();
  resume();
  // after the browser's own jump to the fragment, which removes the focus
  const field = { "#edit": "[data-edit]", "#reject": "[data-reason]" }[location.hash];
  if (field) window.addEventListener("load", () => requestAnimationFrame(() => setTimeout(() => $(field)?.focus())));
})();
