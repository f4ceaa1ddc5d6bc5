// The machine's Chromium, without a window and with nothing of its own to ask the network for.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Undefined where the machine has none; in CI opening it fails then, elsewhere tests are left out. */
export const browserPath: string | undefined = PLACES.find((place) => existsSync(place));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** With empty user data. The caller closes it. @throws Error where there is no Chromium */
export async function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error(`Install Chromium (Debian: chromium) as one of ${PLACES.join(", ")}.`);
  return await chromium.launch({ executablePath: browserPath, headless: true, args: FLAGS });
}
