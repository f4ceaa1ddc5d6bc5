// A clone as a newcomer has it: of the commit that is checked out, with nothing installed and nothing in npm's cache.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long processes that were ended may take to be gone. */
const GONE_MS = 10_000;

/** @param {string} root a checkout */
export function makeClone(root) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-readme-")));
  // the database's own account has to get in
  chmodSync(folder, 0o755);
  const project = join(folder, "tidemark");
  // the checkout may belong to another user than the one who runs this
  const gitConfig = join(folder, "gitconfig");
  writeFileSync(gitConfig, "[safe]\n\tdirectory = *\n");
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { encoding: "utf8", env: { ...process.env, GIT_CONFIG_GLOBAL: gitConfig } }).trim();
  git("clone", "--quiet", root, project);
  const [wanted, cloned] = [root, project].map((place) => git("-C", place, "rev-parse", "HEAD"));
  if (wanted !== cloned) throw new Error(`the clone of ${root} is at ${cloned}, not at ${wanted}`);
  return {
    project,
    env: newcomersEnvironment(process.env, project, join(folder, "npm-cache")),
    /** Files with changes that no clone has. */
    uncommitted: git("-C", root, "status", "--porcelain").split("\n").filter(Boolean).length,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Without the project's settings and without what npm sets for a script: a newcomer has neither.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} project
 * @param {string} cache
 */
function newcomersEnvironment(env, project, cache) {
  const example = join(project, ".env.example");
  const settings = existsSync(example) ? readFileSync(example, "utf8").matchAll(/^# ([A-Z][A-Z_0-9]*)=/gm) : [];
  const ours = new Set(["GATEWAY_URL", ...[...settings].map(([, name]) => name)]);
  const others = Object.entries(env).filter(([name]) => !ours.has(name) && !/^npm_(lifecycle|package)_/.test(name));
  return { ...Object.fromEntries(others), CI: "1", npm_config_cache: cache };
}

/**
 * Ends what still runs inside the folder or from it; resolves to what that was, once all are gone. Without /proc it finds nothing.
 * @param {string} folder as /proc has it: without links
 * @returns {Promise<string[]>}
 */
export async function endLeftovers(folder, goneMs = GONE_MS) {
  for (const deadline = Date.now() + goneMs; Date.now() < deadline; await sleep(200))
    if (processesIn(folder).length === 0) return [];
  const left = processesIn(folder);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  return left.map(({ pid, command }) => `${pid} ${command}`);
}

/** @param {string} folder */
function processesIn(folder) {
  if (!existsSync("/proc/self")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // a database has its own folder, but its program is of the clone
        const places = ["cwd", "exe"].map((link) => readlinkSync(`/proc/${name}/${link}`));
        if (!places.some((place) => place === folder || place.startsWith(`${folder}/`))) return [];
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") }];
      } catch {
        // Gone meanwhile, or another user's.
        return [];
      }
    });
}
