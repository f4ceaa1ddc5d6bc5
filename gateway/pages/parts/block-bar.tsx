// Which block a page answers for, and how to choose another one: by slider, by number or by date.
import { type BlockMark, blockMarks } from "../../questions/block-marks.ts";
import { withQuery } from "../place.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { Count } from "./shown-number.tsx";
import { ShownTime } from "./shown-time.tsx";

const MARKS = 9;

/** The scale of the slider. */
export const readMarks = ({ ask }: Pick<ViewRequest, "ask">): Promise<BlockMark[]> => ask(blockMarks, { marks: MARKS });

interface BlockBarProps {
  request: Pick<ViewRequest, "url" | "isNewest" | "chain">;
  at: ShownBlock;
  marks: readonly BlockMark[];
}

/** What a page's URL asks besides the block. A cursor belongs to one block, so it is left behind. */
export function otherParameters(url: URL): Record<string, string> {
  const other = [...url.searchParams].filter(([name]) => !["block", "at", "after"].includes(name));
  return Object.fromEntries(other);
}

export function BlockBar({ request: { url, isNewest, chain }, at, marks }: BlockBarProps) {
  const others = otherParameters(url);
  const permalink = withQuery(url.pathname, { ...others, block: at.block });
  return (
    <section class="blocks" aria-label="Block">
      <p>
        At block{" "}
        <b>
          <Count count={at.block} />
        </b>
        , <ShownTime seconds={at.timestamp} />
        {at.block > at.finalized ? " · can still be replaced" : " · final"} ·{" "}
        {isNewest ? (
          <>
            newest · <a href={permalink}>permalink</a>
          </>
        ) : (
          <a href={withQuery(url.pathname, others)}>go to the newest block</a>
        )}
      </p>
      <form
        action={url.pathname}
        method="get"
        data-blocks={JSON.stringify(marks.map(({ block, timestamp }) => [block, timestamp]))}
      >
        {Object.entries(others).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          Block{" "}
          <input
            type="number"
            name="block"
            min={chain.startBlock}
            max={at.lastSynced}
            value={String(at.block)}
            required
            inputmode="numeric"
          />
        </label>
        <button type="submit">Show</button>
      </form>
      <form action={url.pathname} method="get">
        {Object.entries(others).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          Date (UTC) <input type="datetime-local" name="at" step={1} value={localValue(at.timestamp)} required />
        </label>
        <button type="submit">Show</button>
      </form>
    </section>
  );
}

/** As date fields want it. */
const localValue = (seconds: number | undefined): string =>
  seconds === undefined ? "" : new Date(seconds * 1_000).toISOString().slice(0, 19);
