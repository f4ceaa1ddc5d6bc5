// Islands on anvil beside two reducers that see their logs alone: one is given what the contracts say at the end of blocks that
// leave something open, as the fold is; the other is given nothing.
import { type Address, type Log, parseEventLogs } from "viem";
import { type IslandFact, OPEN_SETTINGS } from "../../../core/island/facts.ts";
import { applyIslandFact, createIslandWorld, endIslandBlock, type IslandWorld } from "../../../core/island/reducer.ts";
import type { FoldedIsland } from "../../../core/island/state.ts";
import { ZERO_ADDRESS } from "../../../core/zero-address.ts";
import { islandAbi, islandFactoryAbi, mintableTokenAbi, uniswapV3PoolAbi } from "../../../devnet/artifacts/abis.ts";
import type { TestChain } from "./test-chain.ts";

export interface IslandOnChain {
  island: Address;
}

const lower = (address: string): string => address.toLowerCase();
const SETTINGS = ["tickLower", "tickUpper", "managerFeeBps", "treasury"] as const;

interface OnChain {
  tickLower: number;
  tickUpper: number;
  managerFeeBps: number;
  treasury: string;
  manager: string;
  managerBalance0: bigint;
  managerBalance1: bigint;
}

export class IslandWorlds {
  readonly stops: string[] = [];
  readonly compared = { values: 0, derived: 0, open: 0 };
  readonly #chain: TestChain;
  readonly #pool: Address;
  readonly #tokens: readonly [Address, Address];
  readonly #read: IslandWorld = createIslandWorld();
  readonly #derived: IslandWorld = createIslandWorld();

  constructor(chain: TestChain, { pool, tokens }: { pool: Address; tokens: readonly [Address, Address] }) {
    this.#chain = chain;
    this.#pool = pool;
    this.#tokens = tokens;
  }

  get islands(): number {
    return this.#read.islands.size;
  }

