// The additive ledgers over a range of blocks. What is worked out from them by block is worked out at the first block and at each at
// which something that it was worked out from changes, and holds in between.
import { setImmediate } from "node:timers/promises";
import type { HeldSpan } from "../../core/averages/backing-over.ts";
import type { Step, Steps } from "../../core/averages/steps.ts";
import { everyText } from "../backing/ledger-texts.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type AsOf, asOf } from "../history/as-of.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import { readMany } from "../history/many-rows.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import type { BlockRange } from "./amount-series.ts";
import { MovingLedger, type Near } from "./moving-ledger.ts";
import { RangeHistories } from "./range-histories.ts";
import { amountStretchesText, holderStretchesText, timestampsText } from "./stretch-texts.ts";

/** Both blocks included, of one snapshot, which must be open. */
export interface PointRange {
  from: BlockPoint;
  to: BlockPoint;
}

/** From memory they never wait: other requests are let in between them. */
const EVALUATIONS_PER_TURN = 500;

export class LedgerOver {
  readonly range: BlockRange;
  readonly histories: RangeHistories;
  readonly #at: AsOf;
  readonly #everyTexts = new Map<string, string>();

  constructor(snapshot: Snapshot, { from, to }: PointRange) {
    this.#at = asOf(snapshot, to);
    this.histories = new RangeHistories(this.#at, from.block);
    this.range = this.histories.range;
  }

  /**
   * What `evaluate` gives at the end of every block: called for the first and for each block at which one of its reads of the ledger
   * is another than before. What else it depends on it has to tell the ledger, by `holdUntil`.
   */
  async stepsOf<T>(
    evaluate: (ledger: MovingLedger, block: number) => Promise<T>,
    near?: Near | undefined,
  ): Promise<Steps<T>> {
    const ledger = new MovingLedger({ histories: this.histories, everyText: (kind) => this.#everyText(kind), near });
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
    const { fold, alone } = this.#at;
    const blocks = [String(this.range.from), String(this.range.to)];
    if (accounts === undefined) {
      const text = holderStretchesText(fold);
      const parameters = [asset.kind, asset.key, ...blocks];
      return this.#spansIn(await readMany(alone, { text, parameters }, ["account", "since", "until", "amount"]));
    }
    if (accounts.length === 0) return [];
    const text = `select a.account, s.since, s.until, s.amount from (${amountStretchesText(fold)}) s
      join unnest(string_to_array($3, ',')) with ordinality as a(account, place) on a.place = s.place`;
    const repeated = (word: string) => accounts.map(() => word).join(",");
    const parameters = [repeated(asset.kind), repeated(asset.key), accounts.join(","), ...blocks];
    return this.#spansIn(await readMany(alone, { text, parameters }, ["account", "since", "until", "amount"]));
  }

  /** Unix seconds of each of `blocks`. @throws Error for a block that is not indexed */
  async timestampsOf(blocks: readonly number[]): Promise<number[]> {
    const text = timestampsText(this.#at.fold);
    const parameters = [[...new Set(blocks)].join(",")];
    const many = blocks.length > 0 ? await readMany(this.#at.alone, { text, parameters }, ["number", "timestamp"]) : [];
    const found = new Map<number, number>();
    for (let i = 0; i < many.length; i += 2) found.set(Number(many[i]), Number(many[i + 1]));
    return blocks.map((block) => {
      const timestamp = found.get(block);
      if (timestamp === undefined) throw new Error(`block ${block} is not indexed`);
      return timestamp;
    });
  }

  /** `many`: (account, since, until, amount), one after the other. */
  #spansIn(many: readonly string[]): HeldSpan[] {
    const { from: first, to } = this.range;
    const spans: HeldSpan[] = [];
    const names = new Map<string, Address>();
    for (let i = 0; i < many.length; i += 4) {
      const name = many[i] as Address;
      const account = names.get(name) ?? name;
      if (account === name) names.set(name, account);
      const from = Math.max(Number(many[i + 1]), first);
      const until = Math.min(Number(many[i + 2]), to + 1);
      if (from < until) spans.push({ account, from, until, amount: BigInt(many[i + 3] as string) });
    }
    return spans;
  }

  #everyText(kind: string): string {
    const text = this.#everyTexts.get(kind) ?? everyText(this.#at.fold, kind);
    this.#everyTexts.set(kind, text);
    return text;
  }
}
