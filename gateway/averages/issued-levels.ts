// Everyone who is there to hold a token at some block of a range, everyone who is there to hold what these issued, and so on:
// `readIssued` of gateway/balances/issued.ts with time.
import type { AssetOver, BackingSteps, HeldSpan, IssuerOver, PoolBacking } from "../../core/averages/backing-over.ts";
import { constant, merged, type Steps } from "../../core/averages/steps.ts";
import { V3_RESERVE } from "../../core/ledgers/v3-reserve.ts";
import { LONGEST_PATH } from "../../core/lookthrough/attribute.ts";
import type { HeldAs } from "../backing/held-as.ts";
import { type OpenProtocol, tokenAsset } from "../backing/protocol.ts";
import { tokensAmong } from "../backing/stake.ts";
import { question } from "../cache/question.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { poolsAmong, poolsOfTokens } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import type { Address } from "../parameters.ts";
import { type IslandOver, IslandsOver, idleOver, positionsOver } from "./island-over.ts";
import { type BackingOver, type IssuedAssetOver, issuedOver, ledgerAssetOf } from "./issued-over.ts";
import { issuerSince } from "./issuer-since.ts";
import type { LedgerOver, PointRange } from "./ledger-over.ts";
import { backingOver, type PoolOver, positionsHeldAs, V3Over } from "./v3-over.ts";

/** Of all holders only these matter: accounts, and every contract between them and the token. */
export interface FocusOver {
  accounts: readonly Address[];
  contracts: readonly Address[];
}

interface LevelsOver {
  issuers: Map<string, IssuerOver>;
  assets: Map<string, AssetOver>;
  heldAs: Map<string, HeldAs>;
}

interface Parts {
  over: LedgerOver;
  range: PointRange;
  /** All protocols at the last block. */
  open: readonly OpenProtocol[];
  focus: FocusOver | undefined;
}

/** Backings by the address that has them and the asset. */
type Backings = Map<string, Map<string, BackingSteps | PoolBacking>>;

export class IssuedLevels {
  readonly #context: OperationContext;
  readonly #over: LedgerOver;
  readonly #range: PointRange;
  readonly #open: readonly OpenProtocol[];
  readonly #focus: FocusOver | undefined;
  readonly #contracts: ReadonlySet<Address> | undefined;
  readonly #pools: V3Over;
  readonly #islands: IslandsOver;
  readonly #backings: Backings = new Map();
  /** Pools in focus that do not stop and always hold what their events say. */
  readonly #partial = new Map<string, V3Pool>();
  readonly #since = new Map<string, number | undefined>();
  /** Of positions; whether they are issuers is not known yet. */
  readonly #owners = new Set<string>();
  readonly #assets = new Map<string, AssetOver>();
  readonly #heldAs = new Map<string, HeldAs>();
  readonly #custodians: ReadonlyMap<string, BackingSteps>;
  readonly #custodianAssets: ReadonlyMap<string, string>;

