// Runs a TypeScript entry on Node 22 whatever Node started it, after installing what is missing. Plain JavaScript that
// Node 18 understands, and no dependencies: it runs before there are any.
// Usage: node scripts/node22.mjs <entry.ts> [arguments…]
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const stampFile = join(modules, ".tidemark-lock-hash");
/** Settings of the product's commands, where the shell does not set them; tests, checks, benchmarks and trials do not read it. */
const settingsFile = join(root, ".env");
const WITHOUT_SETTINGS = /^(bench|trials|devnet\/fuzz|node_modules)\/|^scripts\/(check|test)\.ts$/;
const bundledNode = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error("usage: node scripts/node22.mjs <entry.ts> [arguments…]");
  process.exit(2);
}
if (needsInstallation()) install();
run(isNewEnough(process.versions.node) ? process.execPath : bundledNode);

/** Type stripping works without a flag from 22.18 on. */
function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

/** The stamp is written last, so an interrupted installation is seen as incomplete. */
function needsInstallation() {
  if (!existsSync(modules)) return true;
  const isStamped = existsSync(stampFile) && readFileSync(stampFile, "utf8") === lockHash();
  // Installed by hand: npm writes its own copy of the lock file last, so it is there only when everything is.
  const isCurrent = isExecutable(bundledNode) && (isStamped || hasEverythingLocked());
  if (isCurrent && !isStamped) stamp();
  return !isCurrent;
}

/** npm writes what it installed to node_modules/.package-lock.json: same packages, same versions? */
function hasEverythingLocked() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    const present = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages;
    return Object.entries(wanted).every(
      ([path, locked]) => path === "" || locked.optional || locked.peer || present[path]?.version === locked.version,
    );
  } catch {
    return false;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function stamp() {
  try {
    writeFileSync(stampFile, lockHash());
  } catch {
    // A read-only installation stays unstamped: the longer check runs again next time.
  }
}

function install() {
  console.error("tidemark: installing dependencies (about a minute the first time) …");
  const started = Date.now();
  // `npm ci` empties the folder first: through a link it would empty that of another working copy.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(modules);
  const ticker = spawn(process.execPath, ["-e", tickerCode(started)], { stdio: ["pipe", "ignore", "inherit"] });
  let installed = npm(["ci"], "pipe");
  if (installed.status !== 0 && /EUSAGE|in sync/.test(String(installed.stderr))) {
    // A lock file written on one platform may lack the optional packages of this one. The same versions are installed
    // this way too; the lock file stays as it is.
    console.error("tidemark: the lock file does not list every optional package of this platform; resolving them …");
    installed = npm(["install", "--no-save"], 2);
  } else if (installed.status !== 0) console.error(String(installed.stderr));
  // Install scripts may be switched off: the package `node` fetches its binary in one.
  if (installed.status === 0 && !isExecutable(bundledNode)) npm(["rebuild", "node", "--ignore-scripts=false"], 2);
  ticker.kill();
  if (installed.status !== 0 || !isExecutable(bundledNode)) {
    const why = installed.error ? installed.error.message : `npm ended with ${installed.signal ?? installed.status}`;
    console.error(
      `tidemark: the installation failed (${why}); see npm's message above, then run the same command again`,
    );
    process.exit(1);
  }
  stamp();
  console.error(`tidemark: installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Runs npm in the project; its output goes to stderr, because stdout belongs to the entry. */
function npm(args, stderr) {
  const { command, before, env } = npmCommand();
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  return spawnSync(command, [...before, ...args, ...flags], { cwd: root, stdio: ["ignore", 2, stderr], env });
}

/** A line every ten seconds while npm, which is silent without a terminal, keeps this process busy. */
function tickerCode(started) {
  return `process.stdin.resume(); process.stdin.on("end", () => process.exit());
    setInterval(() => console.error("tidemark: still installing, " + Math.round((Date.now() - ${started}) / 1000) + " s"), 10000);`;
}

/** The npm that started us, else the one on the PATH; without its settings for the script that is running now. */
function npmCommand() {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package)_/.test(name)),
  );
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.js$/.test(cli) && existsSync(cli)) return { command: process.execPath, before: [cli], env };
  return { command: process.platform === "win32" ? "npm.cmd" : "npm", before: [], env };
}

function run(node) {
  // The same process group: a terminal's Ctrl-C reaches the child by itself. The child may watch whether we live.
  const settings = WITHOUT_SETTINGS.test(entry) || !existsSync(settingsFile) ? [] : [`--env-file=${settingsFile}`];
  const child = spawn(node, [...settings, "--disable-warning=ExperimentalWarning", resolve(entry), ...args], {
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${join(modules, ".bin")}:${process.env.PATH ?? ""}`,
      TIDEMARK_WRAPPER_PID: String(process.pid),
    },
  });
  const forward = (name) => {
    const cameFromTerminal = name === "SIGINT" && process.stdin.isTTY;
    if (!cameFromTerminal) child.kill(name);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]) process.on(name, () => forward(name));
  watchNpm(() => forward("SIGTERM"));
  child.on("error", (error) => {
    console.error(`tidemark: ${node} does not start: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, name) => {
    if (name === null) process.exit(code ?? 1);
    for (const ours of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]) process.removeAllListeners(ours);
    process.kill(process.pid, name);
    // A signal that does not end us (or is ignored) must not leave us waiting.
    setTimeout(() => process.exit(1), 200);
  });
}

/** Started by npm, we end when npm is gone: after a killed npm nothing must go on running unseen. */
function watchNpm(whenGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    whenGone();
  }, 1000);
  timer.unref();
}
