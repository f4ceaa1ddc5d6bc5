// Everything that runs, and the order in which it ends: clients end before the parts that serve them.

const STOP_ORDER = ["gateway", "sql", "lake", "fold", "indexer", "devnet", "database"] as const;
export type Part = (typeof STOP_ORDER)[number];

export interface Stoppable {
  stop(): Promise<void>;
  /** At once, without waiting. */
  kill(): void;
}

export interface Shutdown {
  readonly isStopping: boolean;
  /** Returns a function that takes it out again. What is added while stopping is stopped at once. */
  add(part: Part, item: Stoppable): () => void;
  stopAll(onPart?: (part: Part) => void): Promise<void>;
  killAll(): void;
}

export function createShutdown(): Shutdown {
  const items = new Map<Part, Set<Stoppable>>(STOP_ORDER.map((part) => [part, new Set()]));
  let stopping: Promise<void> | undefined;
  const of = (part: Part): Set<Stoppable> => items.get(part) ?? new Set();
  const stopInOrder = async (onPart?: (part: Part) => void) => {
    for (const part of STOP_ORDER) {
      if (of(part).size === 0) continue;
      onPart?.(part);
      // A part that cannot be stopped must not keep the next ones running.
      await Promise.allSettled([...of(part)].map((item) => item.stop()));
    }
  };
  return {
    get isStopping() {
      return stopping !== undefined;
    },
    add(part, item) {
      of(part).add(item);
      if (stopping) item.stop().catch(() => item.kill());
      return () => of(part).delete(item);
    },
    stopAll(onPart) {
      stopping ??= stopInOrder(onPart);
      return stopping;
    },
    killAll() {
      stopping ??= Promise.resolve();
      for (const part of STOP_ORDER) for (const item of of(part)) item.kill();
    },
  };
}
