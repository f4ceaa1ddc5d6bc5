// What an index read: the contracts among its sources, by what is read of them. A lake names those that its rows come from, as
// existing segments stay as they are when a chain file changes.
import { z } from "zod";
import { listedIn } from "../chains/check/listed.ts";
import type { ContractGroup } from "../chains/indexing.ts";
import { indexingOfSources, type Sources } from "../chains/sources.ts";

const block = z.number().int().min(0);

/** By what is read of them, as `Indexing` names it; kinds without contracts are left out. */
export const readContractsSchema = z.record(
  z.string(),
  z.strictObject({
    /** All of them are read from this block on. */
    from: block,
    /** The block that the chain file gives for each; for `all` tokens the chain's first block. */
    contracts: z.record(z.string(), block),
  }),
);

export type ReadContracts = z.infer<typeof readContractsSchema>;
type Group = ReadContracts[string];

export function readContracts(sources: Sources, chainId: number): ReadContracts {
  const { chainId: _, startBlock, tokens, weth9, shareVaults, ...groups } = indexingOfSources(sources, chainId);
  const begins = new Map<string, number>();
  for (const { address, startBlock: own } of listedIn(sources))
    if (own) begins.set(address, Math.min(own.block, begins.get(address) ?? own.block));
  const all: Record<string, ContractGroup> = {
    weth9: { addresses: weth9, startBlock },
    ...groups,
    // where all tokens are read, shares are among them
    ...(tokens === "all" ? {} : { tokens: { addresses: tokens, startBlock }, shareVaults }),
  };
  const read = Object.entries(all)
    .filter(([, { addresses }]) => addresses.length > 0)
    .map(([kind, { addresses, startBlock: from }]): [string, Group] => {
      const starts = addresses.map((address) => [address, Math.max(startBlock, begins.get(address) ?? from)] as const);
      return [kind, { from, contracts: Object.fromEntries(starts) }];
    });
  const everyToken: Group = { from: startBlock, contracts: { all: startBlock } };
  return { ...(tokens === "all" ? { tokens: everyToken } : {}), ...Object.fromEntries(read) };
}

/** Whether transfers of a token were read because the chain file lists it, or because it lists all. */
export const isTokenRead = ({ tokens, shareVaults }: ReadContracts, token: string): boolean =>
  tokens?.contracts.all !== undefined || [tokens, shareVaults].some((group) => group?.contracts[token] !== undefined);

/**
 * What `now` has of blocks up to `last` that `before` has not, or the other way round: a line each, for people. A contract has no
 * events before the block that the chain file gives for it (every start checks that), so that only what begins by `last` matters.
 */
export const changesUpTo = (last: number, { before, now }: { before: ReadContracts; now: ReadContracts }): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((kind) => {
    const [was, is] = [before[kind], now[kind]];
    return [...new Set([...Object.keys(was?.contracts ?? {}), ...Object.keys(is?.contracts ?? {})])].flatMap(
      (contract) => {
        const change = changeOf(contract, was, is);
        return change === undefined || change.block > last ? [] : [`${kind} ${contract} ${change.text}`];
      },
    );
  });

/** `block`: the first that may have other rows. */
function changeOf(
  contract: string,
  was: Group | undefined,
  is: Group | undefined,
): { block: number; text: string } | undefined {
  const [before, now] = [was?.contracts[contract], is?.contracts[contract]];
  if (before === undefined) return { block: now ?? 0, text: `was added, from block ${now} on` };
  if (now === undefined) return { block: before, text: `was taken out, read from block ${before} on` };
  // all are read from the same block, so that it has the same rows whatever the chain file says about it
  if (before === now || was?.from === is?.from) return undefined;
  return { block: Math.min(before, now), text: `begins with block ${now}, not ${before}` };
}
