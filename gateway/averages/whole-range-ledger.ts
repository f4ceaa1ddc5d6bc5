// The ledgers as if everything that holds at some block of a range held at the same time: who may be there to hold something at any
// of its blocks. What is read is remembered, and loaded for all blocks together.
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Holding } from "../../core/lookthrough/backing.ts";
import type { Ledger, Place } from "../backing/ledger.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import { type LedgerAsset, nameOf } from "../history/ledger-asset.ts";
import type { Address } from "../parameters.ts";
import { isCounted, type RangeHistories } from "./range-histories.ts";

export class WholeRangeLedger implements Ledger {
  readonly #histories: RangeHistories;
  readonly #holders = new Map<string, Set<Address>>();
  readonly #stakedIn = new Map<string, Set<string>>();
  /** While true, no contract is ruled out. */
  isOpening = true;

  constructor(histories: RangeHistories) {
    this.#histories = histories;
  }

  /** Accounts that, by what was read, hold some of the asset at some block. */
  holdersOf(asset: LedgerAsset): ReadonlySet<Address> {
    return this.#holders.get(nameOf(asset)) ?? new Set();
  }

  /** The vaults in which, by what was read, the account has a stake at some block. */
  stakedIn(account: string): ReadonlySet<string> {
    return this.#stakedIn.get(account) ?? new Set();
  }

  async holders(assets: readonly LedgerAsset[]): Promise<Holding[][]> {
    await this.#histories.totals.load(assets.filter(isCounted));
    return Promise.all(assets.map(async (asset) => (isCounted(asset) ? [] : this.#contractsOf(asset))));
  }

  async #contractsOf(asset: LedgerAsset): Promise<Holding[]> {
    const [all = new Map()] = await this.#histories.holders.load([asset]);
    return [...all.keys()].map((account) => ({ account, amount: 1n }));
  }

  async amounts(inputs: readonly AmountInput[]): Promise<bigint[]> {
    const read = await this.#histories.amounts.load(inputs);
    return inputs.map((input, i) => {
      if (!read[i]?.isEverHeld) return 0n;
      const account = input.account as Address;
      add(this.#holders, nameOf(input), account);
      if (input.kind === STAKE) add(this.#stakedIn, account, input.key);
      return 1n;
    });
  }

  async listed(kind: string, tokens: readonly Address[]): Promise<Place[]> {
    const contracts = await Promise.all(tokens.map((key) => this.#contractsOf({ kind, key })));
    return tokens.flatMap((token, i) =>
      (contracts[i] ?? []).map(({ account }) => ({ token, contract: account as Address })),
    );
  }

  async tokensOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>> {
    const lists = await this.#histories.tokens.load(contracts.map((contract) => ({ kinds, contract })));
    return new Map(
      contracts.map((contract, i) => [
        contract,
        new Set(this.isOpening ? [] : (lists[i] ?? []).map(({ token }) => token)),
      ]),
    );
  }
}

function add<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const found = sets.get(key);
  if (found) found.add(value);
  else sets.set(key, new Set([value]));
}
