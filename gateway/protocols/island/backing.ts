// What islands hold, and for whom: their own position and what lies idle beside it for the holders of their shares,
// less the manager's part. KodiakIsland.sol `getUnderlyingBalances`, `burn`

import { managerPartRoundingDown } from "../../../core/island/manager-fee.ts";
import type { IslandRow } from "../../../core/island/state.ts";
import type { Backing, Issuer } from "../../../core/lookthrough/backing.ts";
import { type LedgerAt, ledgerAt } from "../../backing/ledger-at.ts";
import {
  type Behind,
  type Issued,
  type IssuedAsset,
  type LookThroughContext,
  type OpenProtocol,
  type Protocol,
  tokenAsset,
} from "../../backing/protocol.ts";
import { shareTokens } from "../../backing/share.ts";
import { tokensAmong } from "../../backing/stake.ts";
import { directPositionId, positionAsset, positionOfAsset } from "../../concentrated/position-id.ts";
import { findOwned } from "../../concentrated/positions-at.ts";
import { type AsOf, asOf } from "../../history/as-of.ts";
import type { BlockPoint } from "../../history/point.ts";
import type { Address } from "../../parameters.ts";
import { dividedBy, nobodys } from "./divided.ts";
import type { Island } from "./island.ts";
import { islandAddresses, islandsAmong, islandsOfPools, islandsOfTokens, readIslandRows } from "./islands-at.ts";
import { type IslandWithRow, readOwnPositions } from "./own-positions.ts";

export const island: Protocol = {
  name: "island",
  async open(context, point): Promise<OpenProtocol | undefined> {
    if (!context.chain.islands) return undefined;
    const islands = new OpenIslands(context, point);
    return {
      issuerAddresses: islands.addresses,
      issuedAgainst: (held) => islands.issuedAgainst(held),
      behind: (held) => islands.behind(held),
    };
  },
};

/** One island's backing by one asset. */
interface Backed {
  contract: Address;
  asset: string;
  backing: Backing;
}

/** The island's position at `row`'s range, by the name under which pools are looked through. */
const ownPosition = ({ pool, address }: Island, row: IslandRow, token: Address): string =>
  positionAsset({ pool, manager: undefined, id: directPositionId({ ...row, pool, owner: address }), token });

/** The positions in its pool of each island whose state is unknown, in both tokens; by island. */
async function loosePositions(at: AsOf, islands: readonly Island[]): Promise<Map<Address, string[]>> {
  const incomplete = islands.filter((one) => one.incomplete);
  const found = await Promise.all(incomplete.map(({ address }) => findOwned(at, address)));
  return new Map(
    incomplete.map(({ address, pool, token0, token1 }, i) => [
      address,
      (found[i] ?? [])
        .filter((position) => position.manager === undefined && position.pool.address === pool)
        .flatMap(({ id }) => [token0, token1].map((token) => positionAsset({ pool, manager: undefined, id, token }))),
    ]),
  );
}

class OpenIslands {
  readonly #context: LookThroughContext;
  readonly #point: BlockPoint;
  readonly #at: AsOf;
  readonly #shares = new Map<Address, IssuedAsset>();

  constructor(context: LookThroughContext, point: BlockPoint) {
    this.#context = context;
    this.#point = point;
    this.#at = asOf(context.snapshot, point);
  }

