// A chain that can go on in more than one way after any of its newest blocks: each way is a possible history.
import { takeChanges } from "../../../core/v3/reducer.ts";
import { type Random, seedRandom } from "../../../devnet/scenario/random.ts";
import type { ForwardPool } from "../../core/v3-forward-pool.ts";
import { ZERO } from "../../support/reference-ledger.ts";
import { DEPLOYMENTS } from "../random-v3-history.ts";
import { BlockScribe, type FactRow } from "./block-scribe.ts";
import { actOnIslands, type IslandLife, type ReadSettings } from "./island-life.ts";
import { actOnTokens, move, newTokenLife, type TokenLife } from "./token-life.ts";
import { actOnV3, type InitialFee, newV3Life, stageOf, type V3Life } from "./v3-life.ts";
import { actOnVaults, newVaultLife, type VaultLife } from "./vault-life.ts";

interface Life {
  tokens: TokenLife;
  v3: V3Life;
  islands: IslandLife;
  vaults: VaultLife;
}

interface Ground {
  life: Life;
  forwards: Map<string, ForwardPool>;
}

export interface ChainBlock {
  number: number;
  hash: string;
  parent: ChainBlock | undefined;
  rows: readonly FactRow[];
  /** What only readers of the chain find. */
  fees: readonly InitialFee[];
  settings: readonly ReadSettings[];
}

const hashOf = (serial: number, number: number): string =>
  `0x${serial.toString(16).padStart(16, "0")}${number.toString(16).padStart(48, "0")}`;

/** Everything in `ground`, to go on with by itself. */
const cloned = ({ life, forwards }: Ground): Ground => ({
  life: structuredClone(life),
  forwards: new Map([...forwards].map(([pool, forward]) => [pool, forward.clone()])),
});

/** A fact that cannot be: its pool stops there. */
function corrupted(rows: FactRow[], random: Random): FactRow[] {
  const lies: Record<string, string | number> = { v3_swap: "tick", v3_initialize: "tick", v3_nft: "liquidity" };
  const victims = rows.filter(({ table, row }) => {
    const field = lies[table];
    return field !== undefined && row[field] !== undefined && row[field] !== null;
  });
  if (victims.length === 0) return rows;
  const victim = random.pick(victims);
  const field = String(lies[victim.table]);
  const value = Number(victim.row[field]) + 7;
  return rows.map((one) => (one === victim ? { ...one, row: { ...one.row, [field]: BigInt(value).toString() } } : one));
}

export class RandomChain {
  readonly genesis: ChainBlock = { number: 0, hash: hashOf(0, 0), parent: undefined, rows: [], fees: [], settings: [] };
  readonly #random: Random;
  readonly #grounds = new Map<ChainBlock, Ground>();
  #serial = 0;

  constructor(seed: string) {
    this.#random = seedRandom(seed);
    const life = { tokens: newTokenLife(), v3: newV3Life(), islands: [], vaults: newVaultLife() };
    this.#grounds.set(this.genesis, { life, forwards: new Map() });
  }

  /** Another block after `parent`, different every time. */
  grow(parent: ChainBlock): ChainBlock {
    const before = this.#grounds.get(parent);
    if (before === undefined) throw new Error(`block ${parent.number} is too old to go on from`);
    this.#serial += 1;
    const number = parent.number + 1;
    const ground = cloned(before);
    const scribe = new BlockScribe(number, this.#random.fork(`block ${this.#serial}`));
    const story = live(ground, scribe);
    const rows = scribe.random.chance(0.02) ? corrupted(scribe.rows(), scribe.random) : scribe.rows();
    const block = { number, hash: hashOf(this.#serial, number), parent, rows, ...story };
    this.#grounds.set(block, ground);
    return block;
  }

  /** Nothing goes on from blocks up to `number` any more. */
  forgetUpTo(number: number): void {
    for (const block of this.#grounds.keys()) if (block.number <= number) this.#grounds.delete(block);
  }
}

/** Now and then somebody sends a pool something: what it has is not what its events say, but enough for some of it. */
function payPools({ tokens, v3 }: Life, scribe: BlockScribe, random: Random): void {
  for (const { address, token0, token1 } of v3.pools) {
    if (!random.chance(0.1)) continue;
    const token = random.pick([token0, token1]);
    move(tokens, scribe, { token, from: ZERO, to: address, amount: random.amount(1n, 10n ** 24n) });
  }
}

function live({ life, forwards }: Ground, scribe: BlockScribe): Pick<ChainBlock, "fees" | "settings"> {
  const { random } = scribe;
  // a quiet block now and then
  if (random.chance(0.1)) return { fees: [], settings: [] };
  for (let acts = random.between(0, 6); acts > 0; acts -= 1) {
    scribe.nextTransaction();
    actOnTokens(life.tokens, scribe);
  }
  const fees = actOnV3(life.v3, forwards, scribe);
  const ids = new Map(DEPLOYMENTS.map((deployment, i) => [deployment, life.v3.ids[i]!]));
  const ground = {
    ...life,
    stage: (pool: V3Life["pools"][number]) => stageOf({ life: life.v3, forwards, ids }, scribe, pool),
  };
  const settings = actOnIslands(life.islands, scribe, ground);
  actOnVaults(life.vaults, scribe, life.tokens);
  payPools(life, scribe, random.fork("pools"));
  for (const world of life.v3.worlds) takeChanges(world);
  return { fees, settings };
}
