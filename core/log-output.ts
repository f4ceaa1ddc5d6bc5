// Lets a part live on when the disk is full: log lines that cannot be written wait for room, and are lost in the end.

/** What is used of pino's destination. */
interface LogOutput {
  on(event: "error" | "write", listener: () => void): unknown;
  flushSync(): void;
}

/** A part's standard output, line by line, as pino's `destination` takes it. Lines that wait for room have no bound of pino's own. */
export const LOG_DESTINATION = { dest: 1, sync: true, maxLength: 10_000_000 } as const;

/**
 * pino throws the error of a failed write. That would end the process, and the flush of its log at the end would try the same lines
 * again for ever: it would neither answer nor exit.
 */
export function outliveFullDisk<Output extends LogOutput>(output: Output): Output {
  let isFailing = false;
  output.on("error", () => {
    isFailing = true;
  });
  output.on("write", () => {
    isFailing = false;
  });
  const flushAtEnd = output.flushSync.bind(output);
  output.flushSync = () => {
    if (!isFailing) flushAtEnd();
  };
  return output;
}
