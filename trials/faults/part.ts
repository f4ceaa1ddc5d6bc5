// One process of the product under test: started, killed without warning, started again; its log lines are kept.
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { HopelessError } from "../../launcher/process/supervised-child.ts";
import { endChild } from "../../machine/processes.ts";
import { projectRoot } from "../../machine/project-root.ts";

export interface PartOptions {
  name: string;
  /** After `node`, relative to the project. */
  command: readonly string[];
  env: Record<string, string>;
  /** Where its output goes, appended. */
  logFolder: string;
  /** Start it again a moment after it ended by itself, as the launcher does. */
  isSupervised: boolean;
  /** What the launcher does before it starts it again; repeated until it succeeds. */
  prepare?: () => Promise<void>;
}

const RESTART_MS = 300;
/** After this many ends in a row with code 1, each soon after its start, the launcher gives up. */
const HOPELESS_ENDS = 3;
const LONG_LIVED_MS = 30_000;

export class Part {
  readonly options: PartOptions;
  /** Lines it printed, all starts together. */
  readonly lines: string[] = [];
  /** Ends that the trial did not cause. */
  unexpectedEnds = 0;
  /** The exit code of its last end by itself. */
  lastCode: number | null = null;
  /** Why the launcher would have given it up. */
  gaveUp: string | undefined;
  isSupervised: boolean;
  private child: ChildProcess | undefined;
  private isWanted = false;
  private isCrashing = false;
  private hopelessEnds = 0;

  constructor(options: PartOptions) {
    this.options = options;
    this.isSupervised = options.isSupervised;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The pid of the process that was started last. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    if (this.isRunning) return;
    this.isWanted = true;
    const startedAt = Date.now();
    const { name, command, env, logFolder } = this.options;
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...command], {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    const log = createWriteStream(join(logFolder, `${name}.log`), { flags: "a" });
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(log, { end: false });
      createInterface({ input: stream }).on("line", (line) => this.lines.push(line));
    }
    child.once("exit", (code) => {
      log.end();
      if (this.child !== child || !this.isWanted) return;
      if (!this.isCrashing) this.unexpectedEnds += 1;
      this.lastCode = code;
      this.isCrashing = false;
      this.hopelessEnds = code === 1 && Date.now() - startedAt < LONG_LIVED_MS ? this.hopelessEnds + 1 : 0;
      if (this.hopelessEnds === HOPELESS_ENDS)
        this.gaveUp = `${name} ended with code 1 ${HOPELESS_ENDS} times in a row`;
      if (this.isSupervised) void this.startAgain();
    });
  }

  private async startAgain(): Promise<void> {
    for (let isPrepared = false; this.isWanted && !isPrepared; ) {
      await sleep(RESTART_MS);
      try {
        await this.options.prepare?.();
        isPrepared = true;
      } catch (error) {
        if (error instanceof HopelessError) this.gaveUp = error.message;
      }
    }
    if (this.isWanted) this.start();
  }

  /** SIGKILL; it is started again as after any other death. Resolves when it is gone. */
  async crash(): Promise<void> {
    if (!this.child || !this.isRunning) return;
    this.isCrashing = true;
    await endChild(this.child);
  }

  /** Stops the process for a while, as on a machine that is suspended. */
  async freeze(ms: number): Promise<void> {
    const child = this.child;
    child?.kill("SIGSTOP");
    await sleep(ms);
    child?.kill("SIGCONT");
  }

  /** SIGTERM, and gone when this resolves, or after `timeoutMs`. It stays down until `start`. */
  async end(timeoutMs = 8_000): Promise<void> {
    this.isWanted = false;
    if (this.child && this.isRunning) await Promise.race([endChild(this.child, "SIGTERM"), sleep(timeoutMs)]);
  }

  /** SIGKILL, and gone when this resolves. It stays down until `start`. */
  async kill(): Promise<void> {
    this.isWanted = false;
    if (this.child) await endChild(this.child);
  }

  /** Lines that hold `text`. */
  saying(text: string): string[] {
    return this.lines.filter((line) => line.includes(text));
  }
}
