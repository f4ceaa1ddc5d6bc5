// The machine's Chromium, driven without a window. Tests that need one say so and are skipped where there is none, but fail in
// CI: nobody would notice there that pages are no longer tried.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { describe, type TestOptions } from "vitest";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const found = PLACES.find((path) => path !== undefined && existsSync(path));

/** Nothing that asks anybody for anything by itself. */
const SILENT = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** `describe` for tests with a browser. */
export function describeInBrowser(title: string, options: TestOptions, tests: () => void): void {
  if (found === undefined && !process.env.CI) {
    console.warn(`${title}: skipped, as there is no Chromium here; install Debian's chromium, or set CHROMIUM_PATH.`);
    describe.skip(title, options, tests);
    return;
  }
  describe(title, options, tests);
}

/** With an empty profile, which goes with it. The caller closes it. @throws Error where there is no Chromium */
export function openBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error("There is no Chromium: install Debian's chromium, or set CHROMIUM_PATH.");
  return chromium.launch({ executablePath: found, args: SILENT });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every page that the tab opens from now on has axe-core from the start: sending it each time takes a third of each trial. */
export const giveAxe = (tab: Page): Promise<unknown> => tab.addInitScript({ content: axe });

/** Rules of axe that are about colours: the others say the same of a page in other colours. */
export const RULES_OF_COLOURS: readonly string[] = ["color-contrast", "link-in-text-block"];

export interface Tried {
  /** Ids of rules that are left out. */
  except?: readonly string[];
  /** Ids of the only ones that are tried. */
  only?: readonly string[] | undefined;
  /** Selector of the part of the page that is tried. */
  within?: string;
}

/** What axe-core finds wrong with the page as it is shown, one sentence each. */
export async function violationsOf(page: Page, { except = [], only, within }: Tried = {}): Promise<string[]> {
  // evaluated by the debugger, so that the page's own policy holds for the page
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(
    async ([left, tried, part]) => {
      interface Found {
        violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[];
      }
      const { axe: run } = globalThis as unknown as { axe: { run(place: unknown, options: object): Promise<Found> } };
      // a colour halfway between two is none of the page's: what moves is moved to its end, except what moves for ever
      for (const animation of document.getAnimations())
        if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
      const { violations } = await run.run(part ?? document, {
        resultTypes: ["violations"],
        ...(tried === undefined ? {} : { runOnly: tried }),
        rules: Object.fromEntries(left.map((id) => [id, { enabled: false }])),
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary ?? ""}`),
      );
    },
    [except, only, within] as const,
  );
}

/** What a page does that it should not; filled while it is used. */
export interface Misdeeds {
  /** Errors on the console, and what was thrown. */
  errors: string[];
  /** URLs of other hosts that were asked for. */
  elsewhere: string[];
}

/** `isExpected`: errors that belong to what is tried, e.g. the 404 of a page that is not there. */
export function watch(page: Page, base: string, isExpected: (text: string) => boolean = () => false): Misdeeds {
  const misdeeds: Misdeeds = { errors: [], elsewhere: [] };
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message.text())) misdeeds.errors.push(message.text());
  });
  page.on("pageerror", (error) => misdeeds.errors.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) misdeeds.elsewhere.push(url);
  });
  return misdeeds;
}
