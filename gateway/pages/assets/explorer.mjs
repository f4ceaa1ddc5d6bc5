// What pages can do in place: the head moves, the block slider changes the page without loading it whole, drawings become charts.
// Every page works without it.
const self = document.querySelector("script[data-charts]");
const { charts: chartsUrl, chain } = self.dataset;
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

function followHead() {
  const query = `subscription { newBlock(chainId: ${chain}) { number } }`;
  let feed;
  const open = () => {
    feed = new EventSource(`/graphql?query=${encodeURIComponent(query)}`);
    feed.addEventListener("next", ({ data }) => {
      const { number } = JSON.parse(data).data?.newBlock ?? {};
      if (number === undefined) return;
      for (const shown of document.querySelectorAll("[data-head]")) shown.textContent = grouped(number);
      for (const field of document.querySelectorAll(".blocks input[name=block], .slide input")) field.max = number;
    });
    feed.addEventListener("complete", () => feed.close());
  };
  const close = () => feed?.close();
  // a hidden page keeps no connection: a browser has few for each host
  document.addEventListener("visibilitychange", () => {
    close();
    if (!document.hidden) open();
  });
  addEventListener("pagehide", close);
  open();
}

/** Of a block between two whose times are known. */
function timeOf(block, marks) {
  const after = marks.findIndex(([number]) => number >= block);
  const [to, toTime] = marks[after === -1 ? marks.length - 1 : after];
  const [from, fromTime] = marks[Math.max(0, (after === -1 ? marks.length - 1 : after) - 1)];
  return to === from ? toTime : fromTime + ((block - from) / (to - from)) * (toTime - fromTime);
}

const dateText = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");

function addSlider() {
  const form = document.querySelector("form[data-blocks]");
  if (!form) return;
  const marks = JSON.parse(form.dataset.blocks);
  const field = form.elements.namedItem("block");
  if (marks.length < 2) return;
  const slide = document.createElement("div");
  slide.className = "slide";
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: field.min, max: field.max, value: field.value });
  range.setAttribute("aria-label", "Block, by slider");
  const scale = document.createElement("div");
  scale.className = "scale";
  scale.setAttribute("aria-hidden", "true");
  for (const [, time] of marks.filter((_, i) => i % 4 === 0)) {
    const mark = document.createElement("span");
    mark.textContent = dateText(time).slice(0, 10);
    scale.append(mark);
  }
  const chosen = document.createElement("output");
  const show = () => {
    const text = `block ${grouped(range.value)}, about ${dateText(timeOf(Number(range.value), marks))} UTC`;
    range.setAttribute("aria-valuetext", text);
    chosen.textContent = range.value === field.value ? "" : text;
  };
  range.addEventListener("input", show);
  range.addEventListener("change", () => {
    field.value = range.value;
    form.requestSubmit();
  });
  slide.append(range, scale, chosen);
  form.before(slide);
  show();
}

let loading;
/** Shows what the URL shows in the place of this page; an error is a page, too. */
async function swap(url, focus) {
  const main = document.querySelector("main");
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  main.setAttribute("aria-busy", "true");
  const open = [...main.querySelectorAll("details")].map((one) => one.open);
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" }, signal });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = next.querySelector("main");
    if (!found) throw new Error(`${url} has no main part`);
    main.replaceWith(document.adoptNode(found));
    const now = [...document.querySelectorAll("main details")];
    if (now.length === open.length) for (const [i, one] of now.entries()) one.open = open[i];
    document.title = next.title;
    history.replaceState(null, "", url);
    enhance();
    document.querySelector(focus)?.focus();
  } catch {
    if (!signal.aborted) location.assign(url);
  }
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.closest(".blocks") || !form.reportValidity()) return;
  event.preventDefault();
  const isSliding = document.activeElement?.type === "range";
  const focus = isSliding ? ".slide input" : `.blocks [name=${form.elements.namedItem("block") ? "block" : "at"}]`;
  void swap(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`, focus);
});

let library;
function loadCharts() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = chartsUrl;
    script.addEventListener("load", () => resolve(globalThis.uPlot));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
  return library;
}

async function drawCharts() {
  const figures = [...document.querySelectorAll("figure[data-chart]")];
  if (figures.length === 0) return;
  const Chart = await loadCharts();
  for (const figure of figures) drawChart(Chart, figure);
}

function drawChart(Chart, figure) {
  const drawing = figure.querySelector(".drawing");
  if (!drawing) return;
  const { data, labels, prefix, suffix } = JSON.parse(figure.querySelector("script").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 5 });
  const text = (value) => (value === null ? "–" : `${prefix}${short.format(value)}${suffix}`);
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { show: false } };
  const colours = ["--wallet", "--farm", "--island", "--curve"].map(colour);
  const place = document.createElement("div");
  drawing.replaceWith(place);
  const width = () => Math.max(200, place.clientWidth);
  const chart = new Chart(
    {
      width: width(),
      height: 200,
      tzDate: (seconds) => Chart.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      axes: [axis, { ...axis, size: 64, values: (_, values) => values.map(text) }],
      scales: { y: { range: (_, least, most) => [Math.min(0, least), most || 1] } },
      series: [
        { label: "UTC" },
        ...labels.map((label, i) => ({ label, stroke: colours[i % 4], width: 1.6, value: (_, value) => text(value) })),
      ],
    },
    data,
    place,
  );
  new ResizeObserver(() => chart.setSize({ width: width(), height: 200 })).observe(place);
}

/** A link to how a number was made opens what is closed. */
function openMade() {
  const made =
    location.hash.startsWith("#made-") && document.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`);
  const closed = made ? made.closest("details") : undefined;
  if (!closed) return;
  closed.open = true;
  made.scrollIntoView({ block: "nearest" });
}

function enhance() {
  addSlider();
  void drawCharts();
}

addEventListener("hashchange", openMade);
openMade();
enhance();
followHead();
