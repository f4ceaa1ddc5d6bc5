// Pools that issue shares, islands and v2 pairs: what they hold, earn and pay; one, or those that are asked for in order.
import { z } from "zod";
import {
  filterVaults,
  isUserOrder,
  orderVaults,
  type VaultFilter,
  type VaultOrder,
  vaultOrders,
} from "../../core/vaults/vault-list.ts";
import { heldBy, type KnownHolding, knownHolding, userHoldings } from "../catalogue/user-holdings.ts";
import type { VaultRecord } from "../catalogue/vault-record.ts";
import { type VaultsAt, vaultsAt } from "../catalogue/vaults-at.ts";
import type { Operation, OperationContext } from "../context.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { type Address, pageSize } from "../parameters.ts";
import { USD_DECIMALS } from "../prices/price.ts";
import { type Cursor, ForeignCursorError, isAddressPlace, pointOfPage, readCursor, writeCursor } from "./cursors.ts";

/** Which of the ordered pools to show. */
export const vaultPage = z.object({
  limit: pageSize,
  offset: z.number().int().min(0, "must not be negative").max(1_000_000_000, "must be at most 1000000000"),
  orderBy: z.enum(vaultOrders, `must be one of ${vaultOrders.join(", ")}`),
  orderDirection: z.enum(["asc", "desc"], "must be asc or desc"),
});

export const searchText = z.string().max(200, "must be at most 200 characters").optional();

const A_DECIMAL = /^(\d{1,30})(?:\.(\d{1,36}))?$/;

/** USD as a decimal, exactly. */
export const leastUsd = z
  .string()
  .regex(A_DECIMAL, "must be an amount of USD from 0 up, e.g. 10000 or 0.5")
  .transform((text) => {
    const [, whole = "", fraction = ""] = A_DECIMAL.exec(text) ?? [];
    return BigInt(whole + fraction.padEnd(USD_DECIMALS, "0"));
  })
  .optional();

export type VaultPage = z.output<typeof vaultPage>;
export const FIRST_PAGE: VaultPage = { limit: 20, offset: 0, orderBy: "tvl", orderDirection: "desc" };

export interface VaultsInput {
  block: BlockChoice;
  user: Address | undefined;
  filter: Omit<VaultFilter, "isHeld">;
  page: VaultPage;
  /** The page before this one ended here; `page.offset` counts from there. */
  after?: string | undefined;
}

/** One record with what the user asked about has of it; without a user with nothing. */
export interface ShownVault {
  vault: VaultRecord;
  holding: KnownHolding | undefined;
}

/** What records are shown with. */
export interface VaultSetting extends Pick<VaultsAt, "tokens" | "prices"> {
  point: BlockPoint;
  user: Address | undefined;
}

export interface VaultsPage extends VaultSetting {
  entries: readonly ShownVault[];
  /** Pools that the filters leave, on all pages. */
  count: number;
  hasNextPage: boolean;
  /** Undefined for an empty page. */
  endCursor: string | undefined;
  /** The `stopped` of pools that are left out only because the user is not known to have something of them. */
  incomplete: readonly Address[];
}

async function openVaults(context: OperationContext, at: { block: BlockChoice; cursor?: Cursor | undefined }) {
  const point = await pointOfPage(context, at);
  return { point, ...(await vaultsAt(context, point)) };
}

/** By id, of those vaults that the user is known to have something of. */
async function holdingsOf(
  context: OperationContext,
  input: { point: BlockPoint; vaults: readonly VaultRecord[]; user: Address | undefined },
): Promise<ReadonlyMap<string, KnownHolding>> {
  const { point, user } = input;
  if (user === undefined) return new Map();
  const vaults = input.vaults.filter(({ supply }) => supply !== undefined);
  const found = await userHoldings(context, point, { user, shares: new Set(vaults.map(({ id }) => id)) });
  return new Map(
    vaults.flatMap((vault) => {
      const holding = found.get(vault.id);
      return holding ? [[vault.id, knownHolding(vault, holding)] as const] : [];
    }),
  );
}

