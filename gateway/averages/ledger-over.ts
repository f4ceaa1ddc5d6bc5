// The additive ledgers over a range of blocks. A value per block is worked out at the first block and at each block at which one of
// its inputs changes; in between it stays the same.
import { setImmediate } from "node:timers/promises";
import type { HeldSpan } from "../../core/averages/backing-over.ts";
import type { Step, Steps } from "../../core/averages/steps.ts";
import type { BlockSpan } from "../../core/block-span.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import { readMany } from "../history/many-rows.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { type ContractFocus, MovingLedger } from "./moving-ledger.ts";
import { RangeHistories } from "./range-histories.ts";
import { amountStretchesText, holderStretchesText } from "./stretch-texts.ts";

/** Both blocks included, of one snapshot, which must be open. */
export interface PointRange {
  from: BlockPoint;
  to: BlockPoint;
}

/** Evaluations that read from memory never wait: other requests get their turn between them. */
const EVALUATIONS_PER_TURN = 500;
const SPANS_PER_PIECE = 5_000;

export class LedgerOver {
  readonly range: BlockSpan;
  readonly histories: RangeHistories;
  readonly #snapshot: Snapshot;
  readonly #at: AsOf;

  constructor(snapshot: Snapshot, { from, to }: PointRange) {
    this.#snapshot = snapshot;
    this.#at = asOf(snapshot, to);
    this.histories = new RangeHistories(this.#at, from.block);
    this.range = this.histories.range;
  }

  /**
   * What `evaluate` gives at the end of every block: called for the first and for each block at which one of its reads of the ledger
   * is another than before. Everything else that it depends on it must report to the ledger, by `holdUntil`.
   */
  async stepsOf<T>(
    evaluate: (ledger: MovingLedger, block: number) => Promise<T>,
    focus?: ContractFocus,
  ): Promise<Steps<T>> {
    const ledger = new MovingLedger(this.histories, focus);
    const steps: Step<T>[] = [];
    for (let block = this.range.from; block <= this.range.to; block = ledger.until) {
      ledger.moveTo(block);
      steps.push({ from: block, value: await evaluate(ledger, block) });
      if (steps.length % EVALUATIONS_PER_TURN === 0) await setImmediate();
    }
    return steps;
  }

  /** What each account holds of its asset, in the order of `inputs`. */
  async amountsOver(inputs: readonly AmountInput[]): Promise<Steps<bigint>[]> {
    return (await this.histories.amounts.load(inputs)).map(({ steps }) => steps);
  }

  /** What all hold together of each asset, the zero address too; in the order of `assets`. */
  async totalsOver(assets: readonly LedgerAsset[]): Promise<Steps<bigint>[]> {
    return (await this.histories.totals.load(assets)).map(({ steps }) => steps);
  }

  /** Spans of everybody, the zero address too, or of `accounts`; in any order. */
  async spansOf(asset: LedgerAsset, accounts?: readonly Address[]): Promise<HeldSpan[]> {
    const spans: HeldSpan[] = [];
    if (accounts === undefined) await this.eachSpan(asset, (span) => spans.push(span));
    else if (accounts.length > 0)
      spansIn(await this.#readSpans(asset, accounts), this.range, (span) => spans.push(span));
    return spans;
  }

  /**
   * Gives `take` the spans of everybody, the zero address too, while they are read: there may be more than memory holds. Needs the
   * snapshot's transaction, and begins it. Other reads wait meanwhile.
   */
  async eachSpan({ kind, key }: LedgerAsset, take: (span: HeldSpan) => void): Promise<void> {
    await this.#snapshot.open();
    const text = `select concat_ws(' ', s.account, s.since, s.until, s.amount) from (${holderStretchesText(this.#at.fold)}) s`;
    const parameters = [kind, key, ...this.#blocks()];
    const pieces = this.#snapshot.pieces(text, parameters, { rows: SPANS_PER_PIECE, separator: " " });
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
      spansIn(Buffer.from(piece.value).toString("latin1", 1).split(" "), this.range, take);
  }

  #readSpans({ kind, key }: LedgerAsset, accounts: readonly Address[]): Promise<string[]> {
    const text = `select a.account, s.since, s.until, s.amount from (${amountStretchesText(this.#at.fold)}) s
      join unnest(string_to_array($3, ',')) with ordinality as a(account, place) on a.place = s.place`;
    const repeated = (word: string) => accounts.map(() => word).join(",");
    const parameters = [repeated(kind), repeated(key), accounts.join(","), ...this.#blocks()];
    return readMany(this.#at.unbatched, { text, parameters }, ["account", "since", "until", "amount"]);
  }

  #blocks(): string[] {
    return [String(this.range.from), String(this.range.to)];
  }
}

/** `many`: (account, since, until, amount), one after the other. */
function spansIn(many: readonly string[], { from: first, to }: BlockSpan, take: (span: HeldSpan) => void): void {
  for (let i = 0; i + 3 < many.length; i += 4) {
    const from = Math.max(Number(many[i + 1]), first);
    const until = Math.min(Number(many[i + 2]), to + 1);
    if (from < until) take({ account: many[i] as string, from, until, amount: BigInt(many[i + 3] as string) });
  }
}
