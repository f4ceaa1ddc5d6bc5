// Where something sat: parts of a whole, each of which can be opened to the parts that it consists of. Drawn as one bar per
// level; works without script.
import type { Child } from "hono/jsx";
import { totalOf } from "../../../core/amounts.ts";
import { percentOf, ShownNumber } from "./shown-number.tsx";

/** Colours stand for ways of holding, the same on every page. */
export type ShareKind =
  | "wallet"
  | "pool"
  | "island"
  | "vault"
  | "farm"
  | "curve"
  | "position"
  | "unattributed"
  | "other";

export interface SharePart {
  kind: ShareKind;
  label: Child;
  /** Raw units. */
  amount: bigint;
  /** The amount as shown. */
  shown: Child;
  /** What it consists of, largest first. They may leave out what is too small: `rest` says how much. */
  parts?: readonly SharePart[];
}

interface NestedSharesProps {
  /** What all parts together are parts of. */
  whole: bigint;
  /** Names the picture, e.g. `Where HONEY sat at block 1,200`. */
  caption: string;
  parts: readonly SharePart[];
  /** The id of the {@link MadeBy} whose queries give the shares. */
  made?: string | undefined;
}

/** The bar is this many units wide; a unit is a hundredth of a percent. */
const WIDTH = 10_000;

const widthOf = (amount: bigint, whole: bigint): number => (whole <= 0n ? 0 : Number((amount * BigInt(WIDTH)) / whole));

export function NestedShares({ whole, caption, parts, made }: NestedSharesProps) {
  return (
    <figure class="shares">
      <figcaption>{caption}</figcaption>
      <StackedBar whole={whole} parts={parts} />
      <PartList whole={whole} parts={parts} made={made} />
    </figure>
  );
}

/** All parts side by side. */
export function StackedBar({ whole, parts }: Pick<NestedSharesProps, "whole" | "parts">) {
  const ends = parts.map((_, i) => totalOf(parts.slice(0, i)));
  return (
    <svg class="stack" viewBox={`0 0 ${WIDTH} 100`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" x="0" y="0" width={WIDTH} height="100" />
      {parts.map(({ kind, amount }, i) => (
        <rect
          class={`kind-${kind}`}
          x={widthOf(ends[i] ?? 0n, whole)}
          y="0"
          width={Math.max(amount > 0n ? 8 : 0, widthOf(amount, whole))}
          height="100"
        />
      ))}
    </svg>
  );
}

function PartList({ whole, parts, made }: Omit<NestedSharesProps, "caption">) {
  return (
    <ul class="parts">
      {parts.map((part) => (
        <li>
          <PartLine whole={whole} part={part} made={made} />
          {part.parts && part.parts.length > 0 && <Inside part={part} made={made} />}
        </li>
      ))}
    </ul>
  );
}

interface PartProps {
  whole: bigint;
  part: SharePart;
  made: string | undefined;
}

/** Beside the line and not around it: a line has links, and what opens something must not have others in it. */
function Inside({ part: { amount, parts = [] }, made }: Omit<PartProps, "whole">) {
  return (
    <details>
      <summary>
        <span class="sr">What it consists of</span>
      </summary>
      <StackedBar whole={amount} parts={parts} />
      <PartList whole={amount} parts={parts} made={made} />
    </details>
  );
}

function PartLine({ whole, part: { kind, label, amount, shown }, made }: PartProps) {
  const percent = percentOf(amount, whole);
  return (
    <span class="part">
      <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
        <rect class={`kind-${kind}`} width="10" height="10" rx="2" />
      </svg>
      <span class="part-label">{label}</span>
      <span class="part-amount">{shown}</span>
      <span class="part-share">
        {percent === undefined ? "" : <ShownNumber exact={percent} suffix="%" made={made} />}
      </span>
    </span>
  );
}