/**
 * With `user` only pools that it is known to have something of, staked or not.
 * @throws InvalidInputError naming `user` for an order that needs one, or `after`; PageReplacedError; what pointOf, pricesAt
 * and lookThroughAccount throw
 */
export const vaultsPage: Operation<VaultsInput, VaultsPage> = {
  name: "vaults",
  async run({ block, user, filter, page, after }, context) {
    requireUser(page.orderBy, user);
    const cursor = readCursor(after, isAddressPlace);
    const { point, vaults: all, tokens, prices } = await openVaults(context, { block, cursor });
    const holdings = await holdingsOf(context, { point, vaults: all, user });
    const vaults = all.map((vault) => {
      const holding = holdings.get(vault.id);
      return holding ? heldBy(vault, holding) : vault;
    });
    const found = filterVaults(vaults, filter);
    const left = filterVaults(found, { isHeld: user !== undefined });
    const ordered = orderVaults(left, { order: page.orderBy, direction: page.orderDirection });
    const from = placeAfter(ordered, cursor) + page.offset;
    const shown = ordered.slice(from, from + page.limit);
    const entries = shown.map((vault) => ({ vault, holding: holdings.get(vault.id) }));
    const last = shown.at(-1);
    return {
      point,
      user,
      tokens,
      prices,
      count: left.length,
      entries,
      hasNextPage: from + shown.length < left.length,
      endCursor: last && writeCursor(point, [last.id]),
      incomplete: user === undefined ? [] : stoppedOf(found.filter(({ held }) => held === undefined)),
    };
  },
};

const stoppedOf = (vaults: readonly VaultRecord[]): Address[] =>
  [...new Set(vaults.flatMap(({ stopped }) => stopped))].sort();

/** @throws ForeignCursorError when the filters leave out where the page before ended */
function placeAfter(ordered: readonly VaultRecord[], cursor: Cursor | undefined): number {
  if (!cursor) return 0;
  const last = ordered.findIndex(({ id }) => id === cursor.at[0]);
  if (last < 0) throw new ForeignCursorError();
  return last + 1;
}

function requireUser(order: VaultOrder, user: Address | undefined): void {
  if (isUserOrder(order) && user === undefined)
    throw new InvalidInputError("user", `is needed for orderBy=${order}, which goes by what a user has`);
}

export interface VaultAt extends VaultSetting, ShownVault {}

/** @throws VaultNotFoundError, and what vaultsPage throws */
export const vaultAt: Operation<{ id: Address; block: BlockChoice; user: Address | undefined }, VaultAt> = {
  name: "vault",
  async run({ id, block, user }, context) {
    const { point, vaults: all, tokens, prices } = await openVaults(context, { block });
    const found = all.find((vault) => vault.id === id);
    if (!found) throw new VaultNotFoundError(id, point.block);
    if (user === undefined) return { point, user, tokens, prices, vault: found, holding: undefined };
    const holding = (await holdingsOf(context, { point, vaults: all, user })).get(id) ?? knownHolding(found);
    return { point, user, tokens, prices, vault: heldBy(found, holding), holding };
  },
};

export interface BaultsList extends Pick<VaultsAt, "baults" | "tokens" | "prices"> {
  point: BlockPoint;
}

/** Every bault in order of creation. @throws what pointOf and pricesAt throw */
export const baultsList: Operation<{ block: BlockChoice }, BaultsList> = {
  name: "baults",
  async run({ block }, context) {
    const { point, baults, tokens, prices } = await openVaults(context, { block });
    return { point, baults, tokens, prices };
  },
};

class VaultNotFoundError extends GatewayError {
  override name = "VaultNotFoundError";

  constructor(id: Address, block: number) {
    super(`There is no island and no v2 pair at ${id} at block ${block}.`, {
      code: "VAULT_NOT_FOUND",
      status: 404,
      details: { id, block },
    });
  }
}
