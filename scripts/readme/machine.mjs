// What the machine has to offer: free ports for `npm start`, a browser for the tests of the pages.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";

/** The default ports of `npm start`: PORT, DEVNET_PORT, PONDER_PORT. */
export const PORTS = [4000, 8545, 42069];

/**
 * Those that something else listens on.
 * @param {readonly number[]} ports
 */
export async function takenPorts(ports) {
  const taken = await Promise.all(
    ports.map(
      (port) =>
        new Promise((resolve) => {
          const server = createServer();
          server.once("error", () => resolve([port]));
          server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve([])));
        }),
    ),
  );
  return taken.flat();
}

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Installs Debian's chromium where there is no browser and installing is possible. Never fails: the tests that need a browser do.
 * @param {(line: string) => void} say
 */
export async function provideBrowser(say) {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH !== undefined ? existsSync(CHROMIUM_PATH) : BROWSERS.some((path) => existsSync(path))) return;
  const isDebian = existsSync("/usr/bin/apt-get") && process.getuid?.() === 0;
  if (!isDebian) {
    say("there is no browser for the tests of the pages: install Chromium, or set CHROMIUM_PATH to one");
    return;
  }
  say("there is no browser for the tests of the pages: installing Debian's chromium");
  const code = await new Promise((resolve) => {
    const script = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const child = spawn("sh", ["-c", script], { stdio: ["ignore", "ignore", "inherit"], env });
    child.once("error", () => resolve(1));
    child.once("exit", (status) => resolve(status ?? 1));
  });
  if (code !== 0) say("chromium could not be installed: install one by hand, or set CHROMIUM_PATH");
}
