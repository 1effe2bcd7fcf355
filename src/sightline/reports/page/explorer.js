// One slider moves the threshold of all methods; every number comes from what Python computed.
"use strict";
(() => {
  const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#2aa1d8", "#666", "#8a2be2"];
  const HEAT = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // viridis
  const TOP = 10000;
  const SVG = "http://www.w3.org/2000/svg";
  const numbers = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Uint16Array(bytes.buffer);
  };
  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const shape = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    return element;
  };
  const option = (value, text) => make("option", { value }, text);

  class Explorer {
    constructor(root, data) {
      this.root = root; this.data = data; this.key = root.dataset.key;
      this.folder = root.dataset.file.replace(/[^/]*$/, "");
      this.find = (name) => root.querySelector(name);
      data.protocols.forEach((p) => p.methods.forEach((m) => { m.overlaps = numbers(m.overlaps); }));
      this.state = { p: 0, t: 30, d: 50, own: 0, layer: "map", sort: "file", class: "", which: "all" };
      this.filters();
      this.restore();
      this.fillChoices();
      this.cards();
      this.listen();
      this.reorder();
      root.dataset.ready = "yes";
    }
    get protocol() { return this.data.protocols[this.state.p]; }
    get needed() { return this.protocol.needed.includes(this.state.d) ? this.state.d : this.protocol.needed[0]; }
    optimum(method) {
      const t = method.thresholds[this.needed] ?? method.thresholds.joint ?? method.thresholds.mean_iou;
      return t === undefined ? this.state.t : Math.min(this.data.steps - 1, Math.round(t * this.data.steps));
    }
    step(method) { return this.state.own ? this.optimum(method) : this.state.t; }
    overlap(method, image, step) { return method.overlaps[image * this.data.steps + step]; }
    hits(method, image) { return this.overlap(method, image, this.step(method)) >= this.needed * TOP / 100; }

    filters() {
      const svg = this.find(".filters");
      const parts = shape("filter", { id: this.key + "-heat", "color-interpolation-filters": "sRGB" });
      const transfer = shape("feComponentTransfer");
      ["R", "G", "B"].forEach((channel, c) => transfer.append(shape("feFunc" + channel, {
        type: "table", tableValues: HEAT.map((rgb) => (rgb[c] / 255).toFixed(3)).join(" "),
      })));
      parts.append(transfer);
      svg.append(parts);
      this.cuts = this.data.methods.map((_, m) => {
        const filter = shape("filter", { id: `${this.key}-cut-${m}`, "color-interpolation-filters": "sRGB" });
        filter.append(shape("feColorMatrix", { type: "matrix", values: "0 0 0 0 1  0 0 0 0 .24  0 0 0 0 .95  1 0 0 0 0" }));
        const alpha = shape("feComponentTransfer"), cut = shape("feFuncA", { type: "discrete" });
        alpha.append(cut); filter.append(alpha); svg.append(filter);
        return cut;
      });
    }
    cut() {
      const strict = this.protocol.comparison === ">";
      this.protocol.methods.forEach((method) => {
        const level = Math.floor(this.step(method) / this.data.steps * 255 + 1e-9);
        const table = Array.from({ length: 256 }, (_, l) => ((strict ? l > level : l >= level) ? 1 : 0));
        this.cuts[method.number].setAttribute("tableValues", table.join(" "));
      });
    }
    fillChoices() {
      const { data, state } = this;
      this.find(".protocol").replaceChildren(...data.protocols.map((p, i) => option(i, p.name)));
      this.find(".by").hidden = data.protocols.length < 2;
      const classes = [...new Set(data.images.map((image) => image.label))].sort();
      this.find(".class").replaceChildren(option("", "all"), ...classes.map((c) => option(c, c)));
      this.fillProtocol();
      for (const name of ["protocol", "class", "layer", "which"]) {
        this.find("." + name).value = state[name === "protocol" ? "p" : name];
      }
      this.find(".own").checked = !!state.own;
      this.find("input[type=range]").value = state.t;
    }
    fillProtocol() {
      this.find(".needed").replaceChildren(...this.protocol.needed.map((d) => option(d, d + " %")));
      this.find(".needed").value = this.needed;
      const sorts = [option("file", "order of the files"), option("class", "class"), option("disagree", "disagreement of methods"), option("mean", "mean IoU, lowest first")];
      this.protocol.methods.forEach((m) => sorts.push(option("m:" + m.name, `IoU of ${m.name}, lowest first`)));
      this.find(".sort").replaceChildren(...sorts);
      this.find(".sort").value = this.state.sort;
      if (!this.find(".sort").value) { this.state.sort = "file"; this.find(".sort").value = "file"; }
      const head = make("tr", {}, ...["method", ...this.protocol.needed.map((d) => `hits at IoU ${d} %`), "mean IoU", "threshold", "its optimum", "in its row"].map((text) => make("th", { scope: "col" }, text)));
      this.find(".scores thead").replaceChildren(head);
    }
    cards() {
      this.slots = this.data.images.map(() => make("article", { class: "card", tabindex: "0" }));
      this.find(".cards").replaceChildren(...this.slots);
      this.filled = new Set();
      this.watcher = new IntersectionObserver((seen) => {
        for (const one of seen) {
          const slot = this.slots.indexOf(one.target);
          if (one.isIntersecting) { this.filled.add(slot); this.fill(slot); }
          else if (this.filled.delete(slot)) {
            one.target.style.setProperty("--card", one.boundingClientRect.height + "px");
            one.target.replaceChildren();
          }
        }
      }, { rootMargin: "500px" });
      this.slots.forEach((slot) => this.watcher.observe(slot));
    }
    listen() {
      const set = (name, value, then) => { this.state[name] = value; then.call(this); this.remember(); };
      const range = this.find("input[type=range]");
      range.addEventListener("input", () => { this.find(".own").checked = false; this.state.own = 0; set("t", Number(range.value), this.redraw); });
      range.addEventListener("change", () => { if (this.state.which !== "all") this.reorder(); });
      this.find(".own").addEventListener("change", (e) => set("own", e.target.checked ? 1 : 0, this.reorder));
      this.find(".protocol").addEventListener("change", (e) => { this.state.p = Number(e.target.value); this.fillProtocol(); this.reorder(); this.remember(); });
      this.find(".needed").addEventListener("change", (e) => set("d", Number(e.target.value), this.reorder));
      this.find(".layer").addEventListener("change", (e) => set("layer", e.target.value, this.redraw));
      for (const name of ["sort", "class", "which"]) {
        this.find("." + name).addEventListener("change", (e) => set(name, e.target.value, this.reorder));
      }
      this.find(".link").addEventListener("click", (e) => { this.remember(); sightline.copy(location.href, e.target); });
      this.root.addEventListener("keydown", (e) => {
        if (/^(INPUT|SELECT)$/.test(e.target.tagName)) return;
        const move = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[e.key];
        if (move === undefined) return;
        range.value = this.state.t + move;
        range.dispatchEvent(new Event("input"));
        e.preventDefault();
      });
    }
    order() {
      const { state, data, protocol } = this, all = data.images.map((_, i) => i);
      const at = (m, i) => this.overlap(m, i, this.step(m));
      const kept = all.filter((i) => {
        if (state.class && data.images[i].label !== state.class) return false;
        const hits = protocol.methods.filter((m) => this.hits(m, i)).length;
        return { all: true, missed: hits === 0, hit: hits === protocol.methods.length,
          split: hits > 0 && hits < protocol.methods.length }[state.which];
      });
      const spread = (i) => { const v = protocol.methods.map((m) => at(m, i)); return Math.min(...v) - Math.max(...v); };
      const mean = (i) => protocol.methods.reduce((sum, m) => sum + at(m, i), 0);
      const method = protocol.methods.find((m) => "m:" + m.name === state.sort);
      if (state.sort === "class") kept.sort((a, b) => data.images[a].label.localeCompare(data.images[b].label) || a - b);
      else if (state.sort === "disagree") kept.sort((a, b) => spread(a) - spread(b) || a - b);
      else if (state.sort === "mean") kept.sort((a, b) => mean(a) - mean(b) || a - b);
      else if (method) kept.sort((a, b) => at(method, a) - at(method, b) || a - b);
      return kept;
    }
    reorder() {
      this.shown = this.order();
      this.slots.forEach((slot, i) => {
        slot.hidden = i >= this.shown.length;
        if (slot.hidden) slot.replaceChildren();
        else slot.dataset.image = this.data.images[this.shown[i]].id;
      });
      const { data } = this;
      const some = data.images.length < data.of ? `, of the ${data.of} of the split (drawn with seed ${data.seed})` : "";
      this.find(".told").textContent = `${this.shown.length} of ${data.images.length} images${some}. Dashed green: truth; magenta: the best box; white: other boxes. Arrow keys move the threshold.`;
      this.redraw();
      this.filled.forEach((slot) => this.fill(slot));
    }
    redraw() {
      this.find(".value").textContent = this.state.own ? "each its own" : (this.state.t / this.data.steps).toFixed(2);
      this.marks(); this.scores(); this.cut();
      this.filled.forEach((slot) => this.update(slot));
    }
    marks() {
      this.find(".optima").replaceChildren(...this.protocol.methods.map((m) => {
        const mark = make("span", {}, m.name.slice(0, 18));
        mark.style.left = 100 * this.optimum(m) / (this.data.steps - 1) + "%";
        mark.style.color = COLORS[m.number % COLORS.length];
        return mark;
      }));
    }
    scores() {
      const { data, protocol } = this, n = data.images.length, cell = (v) => make("td", {}, v);
      this.find(".scores tbody").replaceChildren(...protocol.methods.map((m) => {
        const step = this.step(m), line = make("tr", {}, make("th", { scope: "row" }, m.name));
        const here = data.images.map((_, i) => this.overlap(m, i, step));
        for (const d of protocol.needed) {
          const hits = here.filter((v) => v >= d * TOP / 100).length;
          line.append(make("td", { "data-hits": d }, (100 * hits / n).toFixed(2)));
        }
        line.append(make("td", { "data-mean": "" }, (100 * here.reduce((a, b) => a + b, 0) / n / TOP).toFixed(2)));
        line.append(cell((step / data.steps).toFixed(2)), cell((this.optimum(m) / data.steps).toFixed(2)));
        line.append(cell(`${m.metric} ${m.value.toFixed(2)}`));
        return line;
      }));
    }
    fill(slot) {
      const image = this.shown[slot], place = this.slots[slot];
      if (image === undefined) return;
      const facts = this.data.images[image], [width, height] = facts.size;
      const tiles = make("div", { class: "tiles" });
      for (const m of this.protocol.methods) {
        const stack = make("div", { class: "stack", style: `aspect-ratio:${width}/${height}` });
        stack.append(make("img", { src: `${this.folder}${image}.jpg`, alt: "" }));
        stack.append(make("img", { class: "layer", src: `${this.folder}${image}-${m.number}.png`, alt: "" }));
        stack.append(shape("svg", { viewBox: `0 0 ${TOP} ${TOP}`, preserveAspectRatio: "none" }));
        tiles.append(make("figure", { class: "tile" }, stack, make("figcaption", {})));
      }
      place.replaceChildren(make("h3", {}, facts.id + " ", make("span", {}, facts.label)), tiles);
      this.update(slot);
      const chunk = Math.floor(image / this.data.chunk), key = `${this.key}/boxes/${chunk}`;
      if (this.protocol.kind === "boxes") {
        sightline.load(`${this.folder}boxes-${chunk}.js`, key).then(() => { if (this.filled.has(slot)) this.update(slot); });
      }
    }
    boxes(image) {
      const chunk = Math.floor(image / this.data.chunk), kept = (this.taken ||= new Map());
      if (!kept.has(image)) {
        const raw = sightline.held(`${this.key}/boxes/${chunk}`)?.[image % this.data.chunk];
        if (!raw) return null;
        kept.set(image, raw);
      }
      return kept.get(image)[this.protocol.name];
    }
    update(slot) {
      const image = this.shown[slot], place = this.slots[slot], tiles = place.querySelectorAll(".tile");
      if (image === undefined || !tiles.length) return;
      const facts = this.data.images[image], coded = this.protocol.kind === "boxes" ? this.boxes(image) : null;
      this.protocol.methods.forEach((m, i) => {
        const tile = tiles[i], layer = tile.querySelector(".layer"), step = this.step(m);
        layer.hidden = this.state.layer === "none";
        layer.style.filter = `url(#${this.key}-${this.state.layer === "mask" ? "cut-" + m.number : "heat"})`;
        layer.className = "layer " + (this.state.layer === "mask" ? "cut" : "heat");
        const drawn = (this.protocol.kind === "boxes" ? facts.truth : []).map((box) => this.box(box, "true"));
        const runs = coded && coded[m.name] ? numbers(coded[m.name]) : [];
        let best = -1, top = -1;
        for (let r = 0; r < runs.length; r += 7) {
          if (runs[r] <= step && step <= runs[r + 1] && runs[r + 6] > top) { best = r; top = runs[r + 6]; }
        }
        for (let r = 0; r < runs.length; r += 7) {
          if (r !== best && runs[r] <= step && step <= runs[r + 1]) drawn.push(this.box(runs.slice(r + 2, r + 6), "found"));
        }
        if (best >= 0) drawn.push(this.box(runs.slice(best + 2, best + 6), "best"));
        tile.querySelector("svg").replaceChildren(...drawn);
        const hit = this.hits(m, image), iou = this.overlap(m, image, step) / TOP;
        tile.querySelector("figcaption").replaceChildren(m.name, make("br"), `IoU ${iou.toFixed(2)} `,
          make("span", { class: hit ? "hit" : "miss" }, hit ? "✓ hit" : "✗ miss"));
      });
    }
    box([x0, y0, x1, y1], name) { return shape("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: name }); }
    remember() {
      const text = Object.entries(this.state).map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join("&");
      history.replaceState(null, "", `#${this.key}?${text}`);
    }
    restore() {
      const [key, text] = location.hash.slice(1).split("?");
      if (key !== this.key || !text) return;
      for (const [name, value] of new URLSearchParams(text)) {
        if (!(name in this.state)) continue;
        this.state[name] = typeof this.state[name] === "number" ? Number(value) || 0 : value;
      }
      this.state.p = Math.min(Math.max(this.state.p, 0), this.data.protocols.length - 1);
      this.state.t = Math.min(Math.max(Math.round(this.state.t), 0), this.data.steps - 1);
      this.root.scrollIntoView();
    }
  }
  document.querySelectorAll(".explorer").forEach((root) => {
    const start = () => sightline.load(root.dataset.file, root.dataset.key)
      .then((data) => new Explorer(root, data))
      .catch((error) => { root.querySelector(".told").textContent = "The explorer could not start: " + error.message; });
    if (location.hash.startsWith("#" + root.dataset.key + "?")) start();
    else sightline.whenSeen([root], start, "800px");
  });
})();
