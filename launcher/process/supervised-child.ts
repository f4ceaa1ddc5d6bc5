// One child process kept alive: log to a file, restart on death with backoff, orderly end.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setInterval as interval } from "node:timers/promises";
import { identify, type ProcessIdentity, signal } from "../../machine/processes.ts";
import { lastLineOf } from "./last-line.ts";
import { LOG_LIMIT, type LogLimit, shortenLog } from "./log-limit.ts";

export interface ChildSpec {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logFile: string;
  /** What to put right before every start; a failure counts as a failed start. */
  beforeStart?: () => Promise<void>;
  /** How long SIGTERM may take before SIGKILL. */
  graceMs: number;
  /** This many quick deaths in a row with a code of `hopelessCodes` end the attempts. */
  hopelessAfter: number;
  /** Exit codes that restarting does not cure (configuration); every other death is retried for ever. */
  hopelessCodes: readonly number[];
  /** The longest pause before another start, where half a minute is too long. */
  longestPauseMs?: number;
  /** When its log is moved aside; default: LOG_LIMIT. */
  logLimit?: LogLimit;
  /** Exit code after which it is not started again at all: its log's last error says why. */
  finalCode?: number;
}

/** A preparation found a fault that no restart cures: the child is given up with this message. */
export class HopelessError extends Error {
  override name = "HopelessError";
}

export interface ChildEvents {
  onStart?: (identity: ProcessIdentity) => void;
  /** `retryInMs` is absent when it was the last attempt. */
  onDeath?: (death: { reason: string; retryInMs: number | undefined; lastLine: string }) => void;
}

interface Death {
  reason: string;
  code: number | undefined;
  /** Why it is not started again; absent: it is. */
  verdict?: string | undefined;
}

export interface SupervisedChild {
  /** Resolves when the child is given up (with the reason) or was stopped (`undefined`). */
  finished: Promise<string | undefined>;
  /** Ends the child and its process group; resolves when nothing is left. */
  stop(): Promise<void>;
  /** SIGKILL at once. */
  kill(): void;
}

/** A child that lived this long was fine: its next death counts as the first one again. */
const LONG_LIVED_MS = 30_000;
const LONGEST_PAUSE_MS = 30_000;

/** The first restart is immediate, then 1, 2, 4 … 30 seconds. */
export const backoffMs = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (deaths - 2));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isHopeless = ({ hopelessAfter, hopelessCodes }: ChildSpec, deaths: number, code: number | undefined): boolean =>
  deaths >= hopelessAfter && code !== undefined && hopelessCodes.includes(code);

