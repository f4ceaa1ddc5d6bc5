// What is printed about the explorer's pages, and which limits they must keep.
import type { FirstView, PageWorld } from "./learn-pages.ts";
import type { Figures } from "./tally.ts";

/** Milliseconds. */
export const LONGEST_PAGE_P95_MS = 300;
/** Compressed bytes. */
export const MOST_FIRST_VIEW = 100_000;
export const MOST_SCRIPT = 40_000;

const SHOWN_BROKEN = 10;

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** The view with the largest `of`. */
function most(views: readonly FirstView[], of: (view: FirstView) => number): FirstView | undefined {
  return views.reduce<FirstView | undefined>((top, one) => (top && of(top) >= of(one) ? top : one), undefined);
}

/** Prints views with the number of pages found, the sizes of first views, and broken links. */
export function printPages({ pages, firstViews, broken }: PageWorld): void {
  const names = [...new Set(pages.map(({ view }) => view))];
  const counts = names.map((name) => `${name} ${pages.filter(({ view }) => view === name).length}`);
  console.log(`${pages.length} pages found by their links: ${counts.join(", ")}`);
  console.log("first view, compressed: page, style, icon, scripts, and parts that the script fetches by itself");
  for (const name of names) {
    const largest = most(
      firstViews.filter(({ view }) => view === name),
      ({ bytes }) => bytes,
    );
    if (!largest) continue;
    const { bytes, scriptBytes, path } = largest;
    console.log(`  ${name.padEnd(20)}${kilobytes(bytes).padStart(9)}, script ${kilobytes(scriptBytes)}: ${path}`);
  }
  const largest = most(firstViews, ({ bytes }) => bytes);
  if (largest) console.log(`largest first view: ${kilobytes(largest.bytes)}, ${largest.path}`);
  for (const { from, to, status } of broken.slice(0, SHOWN_BROKEN)) console.log(`broken: ${to} (${status}) on ${from}`);
}

/** The limits that are broken, a line for each. */
export function pageVerdicts(all: Figures, { firstViews, broken }: PageWorld): string[] {
  const largest = most(firstViews, ({ bytes }) => bytes);
  const script = most(firstViews, ({ scriptBytes }) => scriptBytes);
  return [
    ...(broken.length > 0 ? [`${broken.length} links lead nowhere`] : []),
    ...(all.failures > 0 ? [`${all.failures} requests failed`] : []),
    ...(all.p95 > LONGEST_PAGE_P95_MS ? [`p95 is ${all.p95.toFixed(0)} ms, above ${LONGEST_PAGE_P95_MS} ms`] : []),
    ...(largest && largest.bytes > MOST_FIRST_VIEW
      ? [`the first view of ${largest.path} is ${kilobytes(largest.bytes)}, above ${kilobytes(MOST_FIRST_VIEW)}`]
      : []),
    ...(script && script.scriptBytes > MOST_SCRIPT
      ? [`scripts of ${script.path} are ${kilobytes(script.scriptBytes)}, above ${kilobytes(MOST_SCRIPT)}`]
      : []),
  ];
}
