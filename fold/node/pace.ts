// When the next request may go to a node that has refused some: not before it wants to be asked again, and then no faster than
// it granted before. Nodes count requests or credits, by the second or the day, and may not say so: only their refusals show the limit.

export interface Pace {
  /** No request has to wait. */
  readonly isFree: boolean;
  /** Until the next one may go, not counting those that wait already. */
  readonly waitMs: number;
  /** Requests a second that may go; Infinity while none was refused. */
  readonly perSecond: number;
  /** Resolves when it is the caller's turn, in the order of calls. */
  turn(): Promise<void>;
  granted(): void;
  /**
   * To be called for a refused request that went at `sentAt`, by `performance.now()`. Returns whether this begins a pause: refusals of
   * requests that were under way when the last pause began do not. `waitMs`: how long the node wants to be left alone.
   */
  refused(sentAt: number, waitMs: number | undefined): boolean;
}

const SLOWEST = 1;
/** From here on a node is taken to have no limit. */
const FASTEST = 1_000;
const LESS = 0.8;
const MORE = 1.05;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 16_000;
const SECOND_MS = 1_000;

export function createPace(): Pace {
  let perSecond = Number.POSITIVE_INFINITY;
  let openAt = 0;
  let nextAt = 0;
  let changedAt = 0;
  let refusals = 0;
  /** Times of granted requests, at least those of the last second. */
  let grants: number[] = [];
  let line: Promise<void> = Promise.resolve();

  const waitForTurn = async (): Promise<void> => {
    for (let now = performance.now(); now < Math.max(openAt, nextAt); now = performance.now())
      await pause(Math.max(openAt, nextAt) - now);
    nextAt = performance.now() + SECOND_MS / perSecond;
  };
  const lower = (now: number): void => {
    const lately = grants.filter((at) => at > now - SECOND_MS).length;
    // a second that has hardly begun shows nothing
    const seen = now - openAt >= SECOND_MS || perSecond === Number.POSITIVE_INFINITY ? lately : perSecond;
    perSecond = Math.max(Math.min(perSecond, seen) * LESS, SLOWEST);
  };
  return {
    get isFree() {
      return perSecond === Number.POSITIVE_INFINITY;
    },
    get waitMs() {
      return Math.max(openAt, nextAt) - performance.now();
    },
    get perSecond() {
      return perSecond;
    },
    turn() {
      line = line.then(waitForTurn);
      return line;
    },
    granted() {
      const now = performance.now();
      refusals = 0;
      grants.push(now);
      if (grants.length > FASTEST) grants = grants.filter((at) => at > now - SECOND_MS);
      if (perSecond === Number.POSITIVE_INFINITY || now - changedAt < SECOND_MS) return;
      changedAt = now;
      perSecond = Math.max(perSecond + 1, perSecond * MORE);
      if (perSecond > FASTEST) perSecond = Number.POSITIVE_INFINITY;
    },
    refused(sentAt, waitMs) {
      const now = performance.now();
      const ownPause = Math.min(FIRST_PAUSE_MS * 2 ** refusals, LONGEST_PAUSE_MS);
      const isLate = sentAt < changedAt;
      if (isLate && waitMs === undefined) return false;
      openAt = Math.max(openAt, now + (waitMs ?? ownPause));
      if (isLate) return false;
      lower(now);
      refusals += 1;
      changedAt = now;
      return true;
    },
  };
}

/** Does not keep the process alive. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
