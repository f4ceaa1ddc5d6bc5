// Where a part's log goes when the disk is full: what cannot be written waits for room, at last it is lost, and the part lives on.

/** Of pino's destination. */
interface LogOutput {
  on(event: "error" | "write", listener: () => void): unknown;
  flushSync(): void;
}

/** A part's standard output, line by line, as pino's `destination` takes it. Lines that wait for room have no bound of pino's own. */
export const LOG_DESTINATION = { dest: 1, sync: true, maxLength: 10_000_000 } as const;

/**
 * pino throws what a write fails with. That ends the process, and what flushes its log at the end then tries the same lines again for
 * ever: it would neither answer nor go.
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
