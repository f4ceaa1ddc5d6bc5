// One process of the product under test: started, killed without warning, started again; its log lines are kept.
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface PartOptions {
  name: string;
  /** After `node`, relative to the project. */
  command: readonly string[];
  env: Record<string, string>;
  /** Where its output goes, appended. */
  logFolder: string;
  /** Start it again a moment after it ended by itself, as the launcher does. */
  isSupervised: boolean;
}

const RESTART_MS = 300;

export class Part {
  readonly options: PartOptions;
  /** Lines it printed, all starts together. */
  readonly lines: string[] = [];
  /** Ends that nobody asked for. */
  unaskedEnds = 0;
  private child: ChildProcess | undefined;
  private isWanted = false;

  constructor(options: PartOptions) {
    this.options = options;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  start(): void {
    if (this.isRunning) return;
    this.isWanted = true;
    const { name, command, env, logFolder } = this.options;
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...command], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    const log = createWriteStream(join(logFolder, `${name}.log`), { flags: "a" });
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(log, { end: false });
      createInterface({ input: stream }).on("line", (line) => this.lines.push(line));
    }
    child.once("exit", () => {
      log.end();
      if (this.child !== child || !this.isWanted) return;
      this.unaskedEnds += 1;
      if (this.options.isSupervised) setTimeout(() => this.isWanted && this.start(), RESTART_MS);
    });
  }

  /** SIGKILL, and gone when this resolves. It stays down until `start`. */
  async kill(): Promise<void> {
    this.isWanted = false;
    const child = this.child;
    if (!child || !this.isRunning) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Lines that hold `text`, since line `from`. */
  saying(text: string, from = 0): string[] {
    return this.lines.slice(from).filter((line) => line.includes(text));
  }
}
