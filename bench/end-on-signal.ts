// When a signal ends a benchmark, what it started must end, too: what stays behind falsifies the next measurement.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * From now on the first signal ends this process once `stop` is done; its handlers of "exit" run, which end its children.
 * Further signals change nothing: a terminal and npm each send one. The returned function ends the watch, unless a signal came.
 */
export function endOnSignal(stop: () => Promise<void>): () => void {
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    void stop().finally(() => process.exit(130));
  };
  for (const name of SIGNALS) process.on(name, end);
  return () => {
    if (isEnding) return;
    for (const name of SIGNALS) process.off(name, end);
  };
}
