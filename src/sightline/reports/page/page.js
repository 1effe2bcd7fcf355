// Data arrives as script files, since browsers fetch nothing from disk.
"use strict";
window.sightline = (() => {
  const taken = new Map(), waiting = new Map();
  const take = (key, value) => {
    taken.set(key, value);
    (waiting.get(key) || []).forEach((done) => done(value));
    waiting.delete(key);
  };
  const script = (file) => new Promise((done, fail) => {
    const element = document.createElement("script");
    element.src = file;
    element.onload = done;
    element.onerror = () => fail(new Error(file + " is missing"));
    document.head.append(element);
  });
  const asked = new Map();
  const load = (file, key) => {
    if (taken.has(key)) return Promise.resolve(taken.get(key));
    if (!asked.has(key)) {
      asked.set(key, new Promise((done, fail) => {
        waiting.set(key, [done]);
        script(file).catch(fail);
      }));
    }
    return asked.get(key);
  };
  let library;
  const drawing = () => (library ||= script("vega.js"));
  const whenSeen = (elements, act, margin) => {
    const watcher = new IntersectionObserver((seen) => {
      for (const one of seen) {
        if (one.isIntersecting) { watcher.unobserve(one.target); act(one.target); }
      }
    }, { rootMargin: margin || "300px" });
    elements.forEach((element) => watcher.observe(element));
  };
  const copy = async (text, button) => {
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      window.prompt("Copy this:", text);
    }
    setTimeout(() => { button.textContent = said; }, 1500);
  };
  const held = (key) => taken.get(key);
  return { take, load, held, drawing, whenSeen, copy };
})();

sightline.whenSeen(document.querySelectorAll(".chart"), async (figure) => {
  const plot = figure.querySelector(".plot");
  try {
    const [spec] = await Promise.all([
      sightline.load(figure.dataset.file, figure.dataset.key), sightline.drawing(),
    ]);
    await vegaEmbed(plot, spec, { actions: false, renderer: "svg", ast: true });
    figure.dataset.drawn = "yes";
  } catch (error) {
    plot.textContent = "This chart could not be drawn: " + error.message;
  }
});
document.querySelectorAll(".command").forEach((block) => {
  const button = block.querySelector("button");
  button.addEventListener("click", () => sightline.copy(block.querySelector("pre").textContent, button));
});
