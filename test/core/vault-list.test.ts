// Every combination of filters, orders and pages, against the plainest possible reading of the rules.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  filterVaults,
  isUserOrder,
  type ListedVault,
  orderVaults,
  type VaultFilter,
  vaultOrders,
} from "../../core/vaults/vault-list.ts";

const address = fc.integer({ min: 0, max: 30 }).map((n) => `0x${n.toString(16).padStart(40, "0")}`);
// few distinct values, so that there are ties
const value = fc.option(fc.bigInt(0n, 4n), { nil: undefined });
const word = fc.constantFrom("Wrapped BERA", "WBERA", "HONEY", "honey ", "USDC.e", "Ünïcode", "", "0xabc");

const vault: fc.Arbitrary<ListedVault> = fc.record({
  id: address,
  words: fc.array(word, { maxLength: 4 }),
  addresses: fc.array(address, { minLength: 1, maxLength: 4 }),
  tvl: value,
  farmTvl: value,
  apr: value,
  farmApr: value,
  totalApr: value,
  isRewardVault: fc.boolean(),
  isSweetened: fc.option(fc.boolean(), { nil: undefined }),
  isVolatile: fc.boolean(),
  held: fc.option(fc.record({ vaultBalance: value, farmBalance: value, balance: value }), { nil: undefined }),
});
const vaults = fc.uniqueArray(vault, { selector: ({ id }) => id, maxLength: 20 });

/** Three filters of four are not there, so that the others leave something. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const flag = seldom(fc.boolean());
const filters: fc.Arbitrary<VaultFilter> = fc.record({
  search: seldom(fc.oneof(fc.constantFrom("bera", "HONEY", "e", "", "nothing", "0x", "ÜN"), address)),
  rewardVault: flag,
  sweetened: flag,
  volatile: flag,
  minimumTvl: seldom(fc.bigInt(0n, 5n)),
  isHeld: flag,
});

function isFound(one: ListedVault, search: string): boolean {
  const wanted = search.toLowerCase();
  if (/^0x[0-9a-f]{40}$/.test(wanted)) return one.addresses.some((own) => own === wanted);
  return one.words.some((own) => own.toLowerCase().indexOf(wanted) >= 0);
}

/** Word for word what is promised. */
function isShown(one: ListedVault, filter: VaultFilter): boolean {
  if (filter.search !== undefined && !isFound(one, filter.search)) return false;
  if (filter.rewardVault === true && !one.isRewardVault) return false;
  if (filter.sweetened === true && !one.isSweetened) return false;
  if (filter.volatile !== undefined && one.isVolatile !== filter.volatile) return false;
  if (filter.minimumTvl !== undefined && (one.tvl === undefined || one.tvl < filter.minimumTvl)) return false;
  return filter.isHeld !== true || one.held !== undefined;
}

function shownValue(one: ListedVault, order: (typeof vaultOrders)[number]): bigint | undefined {
  if (one.tvl === undefined) return undefined;
  if (order === "balance" || order === "farmBalance" || order === "vaultBalance") return one.held?.[order];
  return one[order];
}

/** By repeated search for the first one left. */
function inOrder(list: readonly ListedVault[], order: (typeof vaultOrders)[number], direction: "asc" | "desc") {
  const left = [...list];
  const sorted: ListedVault[] = [];
  while (left.length > 0) {
    let first = 0;
    for (let i = 1; i < left.length; i++) if (comesBefore(left[i]!, left[first]!)) first = i;
    sorted.push(...left.splice(first, 1));
  }
  return sorted;

  function comesBefore(a: ListedVault, b: ListedVault): boolean {
    const [x, y] = [shownValue(a, order), shownValue(b, order)];
    if (x === undefined && y === undefined) return a.id < b.id;
    if (x === undefined || y === undefined) return y === undefined;
    if (x === y) return a.id < b.id;
    return direction === "asc" ? x < y : x > y;
  }
}

describe("a list of pools", () => {
  it("shows what the filters ask for, in the order asked, page by page, for every combination", () => {
    const seen = { all: 0, some: 0, none: 0 };
    fc.assert(
      fc.property(
        vaults,
        fc.record({
          filter: filters,
          order: fc.constantFrom(...vaultOrders),
          direction: fc.constantFrom("asc" as const, "desc" as const),
          limit: fc.integer({ min: 1, max: 7 }),
        }),
        (list, { filter, order, direction, limit }) => {
          const expected = inOrder(
            list.filter((one) => isShown(one, filter)),
            order,
            direction,
          );
          const shown = orderVaults(filterVaults(list, filter), { order, direction });
          expect(shown).toEqual(expected);
          seen[shown.length === 0 ? "none" : shown.length === list.length ? "all" : "some"] += 1;
          // pages put together are the list, whatever order it came in
          const again = orderVaults(filterVaults([...list].reverse(), filter), { order, direction });
          const pages = [];
          for (let offset = 0; offset < again.length; offset += limit)
            pages.push(...again.slice(offset, offset + limit));
          expect(pages).toEqual(expected);
        },
      ),
      { numRuns: 2_000, seed: Number(process.env.VAULT_LIST_SEED ?? 20_261) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
  });

  it("knows which orders need a user", () => {
    expect(vaultOrders.filter(isUserOrder)).toEqual(["balance", "farmBalance", "vaultBalance"]);
  });
});
