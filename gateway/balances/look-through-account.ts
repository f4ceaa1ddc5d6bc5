// Everything one account has, of every token, wherever it sits: from what it holds itself back to the tokens behind that,
// and from these forward again by the same recursion that finds all holders of a token. Only the contracts on the way
// are read, so that it costs what the account holds and not what there is.

import { totalOf } from "../../core/amounts.ts";
import { STAKE } from "../../core/ledgers/stake.ts";
import { attribute, type Part } from "../../core/lookthrough/attribute.ts";
import type { Issuer } from "../../core/lookthrough/backing.ts";
import type { Focus } from "../backing/focus.ts";
import type { HeldAs } from "../backing/held-as.ts";
import { heldAt } from "../backing/ledger.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { tokenAsset } from "../backing/protocol.ts";
import { stakeAsset } from "../backing/stake.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { behindWhatAnyoneMayHold } from "./behind-unknown.ts";
import { custodiansOf, issuersText, openAll, readBehind, readIssued, readIssuersAmong } from "./issued.ts";
import { incompleteOf } from "./look-through.ts";
import { allSources, type Source } from "./source.ts";

export interface HeldToken {
  token: Address;
  /** Raw units, above zero: the sum of its sources. */
  amount: bigint;
  sources: readonly Source[];
}

export interface AccountHoldings {
  /** The account is a contract whose holdings are its holders': it has nothing itself. */
  isIssuer: boolean;
  /** By address. */
  tokens: readonly HeldToken[];
  /** Contracts on the way to the account whose holdings cannot be attributed to accounts. */
  incomplete: readonly Address[];
}

interface AccountPoint {
  account: Address;
  point: BlockPoint;
}

/** Pages of one answer. */
const accounts = question<AccountHoldings>("look-through-account");

/**
 * The amounts and sources that each token's own look-through gives to the account.
 * @throws UnavailableError while the state of a contract on the way is not known yet
 */
export function lookThroughAccount(context: OperationContext, input: AccountPoint): Promise<AccountHoldings> {
  const { account, point } = input;
  const { cache, state } = context.snapshot;
  const place = { at: point.hash, key: account, revision: state.revision };
  return cache.of(accounts, place, () => workOut(context, input));
}

async function workOut(context: OperationContext, { account, point }: AccountPoint): Promise<AccountHoldings> {
  const open = await openAll(context, point);
  const at = asOf(context.snapshot, point);
  const issuers = await readIssuersAmong(at, issuersText(at.fold, open), [account]);
  if (issuers.length > 0) return { isIssuer: true, tokens: [], incomplete: [] };
  const ledger = ledgerAt(context, point);
  const wallet = new Map<Address, bigint>();
  const own: string[] = [];
  for (const { kind, key, amount } of await ledger.heldBy(account, ["erc20", STAKE])) {
    const asset = kind === "erc20" ? tokenAsset(key as Address) : stakeAsset(key as Address);
    if (custodiansOf(open, asset).includes(account)) continue;
    if (kind === "erc20") wallet.set(key as Address, amount);
    own.push(asset);
  }
  for (const protocol of open) own.push(...((await protocol.heldBy?.(account)) ?? []));
  const behind = await readBehind(open, own);
  // of these it is not known what the account has: so for every account they lie on the way
  const unknown = await behindWhatAnyoneMayHold(context, point);
  const contracts = new Set([...behind.contracts, ...unknown.contracts]);
  const tokens = new Set([...behind.tokens, ...unknown.tokens]);
  const through = await partsOf(context, { focus: { account, contracts }, tokens, point });
  const all = [...new Set([...wallet.keys(), ...through.parts.keys()])].sort();
  return {
    isIssuer: false,
    incomplete: through.incomplete,
    tokens: all.map((token) => heldToken({ token, amount: wallet.get(token) ?? 0n }, through)),
  };
}

function heldToken(wallet: { token: Address; amount: bigint }, { parts, heldAs }: Through): HeldToken {
  const sources = allSources(wallet, { parts: parts.get(wallet.token) ?? [], heldAs });
  return { token: wallet.token, amount: totalOf(sources), sources };
}

interface Through {
  /** The account's parts of each token; tokens without any are left out. */
  parts: ReadonlyMap<Address, readonly Part[]>;
  heldAs: ReadonlyMap<string, HeldAs>;
  incomplete: readonly Address[];
}

/** What reaches the account of each of `tokens` through the contracts of `focus`. */
async function partsOf(
  context: OperationContext,
  { focus, tokens, point }: { focus: Focus; tokens: ReadonlySet<Address>; point: BlockPoint },
): Promise<Through> {
  const parts = new Map<Address, readonly Part[]>();
  const incomplete = new Set<Address>();
  if (tokens.size === 0) return { parts, heldAs: new Map(), incomplete: [] };
  const focused = await openAll({ ...context, focus }, point);
  const issuersAmong = async (accounts: readonly string[]) =>
    accounts.filter((account) => focus.contracts.has(account));
  const { issuers, assets } = await readIssued(focused, [...tokens].map(tokenAsset), issuersAmong);
  const held = await readHeld(context, { issuers, tokens, point });
  for (const token of tokens) {
    const attribution = attribute({
      leaf: { id: tokenAsset(token), holdings: held.get(token) ?? [] },
      issuers,
      assets,
    });
    const own = attribution.parts.get(focus.account);
    if (own) parts.set(token, own);
    for (const contract of incompleteOf(attribution)) if (focus.contracts.has(contract)) incomplete.add(contract);
  }
  const heldAs = new Map([...assets.values()].map((asset) => [asset.id, asset.heldAs]));
  return { parts, heldAs, incomplete: [...incomplete].sort() };
}

/** What each of `tokens` the issuers that are there to hold it do hold. */
async function readHeld(
  context: OperationContext,
  input: { issuers: ReadonlyMap<string, Issuer>; tokens: ReadonlySet<Address>; point: BlockPoint },
): Promise<Map<Address, { account: string; amount: bigint }[]>> {
  const ledger = ledgerAt(context, input.point);
  const places = [...input.tokens].flatMap((token) =>
    [...input.issuers.values()].flatMap(({ address, backings }) =>
      backings.has(tokenAsset(token)) ? [{ token, contract: address as Address }] : [],
    ),
  );
  const held = new Map<Address, { account: string; amount: bigint }[]>();
  for (const { token, contract, amount } of await heldAt(ledger, places))
    held.set(token, [...(held.get(token) ?? []), { account: contract, amount }]);
  return held;
}
