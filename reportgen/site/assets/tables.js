/* Tables that sort and filter.  No dependency; without script every table is
   whole and in the order of the report.  Works with instant navigation: Material's `document$` calls
   again for each page that it swaps in. */
(function () {
  "use strict";

  const MANY = 2000; // rows
  const PAUSE = 150; // ms: less than between two letters of most people

  function key(row, column) {
    const cell = row.cells[column];
    const number = cell.dataset.sort;
    return number === undefined ? cell.textContent.trim().toLowerCase() : Number(number);
  }

  // One collator for all: a new one for each pair of cells takes seconds where there are thousands of rows.
  const collator = new Intl.Collator("en", { numeric: true });

  function compare(a, b) {
    // Cells without a number go last, whichever way the others run.
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    if (typeof a === "number") return a - b;
    return collator.compare(a, b);
  }

  function sort(table, column, descending) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row, place) => ({ row, place, key: key(row, column) }));
    rows.sort(function (a, b) {
      const order = compare(a.key, b.key);
      const mixed = typeof a.key !== typeof b.key;
      return (descending && !mixed ? -order : order) || a.place - b.place;
    });
    body.append(...rows.map((item) => item.row));
  }

  function sortable(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", function () {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending);
      });
    });
  }

  function filterable(table) {
    const region = table.closest(".rg-table");
    const label = document.createElement("label");
    const box = document.createElement("input");
    const count = document.createElement("output");
    box.type = "search";
    box.className = "rg-tool";
    box.placeholder = "words, all of them";
    label.className = "rg-filter";
    label.append("Filter rows ", box, count);
    region.before(label);
    const texts = new Map();
    const narrow = function () {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        if (!texts.has(row)) texts.set(row, (row.id + " " + row.textContent).toLowerCase());
        const hidden = !words.every((word) => texts.get(row).includes(word));
        if (row.hidden !== hidden) row.hidden = hidden;
        shown += hidden ? 0 : 1;
      }
      count.textContent = words.length ? shown + " of " + table.tBodies[0].rows.length : "";
    };
    let waiting = 0;
    box.addEventListener("input", function () {
      // A table of thousands of rows is laid out anew after a pause, not after each letter.
      clearTimeout(waiting);
      if (table.tBodies[0].rows.length < MANY) narrow();
      else waiting = setTimeout(narrow, PAUSE);
    });
    table.addEventListener("whole", function () {
      box.value = "";
      narrow();
    });
  }

  /* A row of a table may stand behind a fold or a filter: open what hides the target of a link. */
  function reveal() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    const fold = target && target.closest("details:not([open])");
    if (fold) {
      fold.open = true;
      fold.dataset.read = "yes";
      target.scrollIntoView();
    }
    if (target && target.hidden) {
      target.closest("table").dispatchEvent(new Event("whole"));
      target.scrollIntoView();
    }
  }

  /* The theme opens every fold to print the page; paper gets those that the reader opened (report.css). */
  function remember(event) {
    const fold = event.target instanceof Element && event.target.closest("details.rg-fold > summary")?.parentElement;
    if (!fold) return;
    if (fold.open) delete fold.dataset.read; // the click comes before the fold moves
    else fold.dataset.read = "yes";
  }

  function dress() {
    const once = (selector, dressed) =>
      document.querySelectorAll(selector).forEach(function (element) {
        if (element.dataset.dressed) return;
        element.dataset.dressed = "yes";
        dressed(element);
      });
    once("table.rg.filterable", filterable);
    document.querySelectorAll("table.rg.sortable").forEach(function (table) {
      if (!table.querySelector("thead button")) sortable(table);
    });
    reveal();
  }

  if (typeof document$ !== "undefined") document$.subscribe(dress);
  else document.addEventListener("DOMContentLoaded", dress);
  window.addEventListener("hashchange", reveal);
  document.addEventListener("click", remember);
})();
