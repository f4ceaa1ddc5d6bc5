// Compares every vault, pair and island with its own contract at a block: who has how much of it, how much there is of it,
// what it takes, and what all of it is worth.
import { type Abi, type Address, maxUint256, type PublicClient, parseAbi } from "viem";
import { asText, type Read, readAll } from "./pool-contracts.ts";
import type { ServedVault, VaultKind } from "./served-vaults.ts";
import { type Differing, type Quirks, readQuirks } from "./vault-quirks.ts";

const abi: Abi = parseAbi([
  "function totalSupply() view returns (uint256)",
  "function totalLiquidityLocked() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function lockedLiquidityOf(address) view returns (uint256)",
  "function stakeToken() view returns (address)",
  "function stakingToken() view returns (address)",
  "function asset() view returns (address)",
  "function want() view returns (address)",
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function totalAssets() view returns (uint256)",
  "function balance() view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function getUnderlyingBalances() view returns (uint256, uint256)",
  "function reservedAssets() view returns (uint256)",
]);

interface Views {
  supply: string;
  held: string;
  /** One for each token. */
  takes: readonly string[];
  /** All that its holders may take; absent: what it holds of each token, all of which is theirs. */
  backing?: string;
  /** The view that says what a number of shares is worth. */
  worth?: string;
  /** What waits to be withdrawn. */
  waiting?: string;
}

const shares = { supply: "totalSupply", held: "balanceOf" };
const erc4626 = { ...shares, takes: ["asset"], backing: "totalAssets", worth: "convertToAssets" };
const pairTokens = ["token0", "token1"];

const views: Record<VaultKind, Views> = {
  "reward-vault": { ...shares, takes: ["stakeToken"], backing: "totalSupply" },
  farm: {
    supply: "totalLiquidityLocked",
    held: "lockedLiquidityOf",
    takes: ["stakingToken"],
    backing: "totalLiquidityLocked",
  },
  infrared: { ...shares, takes: ["stakingToken"], backing: "totalSupply" },
  staking: { ...shares, takes: [], backing: "totalSupply" },
  bault: erc4626,
  erc4626,
  "erc4626-queued": { ...erc4626, waiting: "reservedAssets" },
  beefy: { ...shares, takes: ["want"], backing: "balance" },
  "v2-pair": { ...shares, takes: pairTokens },
  island: { ...shares, takes: pairTokens, backing: "getUnderlyingBalances" },
};

/** What was compared of one kind, over all blocks. */
export interface KindReport {
  vaults: Set<Address>;
  /** Numbers compared, by the view that returns them. */
  compared: Map<string, number>;
  differences: number;
  noted: string[];
  /** Numbers that differ for a reason known of the contract, by that reason. */
  quirks: Map<string, Quirk>;
  stopped: Set<Address>;
  /** Left out, as a ledger that they need broke, so answers say nothing about it. */
  unanswered: Set<Address>;
}

export interface Quirk {
  numbers: number;
  /** By how much one of them differs at most, raw units. */
  most: bigint;
}

export interface VaultsReport {
  kinds: Map<VaultKind, KindReport>;
  /** By vault: accounts that had some of it at an earlier block, which are compared again when they have none. */
  everHeld: Map<Address, Set<string>>;
}

export const emptyVaultsReport = (): VaultsReport => ({ kinds: new Map(), everHeld: new Map() });

interface Expectation {
  vault: ServedVault;
  read: Read;
  served: readonly (bigint | Address)[];
}

const MOST_NOTED = 10;

/** @throws Error when the node cannot answer */
export async function compareVaults(
  client: PublicClient,
  { vaults, block }: { vaults: readonly ServedVault[]; block: number },
  report: VaultsReport,
): Promise<void> {
  const expected = vaults.flatMap((vault) => {
    if (!vault.isUnanswered && !vault.isStopped) return expectationsOf(vault, accountsOf(report, vault));
    const { unanswered, stopped } = reportOf(report, vault.kind);
    (vault.isUnanswered ? unanswered : stopped).add(vault.address);
    return [];
  });
  const answers = await readAll(
    client,
    expected.map(({ read }) => read),
    block,
  );
  const compared = expected.map((one, i) => ({ ...one, answer: answers[i] }));
  const quirks = await readQuirks(client, compared.flatMap(differingOf), block);
  for (const one of compared) compareOne(report, one, { quirks, block });
}

function reportOf({ kinds }: VaultsReport, kind: VaultKind): KindReport {
  const stored = kinds.get(kind);
  if (stored) return stored;
  const fresh = {
    vaults: new Set<Address>(),
    compared: new Map(),
    differences: 0,
    noted: [],
    quirks: new Map(),
    stopped: new Set<Address>(),
    unanswered: new Set<Address>(),
  };
  kinds.set(kind, fresh);
  return fresh;
}

