/* One search box and one choice of class over the tables of a model; the address keeps both, and the order.
   No dependency; without script the tables are whole.  `tables.js` comes first and does the sorting. */
(function () {
  "use strict";

  const named = (table) => table.closest(".rg-table").id.replace("table-", "");
  const column = (table) =>
    Array.from(table.tHead.rows[0].cells).findIndex((head) => head.textContent.trim() === "class");

  /* Classes of each table with their numbers, as groups of the choice. */
  function choice(tables) {
    const select = document.createElement("select");
    select.className = "rg-tool";
    select.append(new Option("all", ""));
    for (const table of tables) {
      const counts = new Map();
      const at = column(table);
      for (const row of table.tBodies[0].rows) {
        const name = row.cells[at].textContent.trim();
        counts.set(name, (counts.get(name) || 0) + 1);
      }
      const group = document.createElement("optgroup");
      group.label = named(table);
      for (const [name, count] of counts) group.append(new Option(`${name} (${count})`, `${named(table)}.${name}`));
      select.append(group);
    }
    return select;
  }

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text + " ", control);
    return label;
  }

  function read() {
    return new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  }

  function browse(tables) {
    const box = document.createElement("input");
    box.type = "search";
    box.className = "rg-tool";
    box.placeholder = "words, all of them";
    const select = choice(tables);
    const known = document.createElement("input");
    known.type = "checkbox";
    const count = document.createElement("output");
    const clear = document.createElement("button");
    clear.type = "button";
    clear.className = "rg-tool";
    clear.textContent = "Show all";
    const bar = document.createElement("div");
    bar.className = "rg-filter rg-browse";
    bar.setAttribute("role", "search");
    bar.append(labelled("Search", box), labelled("Class", select), labelled("Only with a value", known), clear, count);
    tables[0].closest(".rg-table").before(bar);

    function show() {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      const told = [];
      for (const table of tables) {
        const at = column(table);
        let shown = 0;
        for (const row of table.tBodies[0].rows) {
          const text = (row.id + " " + row.textContent).toLowerCase();
          row.hidden =
            (select.value !== "" && select.value !== `${named(table)}.${row.cells[at].textContent.trim()}`) ||
            (known.checked && row.classList.contains("rg-absent")) ||
            !words.every((word) => text.includes(word));
          shown += row.hidden ? 0 : 1;
        }
        table.closest(".rg-table").hidden = shown === 0;
        told.push(`${shown} of ${table.tBodies[0].rows.length} ${named(table)}`);
      }
      count.textContent = told.join(", ");
    }

    function sorted() {
      for (const table of tables) {
        const heads = Array.from(table.tHead.rows[0].cells);
        const at = heads.findIndex((head) => head.hasAttribute("aria-sort"));
        if (at >= 0) return `${named(table)}.${at}.${heads[at].getAttribute("aria-sort")}`;
      }
      return "";
    }

    function keep() {
      const state = new URLSearchParams();
      if (box.value) state.set("q", box.value);
      if (select.value) state.set("class", select.value);
      if (known.checked) state.set("known", "1");
      if (sorted()) state.set("sort", sorted());
      const text = state.toString();
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    }

    /* What an address asks for; one that names a row only is left to the browser. */
    function restore() {
      if (location.hash && !location.hash.includes("=")) return;
      const state = read();
      box.value = state.get("q") || "";
      select.value = state.get("class") || "";
      if (select.selectedIndex < 0) select.value = "";
      known.checked = state.get("known") === "1";
      const [name, at, way] = (state.get("sort") || "").split(".");
      const table = tables.find((one) => named(one) === name);
      const head = table && table.tHead.rows[0].cells[Number(at)];
      const button = head && head.querySelector("button");
      for (let turn = 0; button && turn < 2 && head.getAttribute("aria-sort") !== way; turn++) button.click();
    }

    function changed() {
      show();
      keep();
    }

    restore();
    show();
    for (const control of [box, select, known]) control.addEventListener("input", changed);
    clear.addEventListener("click", function () {
      box.value = select.value = "";
      known.checked = false;
      changed();
      box.focus();
    });
    for (const table of tables) table.tHead.addEventListener("click", () => setTimeout(keep));
    window.addEventListener("hashchange", function () {
      if (!bar.isConnected) return;
      restore();
      show();
    });
  }

  function dress() {
    const tables = Array.from(document.querySelectorAll("table.rg.browsed"));
    if (!tables.length || tables[0].dataset.dressed) return;
    tables[0].dataset.dressed = "yes";
    browse(tables);
  }

  if (typeof document$ !== "undefined") document$.subscribe(dress);
  else document.addEventListener("DOMContentLoaded", dress);
})();
