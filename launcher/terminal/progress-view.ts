// What the terminal shows while things start: one line per part, rewritten in place; without a terminal, a plain line
// whenever a part changes its state or moves by five percent.

export interface ProgressView {
  /** Sets a part's line; `percent` is absent for what cannot be measured. */
  show(part: string, text: string, percent?: number): void;
  /** Prints a line above the parts, which stays. */
  say(line: string): void;
  /** Leaves the lines as they are; from now on only `say`. */
  finish(): void;
}

interface Output {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const PLAIN_STEP_PERCENT = 5;

export function createProgressView(parts: readonly string[], output: Output = process.stdout): ProgressView {
  return output.isTTY ? rewritingView(parts, output) : plainView(output);
}

const width = 10;
const lineOf = (part: string, text: string, percent: number | undefined): string =>
  `  ${part.padEnd(width)} ${percent === undefined ? "    " : `${String(Math.floor(percent)).padStart(3)}%`}  ${text}`;

function rewritingView(parts: readonly string[], output: Output): ProgressView {
  const lines = new Map(parts.map((part) => [part, lineOf(part, "waiting", undefined)]));
  let drawn = 0;
  let isDone = false;
  const erase = () => {
    if (drawn > 0) output.write(`\u001b[${drawn}F\u001b[0J`);
    drawn = 0;
  };
  const draw = () => {
    const columns = output.columns || 80;
    for (const line of lines.values()) output.write(`${line.slice(0, columns - 1)}\n`);
    drawn = lines.size;
  };
  return {
    show(part, text, percent) {
      if (isDone) return;
      lines.set(part, lineOf(part, text, percent));
      erase();
      draw();
    },
    say(line) {
      if (!isDone) erase();
      output.write(`${line}\n`);
      if (!isDone) draw();
    },
    finish() {
      isDone = true;
    },
  };
}

function plainView(output: Output): ProgressView {
  const shown = new Map<string, { text: string; percent: number | undefined }>();
  let isDone = false;
  return {
    show(part, text, percent) {
      if (isDone) return;
      const last = shown.get(part);
      const isNewState = last === undefined || withoutFigures(last.text) !== withoutFigures(text);
      const moved =
        Math.abs((percent ?? 0) - (last?.percent ?? 0)) >= PLAIN_STEP_PERCENT ||
        (percent === 100 && last?.percent !== 100);
      if (!isNewState && !moved) return;
      shown.set(part, { text, percent });
      output.write(`${lineOf(part, text, percent)}\n`);
    },
    say(line) {
      output.write(`${line}\n`);
    },
    finish() {
      isDone = true;
    },
  };
}

const withoutFigures = (text: string): string => text.replaceAll(/\d[\d,.]*/g, "#");
