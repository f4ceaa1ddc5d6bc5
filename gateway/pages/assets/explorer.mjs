// What pages can do in place: the head moves, the block slider changes the page without loading it whole, drawings become charts.
// Every page works without it.
const self = document.querySelector("script[data-charts]");
const { charts: chartsUrl, chain } = self.dataset;
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 120_000;

function followHead() {
  const query = `subscription { newBlock(chainId: ${chain}) { block { number } } }`;
  let feed;
  let timer;
  let wait = FIRST_WAIT_MS;
  const open = () => {
    close();
    feed = new EventSource(`/graphql?query=${encodeURIComponent(query)}`);
    feed.addEventListener("next", ({ data }) => {
      const { number } = JSON.parse(data).data?.newBlock.block ?? {};
      if (number === undefined) return;
      wait = FIRST_WAIT_MS;
      for (const shown of document.querySelectorAll("[data-head]")) shown.textContent = grouped(number);
      for (const field of document.querySelectorAll(".blocks input[name=block], .slide input")) field.max = number;
    });
    // a server that stops ends its subscriptions; one that is not there yet refuses them, after which a browser does not try again
    feed.addEventListener("complete", openLater);
    feed.addEventListener("error", ({ target }) => {
      if (target.readyState === EventSource.CLOSED) openLater();
    });
  };
  const openLater = () => {
    close();
    timer = setTimeout(open, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  };
  const close = () => {
    clearTimeout(timer);
    feed?.close();
  };
  // a hidden page keeps no connection: a browser has few for each host
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
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

/** What a closed part is called, with the parts that it lies in. */
function nameOf(part) {
  const outer = part.parentElement.closest("details");
  const own = part.parentElement.querySelector(":scope > .part > .part-label") ?? part.querySelector("summary");
  return (outer ? `${nameOf(outer)} > ` : "") + own.textContent;
}

const here = () => location.pathname + location.search;
/** The URL whose main part this page has. */
let shown = here();

let loading;
/** Shows what the URL shows in the place of this page; an error is a page, too. What is chosen becomes an entry of the history. */
async function swap(url, { focus, isChosen }) {
  const main = document.querySelector("main");
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  main.setAttribute("aria-busy", "true");
  const open = new Set([...main.querySelectorAll("details[open]")].map(nameOf));
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" }, signal });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = next.querySelector("main");
    if (!found) throw new Error(`${url} has no main part`);
    if (!isChosen && here() !== url) {
      // the history has gone on to what is shown already
      main.removeAttribute("aria-busy");
      return;
    }
    main.replaceWith(document.adoptNode(found));
    for (const part of document.querySelectorAll("main details")) part.open = open.has(nameOf(part));
    document.title = next.title;
    if (isChosen && url !== shown) history.pushState(null, "", url);
    shown = here();
    enhance();
    if (focus) document.querySelector(focus)?.focus();
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
  void swap(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`, { focus, isChosen: true });
});

// back and forward between blocks; a link within the page changes what follows # alone
addEventListener("popstate", () => {
  if (here() === shown) return;
  const isSliding = document.activeElement?.type === "range";
  void swap(here(), { focus: isSliding ? ".slide input" : undefined, isChosen: false });
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
  const colours = ["--wallet", "--farm", "--island", "--curve", "--pool", "--vault"].map(colour);
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
        ...labels.map((label, i) => ({
          label,
          stroke: colours[i % colours.length],
          width: 1.6,
          value: (_, value) => text(value),
        })),
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

/** What has a page of its own is fetched into this one; a link to it stays where that fails. */
async function takeParts() {
  await Promise.all(
    [...document.querySelectorAll("[data-later]")].map(async (place) => {
      place.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(place.dataset.later, { headers: { accept: "text/html" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const taken = answer.ok && page.querySelector("[data-taken]");
        if (taken) place.replaceChildren(...document.adoptNode(taken).childNodes);
      } catch {
        // the page is left, or the server does not answer: the link says what would be here
      }
      place.removeAttribute("aria-busy");
    }),
  );
  void drawCharts();
}

function enhance() {
  addSlider();
  void takeParts();
  void drawCharts();
}

addEventListener("hashchange", openMade);
openMade();
enhance();
followHead();
