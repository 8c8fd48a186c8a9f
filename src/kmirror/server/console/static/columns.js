// Which columns of a long table are shown: this browser remembers it.
"use strict";

{
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const boxes = () => [...document.querySelectorAll("[data-column]")];
  const key = (table) => `columns:${table}`;
  const hidden = (table) => new Set(JSON.parse(localStorage.getItem(key(table)) || "[]"));

  // A rule, and no attribute of a cell: cells are replaced while somebody looks.
  function apply() {
    sheet.replaceSync(boxes().filter((each) => !each.checked).map((each) =>
      `[data-columns="${each.dataset.table}"] tr:not(.why) > :nth-child(${each.dataset.column}) { display: none !important; }`).join("\n"));
  }

  function begin() {
    for (const each of boxes()) each.checked = !hidden(each.dataset.table).has(each.value);
    apply();
  }

  document.addEventListener("change", (event) => {
    const each = event.target.closest("[data-column]");
    if (!each) return;
    const found = hidden(each.dataset.table);
    if (each.checked) found.delete(each.value);
    else found.add(each.value);
    localStorage.setItem(key(each.dataset.table), JSON.stringify([...found]));
    apply();
  });
  document.addEventListener("parts", begin);
  begin();
  // As any menu: what is beside it, Escape, and who goes on with Tab, close it.
  addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("details.columns[open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.columns[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.columns[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });
}
