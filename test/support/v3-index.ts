// A whole index of random v3 pools: facts of pools and of the tokens that flow through them, folded by the product's own
// fold up to the last final block, with the rest above it.
import { pino } from "pino";
import type { Sql } from "postgres";
import type { V3Fact } from "../../core/v3/facts.ts";
import { V3Step } from "../../fold/v3/step.ts";
import { DEPLOYMENTS, randomV3History, type V3History } from "../fold/random-v3-history.ts";
import { insertV3Facts, insertV3Pools } from "../fold/v3-fact-tables.ts";
import { foldFacts, followFacts, type StepsOf } from "./folded-index.ts";
import { createFactTables, hashOf, insertBlocks, insertFacts, pointAt } from "./index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "./reference-ledger.ts";

export const V3_CHAIN_ID = 31337;
export const V3_TOKENS = [tokenOf(1), tokenOf(2), tokenOf(3)];
/** In no pool of its own, but sent to one and to the zero address. */
export const V3_LONER = tokenOf(4);
export const V3_DECIMALS: Readonly<Record<string, number>> = {
  [tokenOf(1)]: 18,
  [tokenOf(2)]: 6,
  [tokenOf(3)]: 0,
  [tokenOf(4)]: 18,
};

export const v3Deployments = DEPLOYMENTS.map(({ flavour, factory, manager }) => ({
  flavour,
  factory: { address: factory, startBlock: 0 },
  positionManager: { address: manager, startBlock: 0 },
  swapRouter02: ZERO,
  quoterV2: ZERO,
  mixedRouteQuoterV1: null,
  defaultFeeProtocol: 0,
}));

export interface V3World extends V3History {
  /** What the tokens' own contracts logged. */
  transfers: readonly Fact[];
}

/** What a fact moves into its pool, per token; negative: out of it. */
export function flowOf(fact: V3Fact): [bigint, bigint] {
  switch (fact.kind) {
    case "mint":
    case "swap":
      return [fact.amount0, fact.amount1];
    case "collect":
    case "collectProtocol":
      return [-fact.amount0, -fact.amount1];
    case "flash":
      return [fact.paid0, fact.paid1];
    default:
      return [0n, 0n];
  }
}

const TRADER = accountOf(9);

class Transfers {
  readonly facts: Fact[] = [];
  #logs = 5_000;

