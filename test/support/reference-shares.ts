// Shares as their own contracts report them: how many there are, and what stands behind all of them at the mean price of the
// pool below. Nothing here is the product's but which contracts there are.
import type { Sql } from "postgres";
import { type Address, type PublicClient, parseAbi } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import type { ReferenceMean, ReferencePool } from "./reference-prices.ts";

const abi = parseAbi([
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function asset() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
  "function getUnderlyingBalancesAtPrice(uint160) view returns (uint256, uint256)",
  "function getCurrentPrice() view returns (uint256)",
]);

export interface ReferenceShare {
  kind: "pair" | "island" | "vault" | "curve";
  token: Address;
  /** Whole shares. */
  supply: number;
  /** Whole tokens. */
  parts: { token: Address; amount: number }[];
}

export interface ChainReader {
  client: PublicClient;
  sql: Sql;
  ponderSchema: string;
  chain: ChainFile;
}

interface Called {
  address: Address;
  view: string;
  args?: readonly unknown[];
}

export class ReferenceShares {
  readonly #from: ChainReader;
  readonly #decimals = new Map<Address, number>();

  constructor(from: ChainReader) {
    this.#from = from;
  }

  /** Every pair, island and vault, and tokens that are their own running curve: what one costs in the base. */
  async at(
    block: number,
    below: { pools: readonly ReferencePool[]; means: readonly ReferenceMean[] },
  ): Promise<ReferenceShare[]> {
    const means = new Map(below.means.map((mean) => [mean.address, mean]));
    const pairs = below.pools.filter(({ kind, created }) => kind === "v2" && created <= block);
    return [
      ...(await this.#pairs(pairs, { block, means })),
      ...(await this.#islands({ block, means })),
      ...(await this.#vaults(block)),
      ...(await this.#curves(block)),
    ];
  }

  async #ask(block: number, calls: readonly Called[]): Promise<(readonly unknown[])[]> {
    const reads = calls.map(({ address, view, args = [] }) => ({ address, abi, functionName: view, args }));
    return (await readAll(this.#from.client, reads, block)).map((answer) => answer ?? []);
  }

  async #whole(block: number, raw: readonly { token: Address; amount: unknown }[]): Promise<ReferenceShare["parts"]> {
    const unread = raw.map(({ token }) => token).filter((token) => !this.#decimals.has(token));
    const results = await this.#ask(
      block,
      unread.map((address) => ({ address, view: "decimals" })),
    );
    for (const [i, token] of unread.entries()) this.#decimals.set(token, Number(results[i]?.[0] ?? 0));
    return raw.map(({ token, amount }) => ({
      token,
      amount: Number(amount ?? 0) / 10 ** (this.#decimals.get(token) ?? 0),
    }));
  }

  async #pairs(
    pairs: readonly ReferencePool[],
    { block, means }: { block: number; means: ReadonlyMap<Address, ReferenceMean> },
  ): Promise<ReferenceShare[]> {
    const results = await this.#ask(
      block,
      pairs.flatMap(({ address, token0, token1 }) => [
        { address, view: "totalSupply" },
        { address: token0, view: "balanceOf", args: [address] },
        { address: token1, view: "balanceOf", args: [address] },
      ]),
    );
    const shares: ReferenceShare[] = [];
    for (const [i, { address, token0, token1 }] of pairs.entries()) {
      const [supply = 0, held0 = 0, held1 = 0] = results.slice(3 * i, 3 * i + 3).map(([value]) => Number(value ?? 0));
      const price = means.get(address)?.price;
      const parts = await this.#whole(block, [
        { token: token0, amount: price ? Math.sqrt((held0 * held1) / price) : held0 },
        { token: token1, amount: price ? Math.sqrt(held0 * held1 * price) : held1 },
      ]);
      shares.push({ kind: "pair", token: address, supply: supply / 1e18, parts });
    }
    return shares;
  }

  async #islands(at: { block: number; means: ReadonlyMap<Address, ReferenceMean> }): Promise<ReferenceShare[]> {
    const { sql, ponderSchema } = this.#from;
    const rows = await sql`select island, pool from ${sql(ponderSchema)}.island_created where block <= ${at.block}`;
    const shares: ReferenceShare[] = [];
    for (const { island, pool } of rows) {
      const mean = at.means.get(pool);
      if (!mean) continue;
      const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(mean.price) * 2 ** 96));
      const [supply, underlying] = await this.#ask(at.block, [
        { address: island, view: "totalSupply" },
        { address: island, view: "getUnderlyingBalancesAtPrice", args: [sqrtPriceX96] },
      ]);
      const parts = await this.#whole(at.block, [
        { token: mean.token0, amount: underlying?.[0] },
        { token: mean.token1, amount: underlying?.[1] },
      ]);
      shares.push({ kind: "island", token: island, supply: Number(supply?.[0] ?? 0) / 1e18, parts });
    }
    return shares;
  }

  async #vaults(block: number): Promise<ReferenceShare[]> {
    const { sql, ponderSchema, chain } = this.#from;
    const rows = await sql`
      select vault from ${sql(ponderSchema)}.vault_created where kind = 'bault' and block <= ${block}`;
    const listed = chain.externalVaults.filter(
      ({ kind, startBlock }) => kind.startsWith("erc4626") && startBlock <= block,
    );
    const vaults = new Set([...rows.map(({ vault }) => vault as Address), ...listed.map(({ address }) => address)]);
    const views = ["totalSupply", "decimals", "totalAssets", "asset"];
    const shares: ReferenceShare[] = [];
    for (const address of vaults) {
      const results = await this.#ask(
        block,
        views.map((view) => ({ address, view })),
      );
      const [supply, decimals, assets, asset] = results.map(([value]) => value);
      // listed, and not deployed yet
      if (typeof asset !== "string") continue;
      const parts = await this.#whole(block, [{ token: asset.toLowerCase() as Address, amount: assets }]);
      shares.push({ kind: "vault", token: address, supply: Number(supply) / 10 ** Number(decimals), parts });
    }
    return shares;
  }

  async #curves(block: number): Promise<ReferenceShare[]> {
    const { sql, ponderSchema } = this.#from;
    const facts = sql`${sql(ponderSchema)}.launch_pool`;
    const rows = await sql`
      select pool, base_token from ${facts} i where kind = 'initialized' and pool = token and block <= ${block} and not exists (
        select from ${facts} g where g.pool = i.pool and g.kind = 'graduated' and g.block <= ${block})`;
    const results = await this.#ask(
      block,
      rows.map(({ pool }) => ({ address: pool, view: "getCurrentPrice" })),
    );
    return rows.map(({ pool, base_token }, i) => ({
      kind: "curve",
      token: pool,
      supply: 1,
      parts: [{ token: base_token, amount: Number(results[i]?.[0] ?? 0) / 1e36 }],
    }));
  }
}
