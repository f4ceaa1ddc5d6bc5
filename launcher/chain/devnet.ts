// The devnet as a child: its progress and its readiness, which it prints as JSON lines; its log for people.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { identify, type ProcessIdentity, signal } from "../../machine/processes.ts";
import { lastLineOf } from "../process/last-line.ts";

const readySchema = z.object({
  event: z.literal("ready"),
  rpcUrl: z.string(),
  instanceId: z.string(),
  chainId: z.number(),
  head: z.number(),
});
const eventSchema = z.union([
  z.object({ event: z.literal("progress"), percent: z.number(), doing: z.string() }),
  z.object({ event: z.literal("trouble"), message: z.string() }),
  readySchema,
]);

export interface Devnet extends Omit<z.infer<typeof readySchema>, "event"> {
  /** Resolves to why it ended. */
  ended: Promise<string>;
}

export interface DevnetOptions {
  /** The program and its arguments, run by this Node. */
  entry: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logFile: string;
  onStart: (identity: ProcessIdentity) => void;
  /** `doing`: what it is busy with. */
  onProgress: (percent: number, doing: string) => void;
  /** A failure that does not stop the devnet. */
  onTrouble: (message: string) => void;
  /** The longest silence that is accepted before it is ready. */
  silenceMs: number;
}

export interface DevnetChild {
  ready: Promise<Devnet>;
  /** Lets it save its state and end. */
  stop(): Promise<void>;
  kill(): void;
}

const GRACE_MS = 20_000;

/** Starts the devnet; `ready` rejects with DevnetError when it dies or falls silent before it is ready. */
export function startDevnet(options: DevnetOptions): DevnetChild {
  mkdirSync(join(options.logFile, ".."), { recursive: true });
  const log = openSync(options.logFile, "a");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...options.entry], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", "pipe", log, "ipc"],
  });
  closeSync(log);
  const identity = (child.pid === undefined ? undefined : identify(child.pid)) ?? { pid: 0, startedAt: "" };
  options.onStart(identity);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`did not start (${error.message})`));
    child.once("exit", (code, name) => resolve(name ? `was ended by ${name}` : `ended with code ${code}`));
  });
  const kill = () => {
    if (child.pid !== undefined) signal(-child.pid, "SIGKILL");
  };
  const stop = async () => {
    // The channel stays open: its end means that we were killed, and the devnet would not save its chain.
    child.kill("SIGTERM");
    const timer = setTimeout(kill, GRACE_MS);
    await ended;
    clearTimeout(timer);
    kill(); // what it may have left of its group
  };
  return { ready: waitUntilReady(child, { options, ended }), stop, kill };
}

interface Waiting {
  options: DevnetOptions;
  ended: Promise<string>;
}

function waitUntilReady(child: ChildProcess, { options, ended }: Waiting): Promise<Devnet> {
  return new Promise((resolve, reject) => {
    const seconds = Math.round(options.silenceMs / 1000);
    const giveUp = () => reject(new DevnetError(`the devnet said nothing for ${seconds} s`, options.logFile));
    let timer = setTimeout(giveUp, options.silenceMs);
    void ended.then((reason) => {
      clearTimeout(timer);
      reject(new DevnetError(`the devnet ${reason} before it was ready`, options.logFile));
    });
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = parseEvent(line);
      if (event === undefined) return;
      if (event.event === "trouble") return options.onTrouble(event.message);
      clearTimeout(timer);
      if (event.event === "progress") {
        options.onProgress(event.percent, event.doing);
        timer = setTimeout(giveUp, options.silenceMs);
        return;
      }
      const { rpcUrl, instanceId, chainId, head } = event;
      resolve({ rpcUrl, instanceId, chainId, head, ended });
    });
  });
}

/** Lines that are not events (a stray print) are no reason to fail. */
function parseEvent(line: string): z.infer<typeof eventSchema> | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The devnet could not be brought up; the message names its log. */
export class DevnetError extends Error {
  override name = "DevnetError";
  constructor(what: string, logFile: string) {
    const last = lastLineOf(logFile);
    super(`${what}; its log ${logFile} ends: ${last === "" ? "(empty)" : last}`);
  }
}