  /** Applies a block's logs; how many facts they were, and how many islands changed their settings more than once in it. */
  async take(block: number, logs: readonly Log[]): Promise<{ facts: number; several: number }> {
    const facts = [...logs]
      .sort((a, b) => Number(a.logIndex) - Number(b.logIndex))
      .flatMap((log) => this.#factOf(block, log));
    const changes = new Map<string, number>();
    for (const fact of facts) {
      const { kind, island } = fact;
      const isOpen = kind === "created" || kind === "renounced";
      if (isOpen || kind === "params" || kind === "rebalance") changes.set(island, (changes.get(island) ?? 0) + 1);
      const settings = isOpen ? await this.#view(island as Address) : undefined;
      this.#apply(this.#read, isOpen ? { ...fact, settings } : fact);
      this.#apply(this.#derived, isOpen ? { ...fact, settings: OPEN_SETTINGS } : fact);
    }
    for (const world of [this.#read, this.#derived])
      this.stops.push(...endIslandBlock(world).stops.map(({ message }) => message));
    return { facts: facts.length, several: [...changes.values()].filter((n) => n > 1).length };
  }

  /** What a reducer has otherwise than the contract, in sentences; what is not determined is not compared. */
  async differences(lives: readonly IslandOnChain[]): Promise<string[]> {
    const found: string[] = [...this.stops];
    for (const { island } of lives) {
      const chain = await this.#view(island);
      const [read, derived] = [this.#read.islands.get(island), this.#derived.islands.get(island)];
      if (!read || !derived) {
        found.push(`${island} is missing`);
        continue;
      }
      found.push(...this.#compare(read, derived, chain).map((difference) => `${island} ${difference}`));
    }
    return found;
  }

  #compare(read: FoldedIsland, derived: FoldedIsland, chain: OnChain): string[] {
    const found: string[] = [];
    for (const [field, value] of Object.entries(chain) as [keyof OnChain, unknown][]) {
      this.compared.values += 1;
      if (read[field] !== value) found.push(`${field}: ${read[field]} folded, ${value} on chain`);
      const isOpen = derived[field] === undefined && SETTINGS.some((one) => one === field);
      this.compared[isOpen ? "open" : "derived"] += 1;
      if (!isOpen && derived[field] !== value) found.push(`${field}: ${derived[field]} derived, ${value} on chain`);
    }
    return found;
  }

  #apply(world: IslandWorld, fact: IslandFact): void {
    const stop = applyIslandFact(world, fact);
    if (stop) this.stops.push(stop.message);
  }

  async #view(island: Address): Promise<OnChain> {
    const read = <T>(call: string) => this.#chain.read<T>({ to: island, abi: islandAbi, call });
    const [tickLower, tickUpper, managerFeeBps, treasury, manager, managerBalance0, managerBalance1] =
      await Promise.all([
        read<number>("lowerTick"),
        read<number>("upperTick"),
        read<number>("managerFeeBPS"),
        read<string>("managerTreasury"),
        read<string>("manager"),
        read<bigint>("managerBalance0"),
        read<bigint>("managerBalance1"),
      ]);
    return {
      ...{ tickLower, tickUpper, managerFeeBps, managerBalance0, managerBalance1 },
      ...{ treasury: lower(treasury), manager: lower(manager) },
    };
  }

  #factOf(block: number, log: Log): IslandFact[] {
    const emitter = lower(log.address);
    const at = { block, logIndex: Number(log.logIndex), txIndex: Number(log.transactionIndex) };
    if (emitter === lower(this.#chain.at.islands.factory)) return this.#created(at, log);
    if (emitter === lower(this.#pool)) return this.#ofPool(at, log);
    const side = this.#tokens.findIndex((token) => lower(token) === emitter);
    if (side >= 0) return this.#paid(at, log, side === 0 ? 0 : 1);
    return this.#read.islands.has(emitter) || this.#isNew(emitter) ? ofIsland({ ...at, island: emitter }, log) : [];
  }

  readonly #announced = new Set<string>();
  #isNew(island: string): boolean {
    return this.#announced.has(island);
  }

  #created(at: Place, log: Log): IslandFact[] {
    return parseEventLogs({ abi: islandFactoryAbi, eventName: "IslandCreated", logs: [log] }).map(({ args }) => {
      const island = lower(args.island);
      this.#announced.add(island);
      const [token0, token1] = this.#tokens;
      const more = { pool: lower(this.#pool), token0, token1, manager: lower(args.manager), settings: undefined };
      return { kind: "created", ...at, island, ...more };
    });
  }

  #ofPool(at: Place, log: Log): IslandFact[] {
    return parseEventLogs({ abi: uniswapV3PoolAbi, eventName: ["Burn", "Collect"], logs: [log] }).flatMap(
      ({ eventName, args }) => {
        const island = lower(args.owner);
        if (!this.#announced.has(island)) return [];
        const { amount0, amount1 } = args;
        return [{ kind: eventName === "Burn" ? "poolBurn" : "poolCollect", ...at, island, amount0, amount1 } as const];
      },
    );
  }

  #paid(at: Place, log: Log, side: 0 | 1): IslandFact[] {
    return parseEventLogs({ abi: mintableTokenAbi, eventName: "Transfer", logs: [log] }).flatMap(({ args }) => {
      const { from, to, value } = args as { from: string; to: string; value: bigint };
      const island = lower(from);
      if (!this.#announced.has(island) || value === 0n) return [];
      return [{ kind: "transferOut", ...at, island, side, to: lower(to), amount: value } as const];
    });
  }
}

type Place = Pick<IslandFact, "block" | "logIndex" | "txIndex">;

function ofIsland(at: Place & { island: string }, log: Log): IslandFact[] {
  return parseEventLogs({ abi: islandAbi, logs: [log] }).flatMap((event): IslandFact[] => {
    switch (event.eventName) {
      case "FeesEarned":
        return [{ kind: "fees", ...at, amount0: event.args.feesEarned0, amount1: event.args.feesEarned1 }];
      case "Burned":
        return [{ kind: "burned", ...at, receiver: lower(event.args.receiver) }];
      case "Rebalance":
        return [{ kind: "rebalance", ...at, tickLower: event.args.lowerTick_, tickUpper: event.args.upperTick_ }];
      case "UpdateManagerParams": {
        const { managerFeeBPS, managerTreasury } = event.args;
        return [{ kind: "params", ...at, managerFeeBps: managerFeeBPS, treasury: lower(managerTreasury) }];
      }
      case "OwnershipTransferred": {
        const manager = lower(event.args.newManager);
        if (manager === ZERO_ADDRESS) return [{ kind: "renounced", ...at, settings: undefined }];
        return [{ kind: "newManager", ...at, manager }];
      }
      default:
        return [];
    }
  });
}
