// What all accounts together have of a token through contracts: by the kind of what they hold, by who issued it, and by the
// contracts on the way there.
import { byAmount, totalOf } from "../../core/amounts.ts";
import type { Path } from "../../core/lookthrough/attribute.ts";
import { type SourceKind, sourceKinds } from "../backing/held-as.ts";
import { issuerOfAsset } from "../backing/protocol.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";

/** Raw units that come to their holders through the same contracts. */
interface HeldWay {
  /** From where the token lies to who issued what the accounts hold. */
  contracts: readonly Address[];
  amount: bigint;
}

/** What one contract issued, all of it. */
export interface HeldThrough {
  contract: Address;
  amount: bigint;
  /** Largest first. */
  ways: readonly HeldWay[];
}

export interface HeldAsKind {
  kind: SourceKind;
  amount: bigint;
  /** Largest first. */
  contracts: readonly HeldThrough[];
}

/** In the order of answers, kinds without anything left out; equal amounts by address. */
export function heldWhere({ parts, heldAs }: Pick<LookedThrough, "parts" | "heldAs">): HeldAsKind[] {
  const kinds = new Map<SourceKind, Map<Address, Map<string, HeldWay>>>();
  for (const [path, amount] of amountsByPath(parts)) {
    const held = heldAs.get(path.at(-1) ?? "");
    if (!held) throw new Error(`nothing is known of ${path.at(-1)}`);
    const contracts = path.slice(1).map(issuerOfAsset);
    const ways = within(within(kinds, held.kind), held.contract);
    const key = contracts.join(" ");
    ways.set(key, { contracts, amount: (ways.get(key)?.amount ?? 0n) + amount });
  }
  return sourceKinds.flatMap((kind) => {
    const contracts = [...(kinds.get(kind) ?? [])].map(([contract, ways]): HeldThrough => {
      const ordered = [...ways.values()].sort(
        (a, b) => byAmount(a, b) || compare(a.contracts.join(), b.contracts.join()),
      );
      return { contract, amount: totalOf(ordered), ways: ordered };
    });
    if (contracts.length === 0) return [];
    contracts.sort((a, b) => byAmount(a, b) || compare(a.contract, b.contract));
    return [{ kind, amount: totalOf(contracts), contracts }];
  });
}

/** All holders of one asset have their parts by the same path, the very same list: most of the adding up is done by that. */
function amountsByPath(parts: LookedThrough["parts"]): Map<Path, bigint> {
  const amounts = new Map<Path, bigint>();
  for (const ofAccount of parts.values())
    for (const { path, amount } of ofAccount) amounts.set(path, (amounts.get(path) ?? 0n) + amount);
  return amounts;
}

function within<Key, Inner, Value>(maps: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  const found = maps.get(key) ?? new Map<Inner, Value>();
  maps.set(key, found);
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
