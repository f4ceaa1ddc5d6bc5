// From which block on a contract counts as an issuer instead of an account. Protocols say at one block which contracts do
// (`issuerKind`, `issuerAddresses`); over a range that follows from where each was announced, as an announced contract stays an issuer.
import { EVERY } from "../../core/ledgers/listing.ts";
import type { OpenProtocol } from "../backing/protocol.ts";
import { everyPool, poolsAmong } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { allIslands, islandsAmong } from "../protocols/island/islands-at.ts";
import { contractsOf } from "../protocols/vault/listed.ts";
import type { LedgerOver } from "./ledger-over.ts";

/** Beyond this many addresses it is cheaper to read all contracts than to seek each. */
const MOST_SOUGHT = 2_000;

interface Since {
  address: Address;
  /** The first block at whose end it is an issuer; it is one at every later block, too. */
  block: number;
}

interface Input {
  over: LedgerOver;
  to: BlockPoint;
  /** All protocols, at `to`. */
  open: readonly Pick<OpenProtocol, "issuerKind">[];
  addresses: readonly Address[];
}

/**
 * Those of `addresses` that are issuers at the last block, `to`, each with the first block of the range at whose end it is one.
 */
export async function issuerSince(
  context: OperationContext,
  { over, to, open, addresses }: Input,
): Promise<Map<Address, number>> {
  const wanted = new Set(addresses);
  const found = [
    ...(await listedSince(open, over, wanted)),
    ...(await announcedSince(context, to, wanted)),
    ...listedInChainFile(context).filter(({ block }) => block <= over.range.to),
  ];
  const since = new Map<Address, number>();
  for (const { address, block } of found)
    if (wanted.has(address))
      since.set(address, Math.max(over.range.from, Math.min(block, since.get(address) ?? Number.POSITIVE_INFINITY)));
  return since;
}

/** By the ledgers that list all contracts of a kind. */
async function listedSince(open: Input["open"], over: LedgerOver, wanted: ReadonlySet<Address>): Promise<Since[]> {
  const kinds = open.flatMap(({ issuerKind }) => issuerKind ?? []);
  const addresses = [...wanted];
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const asset = { kind, key: EVERY };
      if (addresses.length <= MOST_SOUGHT) {
        const steps = await over.amountsOver(addresses.map((account) => ({ ...asset, account })));
        return addresses.map((address, i) => ({ address, steps: steps[i] ?? [] }));
      }
      const [all] = await over.histories.holders.load([asset]);
      return [...(all ?? [])].map(([address, series]) => ({ address: address as Address, steps: series.steps }));
    }),
  );
  return lists.flat().flatMap(({ address, steps }) => {
    const first = steps.find(({ value }) => value > 0n);
    return first ? [{ address, block: first.from }] : [];
  });
}

async function announcedSince(
  { chain, snapshot }: OperationContext,
  to: BlockPoint,
  wanted: Set<Address>,
): Promise<Since[]> {
  const at = asOf(snapshot, to);
  const isFew = wanted.size <= MOST_SOUGHT;
  const pools = !chain.v3 ? [] : await (isFew ? poolsAmong(at, [...wanted]) : everyPool(at));
  const islands = !chain.islands ? [] : await (isFew ? islandsAmong(at, [...wanted]) : allIslands(at));
  return [...pools, ...islands].map(({ address, createdBlock }) => ({ address, block: createdBlock }));
}

/** Vaults that the chain file lists, and what holds for them, announced or not. */
const listedInChainFile = ({ chain }: OperationContext): Since[] =>
  chain.externalVaults.flatMap((vault) =>
    [vault.address, ...contractsOf(vault)].map((address) => ({ address, block: vault.startBlock })),
  );