  /** Later than every fact of the same block before it. */
  move(block: number, token: string, flow: Pick<Fact, "from" | "to" | "amount">): void {
    this.#logs += 1;
    this.facts.push({ kind: "transfer", block, logIndex: this.#logs, token, ...flow });
  }
}

/** Plain holders, the trader whom everything comes from, and something for the zero address. */
function endow(transfers: Transfers, token: string): void {
  transfers.move(10, token, { from: ZERO, to: TRADER, amount: 10n ** 60n });
  transfers.move(10, token, { from: ZERO, to: ZERO, amount: 1_000n });
  for (const n of [1, 2, 3])
    transfers.move(10, token, { from: TRADER, to: accountOf(n), amount: 10n ** 18n * BigInt(n) });
}

/** Pools of three tokens, with donations to pools of their own and foreign tokens, and plain holders. */
export function randomV3World(seed: string, size: { blocks: number; pools: number }): V3World {
  const history = randomV3History(seed, size);
  for (const [i, { created }] of history.pools.entries()) {
    const [token0, token1] = [V3_TOKENS[i % 3]!, V3_TOKENS[(i + 1) % 3]!].sort();
    Object.assign(created, { token0, token1 });
  }
  const pools = new Map(history.pools.map(({ created }) => [created.pool, [created.token0, created.token1]]));
  const transfers = new Transfers();
  for (const token of [...V3_TOKENS, V3_LONER]) endow(transfers, token);
  for (const [index, { fact, contract }] of history.facts.entries()) {
    for (const [side, token] of (pools.get(contract) ?? []).entries()) {
      const amount = flowOf(fact)[side]!;
      if (amount > 0n) transfers.move(fact.block, token, { from: TRADER, to: contract, amount });
      if (amount < 0n) transfers.move(fact.block, token, { from: contract, to: TRADER, amount: -amount });
    }
    // a little here and there, of a token that the pool may or may not be there to hold
    const gift = [...V3_TOKENS, V3_LONER][index % 4]!;
    if (index % 37 === 0 && pools.has(contract))
      transfers.move(fact.block, gift, { from: TRADER, to: contract, amount: 1n + BigInt(index) });
  }
  return { ...history, transfers: transfers.facts };
}

export interface V3Index {
  ponderSchema: string;
  foldSchema: string;
  finalized: number;
  /** A kodiak pool whose first protocol fee nobody has read yet. */
  unread?: string;
}

const stepsOf =
  (world: V3World, { foldSchema, unread }: V3Index): StepsOf =>
  (db, schemas) => [
    new FeesStoredV3Step(db, { schemas, deployments: DEPLOYMENTS, log: silent }, () =>
      storeInitialFees(
        db,
        { ...world, pools: world.pools.filter(({ constants }) => constants.pool !== unread) },
        foldSchema,
      ),
    ),
  ];

const silent = pino({ level: "silent" });

/** What happens once all fees have been read. */
export async function followV3Index(sql: Sql, world: V3World, index: V3Index): Promise<void> {
  await storeInitialFees(sql, world, index.foldSchema);
  await followFacts(sql, index, stepsOf(world, index));
}

/** Facts up to the head, folded up to the last final block; gateways pointed at it. */
export async function buildV3Index(sql: Sql, world: V3World, index: V3Index): Promise<void> {
  const { ponderSchema, foldSchema, finalized } = index;
  await createFactTables(sql, ponderSchema);
  await insertBlocks(sql, ponderSchema, { from: 0, to: world.head });
  await insertFacts(sql, ponderSchema, world.transfers);
  await insertV3Pools(
    sql,
    ponderSchema,
    world.pools.map(({ created }) => created),
  );
  await insertV3Facts(sql, ponderSchema, world.facts);
  const identity = { chainId: V3_CHAIN_ID, ponderSchema, foldSchema, firstBlock: 0, weth9: [], erc4626: [] };
  await foldFacts(sql, { ...identity, finalized }, stepsOf(world, index));
  for (const [token, decimals] of Object.entries(V3_DECIMALS))
    await sql`insert into ${sql(foldSchema)}.token values (${Buffer.from(token.slice(2), "hex")}, 'T', 'T', ${decimals}, 0, null)`;
  await pointAt(sql, { ...index, chainId: V3_CHAIN_ID, firstBlock: 0, head: world.head, facts: [] });
}

/** Finds the initial fees stored when it begins. */
class FeesStoredV3Step extends V3Step {
  readonly #store: () => Promise<void>;

  constructor(db: Sql, setting: ConstructorParameters<typeof V3Step>[1], store: () => Promise<void>) {
    super(db, setting);
    this.#store = store;
  }

  override async open(): Promise<void> {
    await this.#store();
    await super.open();
  }
}

/** What the chain reader stores for kodiak pools, above the last final block too. */
async function storeInitialFees(sql: Sql, { pools, facts }: V3History, foldSchema: string): Promise<void> {
  for (const { constants, deployment } of pools) {
    const first = facts.find(({ fact, contract }) => fact.kind === "initialize" && contract === constants.pool);
    if (deployment.flavour !== "kodiak" || !first) continue;
    const { block } = first.fact;
    await sql`insert into ${sql(foldSchema)}.v3_pool_fee values (${Buffer.from(constants.pool.slice(2), "hex")},
      ${constants.initialFeeProtocol0}, ${constants.initialFeeProtocol1}, ${block}, ${hashOf(block)}, 'slot0') on conflict do nothing`;
  }
}
