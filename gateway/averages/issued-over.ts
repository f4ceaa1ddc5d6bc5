// What the protocols that read only the additive ledgers say over a range of blocks, by their own code for one block. Each
// contract is worked out by itself: so a change of one contract does not affect another.
import type { BackingSteps } from "../../core/averages/backing-over.ts";
import { merged, type Steps } from "../../core/averages/steps.ts";
import { STAKE } from "../../core/ledgers/stake.ts";
import type { Backing } from "../../core/lookthrough/backing.ts";
import type { HeldAs } from "../backing/held-as.ts";
import type { IssuedAsset, LookThroughContext, OpenProtocol, Protocol } from "../backing/protocol.ts";
import { vaultsAmong } from "../backing/stake.ts";
import { brokenLedgers } from "../backing/stopped.ts";
import { ledgerProtocols } from "../balances/registry.ts";
import { asOf } from "../history/as-of.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import type { BlockPoint } from "../history/point.ts";
import { requireTime } from "../history/require-time.ts";
import type { Address } from "../parameters.ts";
import type { LedgerOver } from "./ledger-over.ts";
import type { MovingLedger } from "./moving-ledger.ts";
import { WholeRangeLedger } from "./whole-range-ledger.ts";

/** What an issuer's holding of one asset is over the range; undefined while it is not there to hold it. */
export interface BackingOver {
  address: Address;
  /** The id of what is held. */
  asset: string;
  backing: BackingSteps;
}

/** Something issued. Of stakes and share tokens it is known how much there is in all. */
export interface IssuedAssetOver {
  id: string;
  issuer: string;
  heldAs: HeldAs;
  supply: Steps<bigint>;
}

interface IssuedOver {
  /** Each of an address and an asset once. */
  issuers: readonly BackingOver[];
  /** Every asset that a claim names at some block. */
  assets: readonly IssuedAssetOver[];
}

/** The ledger asset that an id of the look-through names: a token's, or a stake's. */
export function ledgerAssetOf(id: string): LedgerAsset | undefined {
  const [kind, key, ...more] = id.split(":");
  const isOne = (kind === "erc20" || kind === STAKE) && key !== undefined && more.length === 0;
  return isOne ? { kind, key } : undefined;
}

/**
 * Everyone who is there to hold one of `assets` (ids) at some block of the range that `over` is of and ends at `to`, and does hold
 * some then; with `among` of these contracts alone.
 * @throws RequestTooLongError
 */
export async function issuedOver(
  context: LookThroughContext,
  { over, to, assets, among }: { over: LedgerOver; to: BlockPoint; assets: readonly string[]; among?: Among },
): Promise<IssuedOver> {
  const broken = vaultsAmong([...(await brokenLedgers(asOf(context.snapshot, to))).keys()]);
  const parts = { over, to, among, broken };
  const found = await Promise.all(
    ledgerProtocols.map((protocol) => new ProtocolOver(context, { protocol, ...parts }).issuedAgainst(assets)),
  );
  const issuers = new Map<string, BackingOver>();
  const issued = new Map<string, IssuedAsset>();
  for (const one of found) {
    for (const [id, asset] of one.assets) issued.set(id, asset);
    for (const backed of one.issuers) {
      const name = `${backed.address} ${backed.asset}`;
      const before = issuers.get(name);
      issuers.set(name, before ? { ...backed, backing: overlaid(before.backing, backed.backing) } : backed);
    }
  }
  return { issuers: [...issuers.values()], assets: await suppliesOf(over, namedBy([...issuers.values()], issued)) };
}

function namedBy(issuers: readonly BackingOver[], issued: ReadonlyMap<string, IssuedAsset>): IssuedAsset[] {
  const named = new Set<string>();
  for (const { backing } of issuers)
    for (const { value } of backing) for (const { asset } of value?.claims ?? []) named.add(asset);
  return [...named].flatMap((id) => issued.get(id) ?? []);
}

async function suppliesOf(over: LedgerOver, assets: readonly IssuedAsset[]): Promise<IssuedAssetOver[]> {
  const supplies = await over.totalsOver(assets.flatMap(({ id }) => ledgerAssetOf(id) ?? []));
  return assets.map(({ id, issuer, heldAs }, i) => ({ id, issuer, heldAs, supply: supplies[i] ?? [] }));
}

/** The only contracts that are wanted; undefined: all. */
type Among = ReadonlySet<Address> | undefined;