  get addresses(): string {
    return islandAddresses(this.#at);
  }

  async issuedAgainst(held: readonly string[]): Promise<Issued> {
    const ledger = ledgerAt(this.#context, this.#point);
    const backed = [...(await this.#idle(ledger, tokensAmong(held))), ...(await this.#positions(held))];
    return {
      issuers: backed.map(
        ({ contract, asset, backing }): Issuer => ({ address: contract, backings: new Map([[asset, backing]]) }),
      ),
      assets: await this.#shareTokens(
        ledger,
        backed.flatMap(({ contract, backing }) => (backing.remainder ? [] : [contract])),
      ),
    };
  }

  /** Both tokens, idle and in the island's position. */
  async behind(held: readonly string[]): Promise<Behind[]> {
    const islands = await islandsAmong(this.#at, tokensAmong(held));
    const rows = await readIslandRows(this.#at, islands);
    const loose = await loosePositions(this.#at, islands);
    return islands.map((one) => {
      const row = rows.get(one.address);
      const tokens = [one.token0, one.token1];
      const positions = row ? tokens.map((token) => ownPosition(one, row, token)) : (loose.get(one.address) ?? []);
      return { contract: one.address, assets: [...tokens.map(tokenAsset), ...positions] };
    });
  }

  #inFocus(islands: readonly Island[]): readonly Island[] {
    const { focus } = this.#context;
    return focus ? islands.filter(({ address }) => focus.contracts.has(address)) : islands;
  }

  /** What lies idle: balances less what is the manager's. */
  async #idle(ledger: LedgerAt, tokens: readonly Address[]): Promise<Backed[]> {
    const islands = this.#inFocus(await islandsOfTokens(this.#at, tokens));
    const rows = await readIslandRows(this.#at, islands);
    const places = islands.flatMap((one) =>
      ([one.token0, one.token1] as const).flatMap((token, side) =>
        tokens.includes(token) ? [{ one, token, side }] : [],
      ),
    );
    const amounts = await ledger.amounts(
      places.map(({ one, token }) => ({ kind: "erc20", key: token, account: one.address })),
    );
    return places.flatMap(({ one, token, side }, i) => {
      const held = amounts[i] ?? 0n;
      if (held === 0n) return [];
      const row = rows.get(one.address);
      const managers = (side === 0 ? row?.managerBalance0 : row?.managerBalance1) ?? 0n;
      const { incomplete } = one;
      const backing = incomplete ? nobodys(incomplete) : dividedBy(one.address, { held, managers });
      return [{ contract: one.address, asset: tokenAsset(token), backing }];
    });
  }

  /** Of direct positions those that islands have: at their present range, or at any range where that one is unknown. */
  async #positions(held: readonly string[]): Promise<Backed[]> {
    const direct = held.flatMap((asset) => {
      const position = positionOfAsset(asset);
      return position && position.manager === undefined ? [{ asset, pool: position.pool }] : [];
    });
    const islands = this.#inFocus(await islandsOfPools(this.#at, [...new Set(direct.map(({ pool }) => pool))]));
    const rows = await readIslandRows(this.#at, islands);
    const assets = new Set(direct.map(({ asset }) => asset));
    const loose = await loosePositions(this.#at, islands);
    const nobody = islands.flatMap(({ address, incomplete }) =>
      incomplete
        ? (loose.get(address) ?? [])
            .filter((asset) => assets.has(asset))
            .map((asset) => ({ contract: address, asset, backing: nobodys(incomplete) }))
        : [],
    );
    const owned = islands.flatMap((one) => {
      const row = rows.get(one.address);
      if (!row) return [];
      return ([one.token0, one.token1] as const).flatMap((token, side) => {
        const asset = ownPosition(one, row, token);
        return assets.has(asset) ? [{ island: one, row, asset, side }] : [];
      });
    });
    const distinct = new Map<string, IslandWithRow>(owned.map((one) => [one.island.address, one]));
    if (distinct.size === 0) return nobody;
    const worths = await readOwnPositions(this.#at, [...distinct.values()]);
    const shared = owned.map(({ island: one, row, asset, side }): Backed => {
      const worth = worths.get(one.address);
      const principal = (side === 0 ? worth?.principal0 : worth?.principal1) ?? 0n;
      const fees = (side === 0 ? worth?.fees0 : worth?.fees1) ?? 0n;
      const managers = managerPartRoundingDown(fees, row.managerFeeBps);
      const backing = dividedBy(one.address, { held: principal + fees, managers });
      return { contract: one.address, asset, backing };
    });
    return [...nobody, ...shared];
  }

  /** Each island's share token, read once for all assets behind it. */
  async #shareTokens(ledger: LedgerAt, contracts: readonly Address[]): Promise<IssuedAsset[]> {
    const distinct = [...new Set(contracts)];
    const unread = distinct.filter((contract) => !this.#shares.has(contract));
    for (const asset of await shareTokens(ledger, "island", unread)) this.#shares.set(asset.heldAs.contract, asset);
    return distinct.flatMap((contract) => this.#shares.get(contract) ?? []);
  }
}
