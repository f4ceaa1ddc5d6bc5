// Pools of the list at a block, and what their contracts say of each number that they show.
import { type Address, type PublicClient, parseAbi, zeroAddress } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { FarmRecord, VaultRecord } from "../../gateway/catalogue/vault-record.ts";
import { RequestScope, type Service } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { FIRST_PAGE, type VaultsPage, vaultsPage } from "../../gateway/questions/vaults.ts";
import { type Read, readAll } from "../../verify/pool-contracts.ts";

export const vaultViewAbi = parseAbi([
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function symbol() view returns (string)",
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function pool() view returns (address)",
  "function fee() view returns (uint24)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)",
  "function lowerTick() view returns (int24)",
  "function upperTick() view returns (int24)",
  "function manager() view returns (address)",
  "function managerFeeBPS() view returns (uint16)",
  "function managerTreasury() view returns (address)",
  "function getUnderlyingBalances() view returns (uint256, uint256)",
  "function stakeToken() view returns (address)",
  "function stakingToken() view returns (address)",
  "function totalLiquidityLocked() view returns (uint256)",
  "function lockedLiquidityOf(address) view returns (uint256)",
  "function periodFinish() view returns (uint256)",
  "function getAllRewardTokens() view returns (address[])",
  "function getAllRewardRates() view returns (uint256[])",
  "function incentives(address) view returns (uint256, uint256, uint256, address)",
  "function isWhitelistedVault(address) view returns (bool)",
  "function asset() view returns (address)",
  "function totalAssets() view returns (uint256)",
]);

/** Every pool at the block, with what `user` has of them where one is asked about. */
export async function listAt(service: Service, block: number, user?: Address): Promise<VaultsPage> {
  const scope = new RequestScope(service);
  const choice = blockNumbered(block);
  try {
    return await scope.run(vaultsPage, { block: choice, user, filter: {}, page: { ...FIRST_PAGE, limit: 1_000 } });
  } finally {
    await scope.close();
  }
}

interface Expected extends Read {
  answered: unknown;
  /** Of an answer with several values. */
  pick?: (answer: readonly unknown[]) => unknown;
}

/** What a view must answer. */
type View = readonly [view: string, answered: unknown, more?: Partial<Expected>];

const viewsOf = (address: Address, views: readonly View[]): Expected[] =>
  views.map(([functionName, answered, more]) => ({
    ...{ address, abi: vaultViewAbi, functionName, args: [], answered },
    ...more,
  }));

const all = { pick: (answer: readonly unknown[]) => [...answer] };

function islandReads(vault: VaultRecord): Expected[] {
  const isManaged = vault.managerTreasury !== undefined;
  return [
    ...viewsOf(vault.address, [
      ["pool", vault.pool],
      ["lowerTick", vault.lowerTick],
      ["upperTick", vault.upperTick],
      ["managerFeeBPS", vault.managerFeeBps],
      ["manager", isManaged, { pick: ([manager]) => manager !== zeroAddress }],
      ["getUnderlyingBalances", vault.amounts, all],
      ...(isManaged ? [["managerTreasury", vault.managerTreasury] as const] : []),
    ]),
    ...viewsOf(vault.pool, [
      ["fee", vault.feeTier],
      ["slot0", vault.currentTick, { pick: ([, tick]) => tick }],
    ]),
  ];
}

const pairReads = ({ address, token0, token1, amounts }: VaultRecord): Expected[] =>
  [token0, token1].flatMap((token, i) => viewsOf(token, [["balanceOf", amounts?.[i as 0 | 1], { args: [address] }]]));

function farmReads(farm: FarmRecord, { stables, rewardVaults }: ChainFile): Expected[] {
  const { address, staked, stakingToken, pays, incentives } = farm;
  if (farm.kind === "farm")
    return viewsOf(address, [
      ["stakingToken", stakingToken],
      ["totalLiquidityLocked", staked],
      ["periodFinish", farm.periodFinish],
      ["getAllRewardTokens", pays?.map(({ token }) => token), all],
      ["getAllRewardRates", pays?.map(({ rate }) => rate), all],
    ]);
  const left = (token: Address) => incentives.find((one) => one.token === token)?.remaining ?? 0n;
  const incentiveViews = stables.map(
    ({ address: token }): View => ["incentives", left(token), { args: [token], pick: ([, , remaining]) => remaining }],
  );
  return [
    ...viewsOf(address, [["stakeToken", stakingToken], ["totalSupply", staked], ...incentiveViews]),
    ...viewsOf(rewardVaults?.beraChef?.address ?? zeroAddress, [
      ["isWhitelistedVault", farm.isWhitelisted, { args: [address] }],
    ]),
  ];
}

function tokenReads({ entries, tokens }: VaultsPage): Expected[] {
  const shown = new Set(entries.flatMap(({ vault }) => [vault.address, vault.token0, vault.token1]));
  return [...shown].flatMap((token) => {
    const { symbol, name, decimals } = tokens.get(token)?.metadata ?? {};
    const results = [
      ["symbol", symbol],
      ["name", name],
      ["decimals", decimals],
    ] as const;
    // what a contract does not say is checked in another test
    return viewsOf(
      token,
      results.filter(([, answered]) => answered !== undefined),
    );
  });
}

const vaultReads = (vault: VaultRecord, chain: ChainFile): Expected[] => [
  ...viewsOf(vault.address, [
    ["totalSupply", vault.supply],
    ["token0", vault.token0],
    ["token1", vault.token1],
  ]),
  ...(vault.provider === "kodiak" ? islandReads(vault) : pairReads(vault)),
  ...vault.farms.flatMap((farm) => farmReads(farm, chain)),
  ...vault.baults.flatMap(({ bault, asset, totalAssets, totalSupply }) =>
    viewsOf(bault, [
      ["asset", asset],
      ["totalAssets", totalAssets],
      ["totalSupply", totalSupply],
    ]),
  ),
];

const asText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(asText).join()}]` : String(value).toLowerCase();

/** Names and lists make long answers: all of a request must fit into 24 KiB. */
const READS_AT_ONCE = 60;

/** What differs, one line each; counts in `compared` how often each view was asked. */
export async function compareWithContracts(
  { client, chain }: { client: PublicClient; chain: ChainFile },
  page: VaultsPage,
  compared: Map<string, number>,
): Promise<string[]> {
  const { block } = page.point;
  const expected = [...tokenReads(page), ...page.entries.flatMap(({ vault }) => vaultReads(vault, chain))];
  const answers: (readonly unknown[] | undefined)[] = [];
  for (let from = 0; from < expected.length; from += READS_AT_ONCE)
    answers.push(...(await readAll(client, expected.slice(from, from + READS_AT_ONCE), block)));
  return expected.flatMap(({ address, functionName, answered, pick }, i) => {
    const answer = answers[i];
    compared.set(functionName, (compared.get(functionName) ?? 0) + 1);
    const said = answer && asText(pick ? pick(answer) : answer[0]);
    if (said === asText(answered)) return [];
    return [`${address} at ${block}: ${functionName} is ${asText(answered)}, contract ${said}`];
  });
}
