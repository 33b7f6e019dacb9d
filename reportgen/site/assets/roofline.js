/* The interactive roofline: choose a precision and the memory level whose bytes give the intensity; read
   a kernel with the pointer or the arrow keys.  No dependency; without script the drawing and the table
   say the same.  Its data stand beside the figure as JSON. */
(function () {
  "use strict";

  const NS = "http://www.w3.org/2000/svg";
  const WIDTH = 700, HEIGHT = 470, LEFT = 82, RIGHT = 14, TOP = 10, BOTTOM = 46;
  const MARKS = {
    o: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    s: "M-3.6,-3.6H3.6V3.6H-3.6Z",
    "^": "M0,-4.8L4.6,3.4H-4.6Z",
    D: "M0,-5L5,0L0,5L-5,0Z",
    "*": "M0,-5.5L1.5,-1.8L5.3,-1.7L2.3,.7L3.3,4.5L0,2.3L-3.3,4.5L-2.3,.7L-5.3,-1.7L-1.5,-1.8Z",
  };
  const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  let serial = 0;

  function digits(value, count) {
    return String(Number(value.toPrecision(count || 3)));
  }

  function named(precision) {
    return precision.toUpperCase().replace("TENSOR_", "tensor ");
  }

  function rate(value, unit) {
    const found = PREFIXES.find((entry) => value >= entry[0]) || [1, ""];
    return digits(value / found[0]) + " " + found[1] + unit + "/s";
  }

  function make(name, attributes, parent, text) {
    const element = document.createElementNS(NS, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  }

  function choice(tools, label, options, changed) {
    const box = document.createElement("label");
    const select = document.createElement("select");
    select.className = "rg-tool";
    for (const [value, text] of options) select.add(new Option(text, value));
    select.addEventListener("change", changed);
    box.append(label, " ", select);
    tools.append(box);
    return select;
  }

  /* What is drawn for a choice: roofs of one unit, and points with their place and their share. */
  function selection(data, precision, level) {
    const unit = precision ? data.compute.find((roof) => roof.name === precision).unit : "FLOP";
    const compute = data.compute.filter((roof) => roof.unit === unit);
    const points = [];
    for (const point of data.points) {
      if (point.unit !== unit || (precision && point.precision !== precision)) continue;
      const at = level || point.level;
      if (!(point.bytes[at] > 0)) continue;
      const placed = Object.assign({}, point, { at: at, intensity: point.work / point.bytes[at] });
      if (level) {
        const memory = data.memory.find((roof) => roof.name === level);
        const peak = data.compute.find((roof) => roof.name === point.precision);
        const roofs = [];
        if (memory) roofs.push([memory.rate * placed.intensity, level]);
        if (peak) roofs.push([peak.rate, peak.name]);
        roofs.sort((a, b) => a[0] - b[0]);
        placed.roof = roofs.length ? roofs[0][0] : null;
        placed.limiter = roofs.length ? roofs[0][1] : "";
        placed.share = placed.roof && placed.rate ? placed.rate / placed.roof : null;
      }
      placed.predicted = !placed.rate;
      placed.rate = placed.rate || placed.roof;
      if (placed.rate) points.push(placed);
    }
    return { unit: unit, compute: compute, points: points };
  }

  /* Whole decades, the horizontal ones the same for every device unless something lies outside. */
  function frame(data) {
    const units = new Set(data.compute.map((roof) => roof.unit));
    let xs = [0.01, 1000], ys = [];
    for (const roof of data.compute) {
      ys.push(roof.rate);
      for (const memory of data.memory) xs.push(roof.rate / memory.rate);
    }
    for (const one of data.nominal) if (one.kind === "compute") ys.push(one.rate);
    for (const sweep of data.sweeps || []) for (const [x, y] of sweep.places) { xs.push(x); ys.push(y); }
    for (const point of data.points) {
      if (!units.has(point.unit)) continue;
      for (const level in point.bytes) xs.push(point.work / point.bytes[level]);
      ys.push(point.rate || point.roof, point.high || point.rate || point.roof);
    }
    const left = Math.floor(Math.log10(Math.min(...xs)) + 1e-9), right = Math.ceil(Math.log10(Math.max(...xs)) - 1e-9);
    for (const memory of data.memory) ys.push(memory.rate * Math.pow(10, left));
    return {
      left: left, right: right,
      bottom: Math.floor(Math.log10(Math.min(...ys))), top: Math.ceil(Math.log10(Math.max(...ys) * 1.15)),
    };
  }

  function scales(ends) {
    const width = WIDTH - LEFT - RIGHT, height = HEIGHT - TOP - BOTTOM;
    return {
      x: (value) => LEFT + (Math.log10(value) - ends.left) / (ends.right - ends.left) * width,
      y: (value) => HEIGHT - BOTTOM - (Math.log10(value) - ends.bottom) / (ends.top - ends.bottom) * height,
      low: Math.pow(10, ends.left), high: Math.pow(10, ends.right),
      floor: Math.pow(10, ends.bottom), roof: Math.pow(10, ends.top),
    };
  }

  function axes(svg, ends, scale, unit) {
    for (let power = ends.left; power <= ends.right; power++) {
      const x = scale.x(Math.pow(10, power));
      make("line", { class: "rg-grid", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }, svg);
      const anchor = power === ends.right ? "end" : "middle"; // the last one would reach out of the drawing
      const shift = power === ends.right ? RIGHT - 2 : 0;
      make("text", { x: x + shift, y: HEIGHT - BOTTOM + 16, "text-anchor": anchor }, svg, digits(Math.pow(10, power)));
    }
    for (let power = ends.bottom; power <= ends.top; power++) {
      const y = scale.y(Math.pow(10, power));
      make("line", { class: "rg-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }, svg);
      make("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, svg, rate(Math.pow(10, power), unit));
    }
    make("path", { class: "rg-frame", d: `M${LEFT},${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }, svg);
    const middle = (LEFT + WIDTH - RIGHT) / 2;
    make("text", { x: middle, y: HEIGHT - 8, "text-anchor": "middle" }, svg, `arithmetic intensity, ${unit}/byte`);
  }

  function line(svg, kind, from, to, scale, extra) {
    const start = Math.max(from[0], scale.low), end = Math.min(to[0], scale.high);
    return make("line", Object.assign({
      class: kind, x1: scale.x(start), y1: scale.y(from[1] * (from[1] === to[1] ? 1 : start / from[0])),
      x2: scale.x(end), y2: scale.y(to[1] * (from[1] === to[1] ? 1 : end / to[0])),
    }, extra || {}), svg);
  }

  function roofs(svg, data, shown, precision, level, scale) {
    const chosen = shown.compute.find((roof) => roof.name === precision);
    const peak = (chosen || shown.compute.reduce((a, b) => (a.rate > b.rate ? a : b))).rate;
    const fastest = Math.max(...data.memory.map((roof) => roof.rate));
    for (const one of data.nominal) {
      if (one.kind === "memory") {
        line(svg, "rg-stated", [scale.low, one.rate * scale.low], [peak / one.rate, peak], scale);
      } else if (shown.compute.some((roof) => roof.name === one.name)) {
        line(svg, "rg-stated", [peak / fastest, one.rate], [scale.high, one.rate], scale);
      }
    }
    for (const memory of data.memory) {
      const faded = level && memory.name !== level ? " rg-faded" : "";
      const style = `stroke:${memory.colour}`;
      line(svg, "rg-slope" + faded, [scale.low, memory.rate * scale.low], [peak / memory.rate, peak], scale,
        { style: style, "stroke-dasharray": memory.dash });
      const x = scale.low * 1.35, lean = scale.y(10) - scale.y(1), run = scale.x(10) - scale.x(1);
      const turn = `rotate(${Math.atan2(lean, run) * 180 / Math.PI} ${scale.x(x)} ${scale.y(memory.rate * x)})`;
      make("text", { class: "rg-halo" + faded, x: scale.x(x), y: scale.y(memory.rate * x) - 5, transform: turn }, svg,
        `${memory.name.toUpperCase()} ${memory.kernel} ${rate(memory.rate, "B")}`);
      if (chosen && !faded) {
        const steps = Array.from({ length: 61 }, (_, i) => scale.low * Math.pow(scale.high / scale.low, i / 60));
        const path = steps.map((x) => `${scale.x(x).toFixed(1)},${scale.y(1 / (1 / peak + 1 / (memory.rate * x))).toFixed(1)}`);
        make("polyline", { class: "rg-thin", style: style, points: path.join(" ") }, svg);
      }
    }
    for (const roof of shown.compute) {
      const faded = precision && roof.name !== precision ? " rg-faded" : "";
      line(svg, "rg-peak" + faded, [roof.rate / fastest, roof.rate], [scale.high, roof.rate], scale);
    }
    for (const sweep of data.sweeps || []) {
      const memory = data.memory.find((one) => one.name === sweep.level);
      if (!memory || !shown.compute.some((one) => one.name === sweep.precision)) continue;
      if ((level && level !== sweep.level) || (precision && precision !== sweep.precision)) continue;
      const places = sweep.places.map(([x, y]) => [scale.x(x).toFixed(1), scale.y(y).toFixed(1)]);
      const style = `stroke:${memory.colour}`;
      make("polyline", { class: "rg-thin", style: style, points: places.map((at) => at.join(",")).join(" ") }, svg);
      for (const [x, y] of places) make("circle", { class: "rg-swept", style: style, cx: x, cy: y, r: 2.4 }, svg);
    }
    for (const ridge of data.ridges) {
      const roof = shown.compute.find((one) => one.name === ridge.precision);
      const memory = data.memory.find((one) => one.name === ridge.level);
      if (!roof || !memory || (level && level !== ridge.level) || (precision && precision !== ridge.precision)) continue;
      const at = { transform: `translate(${scale.x(ridge.value)},${scale.y(roof.rate)})`, class: "rg-ridge" };
      make("path", Object.assign(at, { d: MARKS[memory.marker], style: `stroke:${memory.colour}` }), svg);
    }
  }

  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  function marks(points, scale) {
    return points.map((p) => [scale.x(p.intensity) - 5, scale.y(p.rate) - 5, scale.x(p.intensity) + 5, scale.y(p.rate) + 5]);
  }

  /* Flat roofs from the highest down; those whose lines are one on the axis are named together. */
  function heights(compute) {
    const found = [];
    for (const roof of compute.slice().sort((a, b) => b.rate - a.rate)) {
      const last = found[found.length - 1];
      if (last && last[0].rate <= 1.04 * roof.rate) last.push(roof);
      else found.push([roof]);
    }
    return found;
  }

  /* Names of the flat roofs: over the line, or under it where a kernel or another name stands there;
     gives the places that they take. */
  function peaks(svg, data, shown, precision, scale) {
    const fastest = Math.max(...data.memory.map((roof) => roof.rate)), placed = [];
    const ridges = data.ridges.flatMap((ridge) => {
      const roof = shown.compute.find((one) => one.name === ridge.precision);
      return roof ? [{ intensity: ridge.value, rate: roof.rate }] : [];
    });
    const taken = marks(shown.points.concat(ridges), scale);
    const rows = heights(shown.compute), right = WIDTH - RIGHT - 3;
    for (const [number, some] of rows.entries()) {
      const faded = precision && some.every((roof) => roof.name !== precision) ? " rg-faded" : "";
      const high = rate(some[0].rate, shown.unit), low = rate(some[some.length - 1].rate, shown.unit);
      const names = some.map((roof) => named(roof.name)).join(", ");
      const text = `${names} ${low === high ? high : low + " … " + high}`;
      const y = scale.y(some[0].rate), width = 6.4 * text.length;
      // At the right end of the line or further in, as far as it reaches; over it, then under it, where the
      // name of the next roof down may want to stand.
      const room = Math.max(0, right - width - scale.x(some[0].rate / fastest));
      const ends = [0, 0.2, 0.4, 0.6, 0.8].map((part) => right - part * room);
      const places = [[-14, -1], [2, 15]].flatMap(([up, down]) => ends.map((end) => [end - width, y + up, end, y + down]));
      const next = number + 1 < rows.length ? scale.y(rows[number + 1][0].rate) : HEIGHT;
      const wanted = [[right - width, next - 14, right, next - 1]];
      const met = places.map((box) => taken.concat(placed, wanted).filter((other) => meets(box, other)).length);
      const box = places[met.indexOf(Math.min(...met))];
      make("text", { class: "rg-halo" + faded, x: box[2], y: box[3] - 3, "text-anchor": "end" }, svg, text);
      placed.push(box);
    }
    return placed;
  }

  /* Eight places around each point, two distances; a label that finds none is left to the pointer. */
  function labels(svg, points, scale, taken) {
    const boxes = taken.concat(marks(points, scale));
    for (const point of points) {
      const x = scale.x(point.intensity), y = scale.y(point.rate), width = 6.2 * point.id.length;
      search: for (const gap of [6, 13]) {
        for (const [right, up] of [[1, 1], [1, -1], [-1, 1], [-1, -1], [1, 0], [-1, 0], [0, 1], [0, -1]]) {
          const left = x + (right > 0 ? gap : right < 0 ? -gap - width : -width / 2);
          const top = y + (up > 0 ? -gap - 6 : up < 0 ? gap - 4 : -5);
          const box = [left, top, left + width, top + 10];
          if (box[0] < LEFT || box[2] > WIDTH - RIGHT || boxes.some((other) => meets(box, other))) continue;
          boxes.push(box);
          make("text", { class: "rg-halo rg-small", x: left, y: top + 9, "aria-hidden": "true" }, svg, point.id);
          break search;
        }
      }
    }
  }

  function words(point) {
    const list = [
      `I ${digits(point.intensity)} ${point.unit}/byte in ${point.at.toUpperCase()}`,
      point.predicted ? "counted, not timed" : `achieved ${rate(point.rate, point.unit)}`,
    ];
    if (point.roof) {
      list.push(`roof ${rate(point.roof, point.unit)}`);
      if (!point.predicted) list.push(`${Math.round(point.share * 100)} % of it`);
      list.push(`lowest roof: ${point.limiter.toUpperCase()}`);
    }
    list.push(`verdict in the table: ${point.verdict}`);
    return list;
  }

  function start(root) {
    const source = root.querySelector("script[type='application/json']");
    if (!source) return;
    const data = JSON.parse(source.textContent);
    const ends = {};
    for (const unit of ["FLOP", "OP"]) {
      const compute = data.compute.filter((roof) => roof.unit === unit);
      if (compute.length && data.memory.length) {
        ends[unit] = frame(Object.assign({}, data, { compute: compute, points: data.points.filter((p) => p.unit === unit) }));
      }
    }
    if (!ends.FLOP) return;
    const chart = document.createElement("div"), tools = document.createElement("div");
    const scroll = document.createElement("div"), read = document.createElement("output");
    chart.className = "rg-chart";
    tools.className = "rg-chart-tools";
    scroll.className = "rg-chart-scroll";
    read.className = "rg-read";
    read.id = `rg-read-${++serial}`;
    read.setAttribute("aria-live", "polite");
    const precision = choice(tools, "Precision", [["", "all of FLOP"]].concat(
      data.compute.map((roof) => [roof.name, named(roof.name) + (roof.unit === "OP" ? " (OP/s)" : "")])), draw);
    const known = new Set([].concat(...data.points.map((point) => Object.keys(point.bytes)), data.memory.map((roof) => roof.name)));
    const level = choice(tools, "Bytes that cross", [["", "the level that holds the data"]].concat(
      ["l1", "l2", "l3", "dram"].filter((name) => known.has(name)).map((name) => [name, name.toUpperCase()])), draw);
    chart.append(tools, scroll, read);
    root.prepend(chart);
    root.classList.add("rg-live");

    function show(point, nodes) {
      nodes.forEach((node) => node.classList.toggle("rg-chosen", Boolean(point) && node.dataset.id === point.id));
      read.replaceChildren();
      if (!point) {
        read.textContent = nodes.length
          ? "Point at a kernel, or go to the chart with Tab and along its kernels with the arrow keys."
          : "No kernel of this choice was measured" + (level.value ? `, or none moves data across ${level.value.toUpperCase()}.` : ".");
        return;
      }
      const name = document.createElement("b");
      name.textContent = `${point.id} ${point.name} (${named(point.precision)})`;
      read.append(name, ...words(point).map(function (text) {
        const part = document.createElement("span");
        part.textContent = text;
        return part;
      }));
      if (document.getElementById(point.row)) {
        const link = document.createElement("a");
        link.href = "#" + point.row;
        link.textContent = "row in the table";
        read.append(link);
      }
    }

    function draw() {
      const shown = selection(data, precision.value, level.value);
      const scale = scales(ends[shown.unit]);
      const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group" });
      svg.setAttribute("aria-label", `Roofline, ${shown.points.length} kernels. Arrow keys go from one to the next.`);
      axes(svg, ends[shown.unit], scale, shown.unit);
      roofs(svg, data, shown, precision.value, level.value, scale);
      const groups = {};
      for (const point of shown.points) (groups[point.group] = groups[point.group] || []).push(point);
      for (const name in groups) {
        const path = groups[name].map((p) => `${scale.x(p.intensity).toFixed(1)},${scale.y(p.rate).toFixed(1)}`);
        make("polyline", { class: "rg-join", points: path.join(" ") }, svg);
      }
      const taken = peaks(svg, data, shown, precision.value, scale); // under the marks, so that none is hidden
      const order = shown.points.slice().sort((a, b) => a.intensity - b.intensity || a.rate - b.rate);
      const nodes = order.map(function (point, place) {
        const certain = level.value || point.levels.length < 2;
        const roof = certain && data.memory.find((one) => one.name === point.at);
        const colour = roof ? roof.colour : "var(--md-default-fg-color)";
        const x = scale.x(point.intensity), y = scale.y(point.rate);
        const node = make("g", {
          class: "rg-point", tabindex: place ? -1 : 0, role: "img", "data-id": point.id,
          "aria-label": `${point.name}: ${words(point).join(", ")}`,
        }, svg);
        if (point.low && point.high) {
          make("line", { x1: x, x2: x, y1: scale.y(Math.max(point.low, scale.floor)), y2: scale.y(point.high), style: `stroke:${colour}` }, node);
        }
        make("path", { d: MARKS[roof ? roof.marker : "*"] || MARKS.o, transform: `translate(${x},${y})`, style: point.predicted ? `fill:var(--md-default-bg-color);stroke:${colour};stroke-width:1.4` : `fill:${colour}` }, node);
        make("circle", { class: "rg-hit", cx: x, cy: y, r: 9 }, node);
        for (const event of ["pointerenter", "focus", "click"]) node.addEventListener(event, () => show(point, nodes));
        return node;
      });
      labels(svg, order, scale, taken);
      svg.addEventListener("keydown", function (event) {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const at = nodes.indexOf(document.activeElement);
        const next = event.key === "Home" ? 0 : event.key === "End" ? nodes.length - 1 : at + step;
        if (at < 0 || !(next >= 0 && next < nodes.length)) return;
        event.preventDefault();
        nodes[at].setAttribute("tabindex", -1);
        nodes[next].setAttribute("tabindex", 0);
        nodes[next].focus();
      });
      scroll.replaceChildren(svg);
      show(null, nodes);
    }

    draw();
  }

  function dress() {
    document.querySelectorAll(".rg-roofline").forEach(function (root) {
      if (root.dataset.dressed) return;
      root.dataset.dressed = "yes";
      start(root);
    });
  }

  if (typeof document$ !== "undefined") document$.subscribe(dress);
  else document.addEventListener("DOMContentLoaded", dress);
})();