/** The amounts of all accounts that have some, and of those that had some at an earlier block. */
function accountsOf({ everHeld }: VaultsReport, { address, holders }: ServedVault): Map<string, bigint> {
  const ever = everHeld.get(address) ?? new Set<string>();
  everHeld.set(address, ever);
  for (const { account } of holders) ever.add(account);
  const amounts = new Map(holders.map(({ account, amount }) => [account, amount]));
  return new Map([...ever].map((account) => [account, amounts.get(account) ?? 0n]));
}

function expectationsOf(vault: ServedVault, accounts: ReadonlyMap<string, bigint>): Expectation[] {
  const { address, tokens, supply, backing } = vault;
  const named = views[vault.kind];
  const expect = (functionName: string, args: readonly unknown[], served: Expectation["served"]): Expectation => ({
    vault,
    read: { address, abi, functionName, args },
    served,
  });
  const [assets = 0n] = backing;
  return [
    expect(named.supply, [], [supply]),
    ...named.takes.flatMap((view, i) => (tokens[i] === undefined ? [] : [expect(view, [], [tokens[i]])])),
    ...[...accounts].map(([account, amount]) => expect(named.held, [account], [amount])),
    ...(named.backing ? [expect(named.backing, [], backing.length > 0 ? backing : [0n])] : heldBy(vault)),
    ...(named.worth && supply > 0n
      ? [...accounts.values()].flatMap((amount) =>
          amount > 0n && named.worth ? [expect(named.worth, [amount], [(amount * assets) / supply])] : [],
        )
      : []),
    ...(named.waiting ? [expect(named.waiting, [], [vault.waiting])] : []),
  ];
}

/** What each token's contract says the vault has of it. */
const heldBy = (vault: ServedVault): Expectation[] =>
  vault.tokens.map((token, i) => ({
    vault,
    read: { address: token, abi, functionName: "balanceOf", args: [vault.address] },
    served: [vault.backing[i] ?? 0n],
  }));

const listedKinds: ReadonlySet<VaultKind> = new Set(["erc4626", "erc4626-queued", "beefy", "staking"]);

/** A listed vault may come before its code: then it has nothing, and nothing answers. */
const isNothing = ({ vault }: Expectation): boolean => vault.supply === 0n && listedKinds.has(vault.kind);

/** A pair may be made for a token that has no code, of which nobody can have any. */
const isNoneOfToken = ({ vault, read, served }: Expectation): boolean =>
  read.address !== vault.address && served.every((value) => value === 0n);

/** A view may revert where its product does not fit into a word. EIP-4626, `convertToAssets` */
const isTooLarge = ({ vault, read }: Expectation): boolean => {
  const [[shares], [assets = 0n]] = [read.args, vault.backing];
  return read.functionName === views[vault.kind].worth && typeof shares === "bigint" && shares * assets > maxUint256;
};

interface Compared extends Expectation {
  answer: readonly unknown[] | undefined;
}

/** Where the number served differs from the contract's answer. */
function differingOf({ vault, read, served, answer }: Compared): Differing[] {
  const [[here, ...others], there] = [served, answer?.[0]];
  if (typeof here !== "bigint" || typeof there !== "bigint" || others.length > 0 || here === there) return [];
  return [{ vault, view: read.functionName, args: read.args, served: here, answer: there }];
}

function compareOne(report: VaultsReport, one: Compared, { quirks, block }: { quirks: Quirks; block: number }): void {
  const { vault, read, served, answer } = one;
  if (answer === undefined && (isNothing(one) || isNoneOfToken(one) || isTooLarge(one))) return;
  const ofKind = reportOf(report, vault.kind);
  ofKind.vaults.add(vault.address);
  ofKind.compared.set(read.functionName, (ofKind.compared.get(read.functionName) ?? 0) + served.length);
  const [here, there] = [asText(served), answer === undefined ? "reverts" : asText(answer)];
  if (here === there) return;
  const [differing] = differingOf(one);
  const quirk = differing && quirks.of(differing);
  if (differing !== undefined && quirk !== undefined) {
    noteQuirk(ofKind, quirk, differing);
    return;
  }
  ofKind.differences += 1;
  if (ofKind.noted.length < MOST_NOTED)
    ofKind.noted.push(
      `${vault.address} at block ${block}: ${read.functionName}(${read.args}) of ${read.address} served ${here}; contract ${there}`,
    );
}

function noteQuirk({ quirks }: KindReport, why: string, { served, answer }: Differing): void {
  const { numbers, most } = quirks.get(why) ?? { numbers: 0, most: 0n };
  const off = served > answer ? served - answer : answer - served;
  quirks.set(why, { numbers: numbers + 1, most: off > most ? off : most });
}
