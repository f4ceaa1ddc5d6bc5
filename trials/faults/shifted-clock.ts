// Loaded into a process of the product before its own code (`node --import`): imitates a system clock that is set while the
// process runs. `Date` is off by the milliseconds in the file that TRIAL_CLOCK_FILE names. Timers and performance.now() are not
// affected, as when a real clock is set.
import { readFileSync } from "node:fs";

const POLL_MS = 50;
const { TRIAL_CLOCK_FILE } = process.env;

if (TRIAL_CLOCK_FILE !== undefined) {
  const file = TRIAL_CLOCK_FILE;
  const trueNow = Date.now;
  let offset = 0;
  const poll = () => {
    try {
      offset = Number(readFileSync(file, "utf8")) || 0;
    } catch {
      // Its folder is removed before the last process ends.
    }
  };
  poll();
  setInterval(poll, POLL_MS).unref();
  Date.now = () => trueNow() + offset;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
    apply: (target) => new target(target.now()).toString(),
  });
}
