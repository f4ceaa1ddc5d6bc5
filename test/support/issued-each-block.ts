// What the protocols that read ledgers say at each block by itself, beside what they say of a whole range.
import { expect } from "vitest";
import { valueAt } from "../../core/averages/steps.ts";
import type { Backing } from "../../core/lookthrough/backing.ts";
import { issuedOver } from "../../gateway/averages/issued-over.ts";
import { issuerSince } from "../../gateway/averages/issuer-since.ts";
import { LedgerOver } from "../../gateway/averages/ledger-over.ts";
import { type BrokenLedgers, brokenLedgers } from "../../gateway/backing/stopped.ts";
import { issuersText, openAll, readIssuersAmong } from "../../gateway/balances/issued.ts";
import { ledgerProtocols } from "../../gateway/balances/registry.ts";
import { type OperationContext, RequestScope, type Service } from "../../gateway/context.ts";
import { asOf } from "../../gateway/history/as-of.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { type BlockPoint, pointOf } from "../../gateway/history/point.ts";
import type { Address } from "../../gateway/parameters.ts";

export const pointAt = (context: OperationContext, number: number): Promise<BlockPoint> =>
  pointOf(context, blockNumbered(number));

/** What `ask` gives within one request. */
export async function withinRequest<T>(service: Service, ask: (context: OperationContext) => Promise<T>): Promise<T> {
  const scope = new RequestScope(service);
  try {
    return await scope.run({ name: "test", run: (_: undefined, context: OperationContext) => ask(context) }, undefined);
  } finally {
    await scope.close();
  }
}

export async function openRange(context: OperationContext, { from, to }: { from: number; to: number }) {
  const points = { from: await pointAt(context, from), to: await pointAt(context, to) };
  return { over: new LedgerOver(context.snapshot, points), to: points.to };
}

/** Backings by address and asset, and what is issued by id, from the ledgers of that block. */
async function issuedAt(context: OperationContext, block: number, ids: readonly string[]) {
  const point = await pointAt(context, block);
  const backings = new Map<string, Backing>();
  const assets = new Map<string, { issuer: string; heldAs: unknown; supply: bigint }>();
  for (const protocol of ledgerProtocols) {
    const issued = await (await protocol.open(context, point))?.issuedAgainst(ids);
    for (const { address, backings: own } of issued?.issuers ?? [])
      for (const [asset, backing] of own) backings.set(`${address} ${asset}`, backing);
    for (const { id, issuer, heldAs, holdings } of issued?.assets ?? [])
      assets.set(id, { issuer, heldAs, supply: holdings.reduce((sum, { amount }) => sum + amount, 0n) });
  }
  return { backings, assets };
}

interface Compared {
  from: number;
  to: number;
  /** At which both are compared. */
  blocks: readonly number[];
  assets: readonly string[];
}

/** With those of its needs that matter, in any order: over a range only vaults are asked in which a contract has, or may have, a stake. */
const needing = ({ needs = [], ...backing }: Backing, broken: BrokenLedgers) => ({
  ...backing,
  needs: needs.filter((asset) => broken.has(asset)).sort(),
});

/** How many backings were compared, each with the supplies of what claims it. */
export async function compareIssued(context: OperationContext, { assets: ids, blocks, ...range }: Compared) {
  const { over, to } = await openRange(context, range);
  const issued = await issuedOver(context, { over, to, assets: ids });
  const byId = new Map(issued.assets.map((asset) => [asset.id, asset]));
  const broken = await brokenLedgers(asOf(context.snapshot, to));
  let compared = 0;
  for (const block of blocks) {
    const { backings, assets } = await issuedAt(context, block, ids);
    const expected = new Map([...backings].map(([name, backing]) => [name, needing(backing, broken)]));
    const here = issued.issuers.flatMap(({ address, asset, backing }) => {
      const value = valueAt(backing, block);
      return value ? [[`${address} ${asset}`, needing(value, broken)] as const] : [];
    });
    expect(here.length).toBe(new Set(here.map(([name]) => name)).size);
    expect(new Map(here)).toEqual(expected);
    for (const claimed of [...backings.values()].flatMap(({ claims }) => claims)) {
      const asset = byId.get(claimed.asset);
      const shown = asset && { issuer: asset.issuer, heldAs: asset.heldAs, supply: valueAt(asset.supply, block) };
      expect(shown).toEqual(assets.get(claimed.asset));
    }
    compared += backings.size;
  }
  return compared;
}

/** How many contracts were compared. */
export async function compareIssuerSince(
  context: OperationContext,
  { blocks, addresses, ...range }: Omit<Compared, "assets"> & { addresses: readonly Address[] },
): Promise<number> {
  const { over, to } = await openRange(context, range);
  const since = await issuerSince(context, { over, to, open: await openAll(context, to), addresses });
  for (const block of blocks) {
    const point = await pointAt(context, block);
    const at = asOf(context.snapshot, point);
    const text = issuersText(at.fold, await openAll(context, point));
    const among = await readIssuersAmong(at, text, addresses);
    const expected = addresses.filter((address) => (since.get(address) ?? Number.POSITIVE_INFINITY) <= block);
    expect(expected.toSorted()).toEqual(among.toSorted());
  }
  return since.size;
}