export function supervise(spec: ChildSpec, events: ChildEvents = {}): SupervisedChild {
  let child: ChildProcess | undefined;
  /** Undefined until the process is started: what is in its log was said by an earlier one. */
  let logFrom: number | undefined;
  let isStopping = false;
  let wake: () => void = () => {};

  const run = async (): Promise<string | undefined> => {
    for (let deaths = 0; !isStopping; ) {
      const startedAt = performance.now();
      const death = await live();
      if (isStopping) return undefined;
      deaths = performance.now() - startedAt > LONG_LIVED_MS ? 1 : deaths + 1;
      const end = await outlast(death, deaths);
      if (end !== undefined) return end;
    }
    return undefined;
  };

  const quoteLog = (): string => (logFrom === undefined ? "" : lastLineOf(spec.logFile, logFrom));

  /** Resolves when it is time for the next start, or to why there is none. */
  const outlast = async ({ reason, code, verdict }: Death, deaths: number): Promise<string | undefined> => {
    if (verdict !== undefined) return verdict;
    const pauseMs = Math.min(backoffMs(deaths), spec.longestPauseMs ?? LONGEST_PAUSE_MS);
    const retryInMs = isHopeless(spec, deaths, code) ? undefined : pauseMs;
    events.onDeath?.({ reason, retryInMs, lastLine: quoteLog() });
    if (retryInMs === undefined) return `${spec.name} ${reason} ${deaths} times in a row; see ${spec.logFile}`;
    await pause(retryInMs);
    return undefined;
  };

  /** From preparation to death. */
  const live = async (): Promise<Death> => {
    logFrom = undefined;
    try {
      await spec.beforeStart?.();
    } catch (error) {
      const verdict = error instanceof HopelessError ? `${spec.name}: ${error.message}` : undefined;
      return { reason: `could not be prepared (${messageOf(error)})`, code: undefined, verdict };
    }
    if (isStopping) return { reason: "stopped", code: undefined };
    let started: ChildProcess;
    try {
      ({ started, logSize: logFrom } = start(spec));
    } catch (error) {
      return { reason: `did not start (${messageOf(error)})`, code: undefined };
    }
    child = started;
    const identity = started.pid === undefined ? undefined : identify(started.pid);
    if (identity) events.onStart?.(identity);
    return new Promise((resolve) => {
      started.once("error", (error) => resolve({ reason: `did not start (${messageOf(error)})`, code: undefined }));
      started.once("exit", (code, name) => {
        const verdict = code !== null && code === spec.finalCode ? `${spec.name}: ${quoteLog()}` : undefined;
        resolve({
          reason: name ? `was ended by ${name}` : `ended with code ${code}`,
          code: code ?? undefined,
          verdict,
        });
      });
    });
  };

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const kill = () => {
    isStopping = true;
    wake();
    if (child?.pid !== undefined) signal(-child.pid, "SIGKILL");
  };

  const { bytes, everyMs } = spec.logLimit ?? LOG_LIMIT;
  const limiting = new AbortController();
  const limitLog = async () => {
    for await (const _ of interval(everyMs, undefined, { signal: limiting.signal, ref: false }))
      if (shortenLog(spec.logFile, bytes) && logFrom !== undefined) logFrom = 0;
  };
  limitLog().catch(() => {}); // it ends with an AbortError
  const finished = run().finally(() => limiting.abort());
  return {
    finished,
    kill,
    async stop() {
      isStopping = true;
      wake();
      const timer = setTimeout(kill, spec.graceMs);
      if (child) askToEnd(child);
      await finished;
      clearTimeout(timer);
      // Anything that the child had started and not ended itself.
      if (child?.pid !== undefined) signal(-child.pid, "SIGKILL");
    },
  };
}

/**
 * In its own process group: Ctrl-C reaches only the launcher, and the whole group can be ended. `logSize`: bytes that earlier
 * processes have left in its log.
 * @throws Error where its log cannot be opened, or the system has no room for another process
 */
function start(spec: ChildSpec): { started: ChildProcess; logSize: number } {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  rotate(spec.logFile, (spec.logLimit ?? LOG_LIMIT).bytes);
  const log = openSync(spec.logFile, "a");
  try {
    const logSize = fstatSync(log).size;
    const started = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      // The channel closes when we die, however we die: children of ours then end by themselves.
      stdio: ["ignore", log, log, "ipc"],
    });
    return { started, logSize };
  } finally {
    closeSync(log);
  }
}

function askToEnd(child: ChildProcess): void {
  child.kill("SIGTERM");
  // A listener for `disconnect` keeps a child alive as long as the channel is open.
  if (child.connected) child.disconnect();
}

function rotate(file: string, bytes: number): void {
  try {
    if (statSync(file).size > bytes) renameSync(file, `${file}.1`);
  } catch {
    // There is none yet.
  }
}

/** One line about a death: why, what happens next, and the last message of the log. */
export function deathLine(
  label: string,
  death: { reason: string; retryInMs: number | undefined; lastLine: string },
): string {
  const next =
    death.retryInMs === undefined
      ? "giving up"
      : death.retryInMs === 0
        ? "starting it again"
        : `starting it again in ${death.retryInMs / 1000} s`;
  const said = death.lastLine === "" ? "" : `\n  its log ends: ${death.lastLine}`;
  return `${label} ${death.reason}; ${next}${said}`;
}