interface Parts {
  protocol: Protocol;
  over: LedgerOver;
  to: BlockPoint;
  among: Among;
  /** Nobody can say who has staked in these: so any contract may have. */
  broken: readonly Address[];
}

/** One contract that holds some of `asset` at some block. */
interface Candidate {
  contract: Address;
  asset: string;
}

class ProtocolOver {
  readonly #context: LookThroughContext;
  readonly #protocol: Protocol;
  readonly #over: LedgerOver;
  readonly #to: BlockPoint;
  readonly #among: Among;
  readonly #broken: readonly Address[];
  readonly #assets = new Map<string, IssuedAsset>();

  constructor(context: LookThroughContext, { protocol, over, to, among, broken }: Parts) {
    this.#context = context;
    this.#protocol = protocol;
    this.#over = over;
    this.#to = to;
    this.#among = among;
    this.#broken = broken;
  }

  async issuedAgainst(
    assets: readonly string[],
  ): Promise<{ issuers: BackingOver[]; assets: Map<string, IssuedAsset> }> {
    const wholeRange = new WholeRangeLedger(this.#over.histories);
    const open = await this.#protocol.open({ ...this.#context, ledger: wholeRange }, this.#to);
    wholeRange.isOpening = false;
    const issuers: BackingOver[] = [];
    if (!open) return { issuers, assets: this.#assets };
    await open.issuedAgainst(assets);
    for (const asset of assets) {
      const holders = wholeRange.holdersOf(ledgerAssetOf(asset) ?? { kind: "", key: "" });
      for (const contract of holders) {
        if (this.#among && !this.#among.has(contract)) continue;
        const stakedIn = new Set([...wholeRange.stakedIn(contract), ...this.#broken]);
        const backing = await this.#backingOf({ contract, asset }, stakedIn);
        if (backing.some(({ value }) => value !== undefined)) issuers.push({ address: contract, asset, backing });
      }
    }
    return { issuers, assets: this.#assets };
  }

  async #backingOf({ contract, asset }: Candidate, stakedIn: ReadonlySet<string>): Promise<BackingSteps> {
    const held = [asset];
    let open: OpenProtocol | undefined;
    let openUntil = this.#over.range.from;
    const steps = await this.#over.stepsOf(
      async (ledger, block) => {
        requireTime(this.#context);
        if (block >= openUntil) {
          open = await this.#open(ledger, block);
          openUntil = ledger.until;
        } else ledger.holdUntil(openUntil);
        const issued = await open?.issuedAgainst(held);
        if (!issued) return undefined;
        for (const one of issued.assets) if (!this.#assets.has(one.id)) this.#assets.set(one.id, one);
        // of several the last one counts, as at a block
        return issued.issuers
          .findLast(({ address, backings }) => address === contract && backings.has(asset))
          ?.backings.get(asset);
      },
      { contract, stakedIn },
    );
    return withoutSame(steps);
  }

  /** All that a protocol knows of the block beyond the ledger is which vaults of the chain file are there. */
  async #open(ledger: MovingLedger, block: number): Promise<OpenProtocol | undefined> {
    for (const { startBlock } of this.#context.chain.externalVaults)
      if (startBlock > block) ledger.holdUntil(startBlock);
    return this.#protocol.open({ ...this.#context, ledger }, { ...this.#to, block });
  }
}

/** Where `upper` has something it counts, else `lower`. */
const overlaid = (lower: BackingSteps, upper: BackingSteps): BackingSteps =>
  merged([lower, upper]).map(({ from, value: [under, above] }) => ({ from, value: above ?? under }));

function withoutSame(steps: BackingSteps): BackingSteps {
  const distinct: BackingSteps[number][] = [];
  for (const step of steps) {
    const last = distinct.at(-1);
    if (!last || !isSame(last.value, step.value)) distinct.push(step);
  }
  return distinct;
}

function isSame(a: Backing | undefined, b: Backing | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.expected === b.expected &&
    a.remainder === b.remainder &&
    String(a.needs ?? []) === String(b.needs ?? []) &&
    a.claims.length === b.claims.length &&
    a.reserves.length === b.reserves.length &&
    a.claims.every((claim, i) => isSameClaim(claim, b.claims[i])) &&
    a.reserves.every(({ reason, amount }, i) => reason === b.reserves[i]?.reason && amount === b.reserves[i]?.amount)
  );
}

const isSameClaim = (a: Backing["claims"][number], b: Backing["claims"][number] | undefined): boolean =>
  a.asset === b?.asset && a.amount === b.amount && a.principal === b.principal;