  constructor(context: OperationContext, { over, range, open, focus }: Parts) {
    this.#context = context;
    this.#over = over;
    this.#range = range;
    this.#open = open;
    this.#focus = focus;
    this.#contracts = focus && new Set(focus.contracts);
    this.#pools = new V3Over(context.snapshot, range);
    this.#islands = new IslandsOver(context.snapshot, range);
    const custodians = open.flatMap(({ custodians = [] }) => custodians);
    const { from } = over.range;
    this.#custodianAssets = new Map(custodians.map(({ contract, asset }) => [contract, asset]));
    this.#custodians = new Map(
      custodians.map(({ contract, reason }) => [
        contract,
        constant(from, { claims: [], reserves: [], remainder: reason }) as BackingSteps,
      ]),
    );
  }

  /** Everything that may stand behind `leaf`. @throws RequestTooLongError */
  async read(leaf: Address): Promise<void> {
    let frontier = [tokenAsset(leaf)];
    for (let level = 0; frontier.length > 0 && level < LONGEST_PATH; level++) {
      const issued = await this.#issuedAgainst(frontier);
      const fresh = [...new Map(issued.map((one) => [one.id, one])).values()].filter(({ id }) => !this.#assets.has(id));
      const holders = await this.#readHolders(fresh);
      await this.learnOf([...this.#backings.keys(), ...holders, ...this.#owners]);
      this.#owners.clear();
      frontier = fresh.flatMap(({ id }) => (this.#isHeldByIssuer(id) ? [id] : []));
    }
  }

  /** What has been read. */
  get found(): LevelsOver {
    return { issuers: this.#issuers(), assets: this.#assets, heldAs: this.#heldAs };
  }

  /** Makes those of `addresses` that are issuers known to be. */
  async learnOf(addresses: Iterable<string>): Promise<void> {
    const unknown = [...new Set(addresses)].filter((address) => !this.#since.has(address)) as Address[];
    if (unknown.length === 0) return;
    const since = await issuerSince(this.#context, {
      over: this.#over,
      to: this.#range.to,
      open: this.#open,
      addresses: unknown,
    });
    for (const address of unknown) this.#since.set(address, since.get(address));
  }

  #isHeldByIssuer(id: string): boolean {
    const holders = this.#assets.get(id)?.holders ?? [];
    return holders.some(({ account }) => this.#since.get(account) !== undefined);
  }

  #issuers(): Map<string, IssuerOver> {
    const issuers = new Map<string, IssuerOver>();
    for (const [address, since] of this.#since)
      if (since !== undefined)
        issuers.set(address, { address, since, backings: this.#backings.get(address) ?? new Map() });
    for (const [address, backing] of this.#custodians) {
      const asset = this.#custodianAssets.get(address) ?? "";
      const known = issuers.get(address);
      const backings = new Map([[asset, backing], ...(known?.backings ?? [])]);
      const { from } = this.#over.range;
      issuers.set(
        address,
        known ? { ...known, backings } : { address, since: from, backings, isAccountOtherwise: true },
      );
    }
    return issuers;
  }

  async #issuedAgainst(frontier: readonly string[]): Promise<IssuedAssetOver[]> {
    const tokens = tokensAmong(frontier);
    const issued = await issuedOver(this.#context, {
      ...{ over: this.#over, to: this.#range.to, assets: frontier, among: this.#contracts },
    });
    for (const backed of issued.issuers) this.#add(backed);
    const pools = await this.#poolsOf(tokens);
    const islands = await this.#islandsOf(tokens);
    await this.#addPools(tokens, pools);
    await this.#addIslands(tokens, { islands, pools });
    return [...issued.assets, ...(await this.#shares(islands))];
  }

  #isInFocus(address: Address): boolean {
    return this.#contracts === undefined || this.#contracts.has(address);
  }

  #add({ address, asset, backing }: Omit<BackingOver, "backing"> & { backing: BackingSteps | PoolBacking }): void {
    const backings = this.#backings.get(address) ?? new Map();
    backings.set(asset, backing);
    this.#backings.set(address, backings);
  }

  /** In the order of their creation; with a focus only what its accounts have there, unless what they get depends on all others. */
  async #poolsOf(tokens: readonly Address[]): Promise<PoolOver[]> {
    if (!this.#context.chain.v3 || tokens.length === 0) return [];
    if (!this.#focus) return this.#pools.poolsOver(await poolsOfTokens(this.#at, tokens));
    const wanted = new Set(tokens);
    const { accounts, contracts } = this.#focus;
    const pools = (await poolsAmong(this.#at, contracts)).filter(
      ({ token0, token1 }) => wanted.has(token0) || wanted.has(token1),
    );
    await this.#learnPartial(pools);
    return [
      ...(await this.#pools.poolsOver(pools.filter((pool) => !this.#isPartial(pool)))),
      ...(await this.#pools.poolsOver(
        pools.filter((pool) => this.#isPartial(pool)),
        [...accounts, ...contracts],
      )),
    ];
  }

  #isPartial({ address }: V3Pool): boolean {
    return this.#partial.has(address);
  }

  get #at() {
    return asOf(this.#context.snapshot, this.#range.to);
  }

  async #learnPartial(pools: readonly V3Pool[]): Promise<void> {
    const { from, to } = this.#range;
    const { cache } = this.#context.snapshot;
    for (const pool of pools) {
      // what a pool that stops holds from then on is nobody's, so that it has to be known
      if (pool.stopped || this.#isPartial(pool)) continue;
      const place = { at: to.hash, key: `${pool.id} ${from.hash}` };
      if (!(await cache.of(shortPools, place, () => this.#isShort(pool)))) this.#partial.set(pool.address, pool);
    }
  }

  /** Whether the pool holds less of a token than its events say at some block: what one position gets depends on all others then. */
  async #isShort({ address, token0, token1 }: V3Pool): Promise<boolean> {
    const places = [token0, token1].map((token) => ({ token, address }));
    const [held, expected] = await Promise.all([this.#amounts("erc20", places), this.#amounts(V3_RESERVE, places)]);
    return held.some((amounts, i) => isEverLess(amounts, expected[i] ?? []));
  }

  #amounts(kind: string, places: readonly { token: Address; address: Address }[]): Promise<Steps<bigint>[]> {
    return this.#over.amountsOver(places.map(({ token, address }) => ({ kind, key: token, account: address })));
  }

  async #addPools(tokens: readonly Address[], pools: readonly PoolOver[]): Promise<void> {
    for (const token of tokens) {
      const own = pools.filter(({ pool }) => token === pool.token0 || token === pool.token1);
      const whole = own.filter(({ pool }) => !this.#isPartial(pool));
      const expected = await this.#amounts(
        V3_RESERVE,
        whole.map(({ pool }) => ({ token, address: pool.address })),
      );
      for (const over of own) {
        const backing = backingOver(over, token, expected[whole.indexOf(over)]);
        this.#add({ address: over.pool.address, asset: tokenAsset(token), backing });
        for (const [asset, heldAs] of positionsHeldAs(over, token)) this.#heldAs.set(asset, heldAs);
        for (const { owner } of over.positions) this.#owners.add(owner);
      }
    }
  }

  async #islandsOf(tokens: readonly Address[]): Promise<IslandOver[]> {
    if (!this.#context.chain.islands) return [];
    return (await this.#islands.ofTokens(tokens)).filter(({ address }) => this.#isInFocus(address));
  }

  async #addIslands(
    tokens: readonly Address[],
    { islands, pools }: { islands: readonly IslandOver[]; pools: readonly PoolOver[] },
  ): Promise<void> {
    for (const token of tokens) {
      const own = islands.filter(({ token0, token1 }) => token === token0 || token === token1);
      const held = await this.#amounts(
        "erc20",
        own.map(({ address }) => ({ token, address })),
      );
      for (const [i, island] of own.entries()) {
        this.#add(idleOver(island, token, held[i] ?? []));
        const pool = pools.find((one) => one.pool.address === island.pool);
        for (const backed of pool ? positionsOver(island, pool, token) : []) this.#add(backed);
      }
    }
  }

  /** Each island's share token. */
  async #shares(islands: readonly IslandOver[]): Promise<IssuedAssetOver[]> {
    const supplies = await this.#over.totalsOver(islands.map(({ address }) => ({ kind: "erc20", key: address })));
    return islands.map(({ address }, i) => ({
      ...{ id: tokenAsset(address), issuer: address, supply: supplies[i] ?? [] },
      heldAs: { kind: "island", id: address, contract: address },
    }));
  }

  /** Who they are. */
  async #readHolders(assets: readonly IssuedAssetOver[]): Promise<Set<string>> {
    const all = new Set<string>();
    for (const { id, issuer, supply, heldAs } of assets) {
      const asset = ledgerAssetOf(id);
      const holders = asset ? await this.spansOf(asset) : [];
      this.#assets.set(id, { id, issuer, supply, holders });
      this.#heldAs.set(id, heldAs);
      for (const { account } of holders) all.add(account);
    }
    return all;
  }

  /**
   * Who holds `asset` as far as it matters. With a focus, a pool that always holds what its events say is there from its creation on: what
   * its positions can claim does not depend on how much it holds.
   */
  async spansOf(asset: LedgerAsset): Promise<HeldSpan[]> {
    if (!this.#focus) return this.#over.spansOf(asset);
    const { from, to } = this.#over.range;
    const pools = [...this.#partial.values()].filter(
      ({ token0, token1 }) => asset.kind === "erc20" && (token0 === asset.key || token1 === asset.key),
    );
    const contracts = this.#focus.contracts.filter((contract) => !this.#partial.has(contract));
    const sought = [...this.#focus.accounts, ...contracts];
    return [
      ...(await this.#over.spansOf(asset, [...new Set(sought)])),
      ...pools.map(({ address: account, createdBlock }) => ({
        ...{ account, from: Math.max(from, createdBlock), until: to + 1, amount: 1n },
      })),
    ];
  }
}

/** By pool and range. */
const shortPools = question<boolean>("pools-that-fall-short");

/** Whether `a` is less than `b` at the end of some block. */
const isEverLess = (a: Steps<bigint>, b: Steps<bigint>): boolean =>
  merged([a, b]).some(({ value: [one, other] }) => one < other);
