// What stands behind shares of a vault, level by level: its tokens, and what stands behind those that are shares themselves.
import { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { usdValue } from "../prices/price.ts";
import { type BaultsList, baultsList, type VaultSetting, vaultAt } from "../questions/vaults.ts";
import { hasPage } from "./known-tokens.ts";
import { AddressLink, shortAddress } from "./parts/address.tsx";
import type { ShareKind, SharePart } from "./parts/nested-shares.tsx";
import { Amount, Usd } from "./parts/shown-number.tsx";
import { ShownText } from "./parts/shown-text.tsx";
import { SHARES, type ShownRecord, type Tokens } from "./vault-words.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** A share of a share of a share: no chain has more levels, and a cycle must end somewhere. */
const DEEPEST = 6;

/** An amount of one token behind shares. */
export interface Behind {
  token: Address;
  /** Raw units, rounded down. */
  amount: bigint;
  decimals: number | undefined;
  symbol: string | undefined;
  /** Whether there is a page about the token. */
  hasPage: boolean;
  /** USD × 10^36; undefined without a price. */
  usd: bigint | undefined;
  /** Of shares: what they are of. */
  shareOf: keyof typeof SHARES | undefined;
  /** What stands behind it; empty for what is no share. */
  parts: readonly Behind[];
}

interface Reader {
  request: Pick<ViewRequest, "ask">;
  at: ShownBlock;
  baults: BaultsList;
}

/** What stands behind all shares of the vault; undefined when unknown. @throws what vaultAt and baultsList throw */
export async function behindVault(
  request: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  found: { vault: ShownRecord } & Pick<VaultSetting, "tokens" | "prices">,
): Promise<Behind[] | undefined> {
  const baults = await request.ask(baultsList, { block: atBlock(at) });
  return sidesOf({ request, at, baults }, found, { amount: "all", depth: 1 });
}

async function sidesOf(
  reader: Reader,
  { vault, ...setting }: { vault: ShownRecord } & Pick<VaultSetting, "tokens" | "prices">,
  { amount, depth }: { amount: bigint | "all"; depth: number },
): Promise<Behind[] | undefined> {
  const { amounts, supply, token0, token1 } = vault;
  if (amounts === undefined || supply === 0n || (amount !== "all" && supply === undefined)) return undefined;
  const part = (whole: bigint) => (amount === "all" || supply === undefined ? whole : (whole * amount) / supply);
  return [
    await behindToken(reader, setting, { token: token0, amount: part(amounts[0]), depth }),
    await behindToken(reader, setting, { token: token1, amount: part(amounts[1]), depth }),
  ];
}

async function behindToken(
  reader: Reader,
  { tokens, prices }: Pick<VaultSetting, "tokens" | "prices">,
  { token, amount, depth }: { token: Address; amount: bigint; depth: number },
): Promise<Behind> {
  const { decimals, symbol } = tokens.get(token)?.metadata ?? {};
  const price = prices.get(token);
  const usd =
    amount === 0n ? 0n : price === undefined || decimals === undefined ? undefined : usdValue(price, amount, decimals);
  const leaf = {
    token,
    amount,
    decimals,
    symbol,
    hasPage: hasPage(tokens.get(token)),
    usd,
    shareOf: undefined,
    parts: [],
  };
  if (depth === DEEPEST || amount === 0n) return leaf;
  const bault = reader.baults.baults.find((one) => one.bault === token);
  const { totalSupply, totalAssets } = bault ?? {};
  if (bault && totalAssets !== undefined && totalSupply !== undefined && totalSupply > 0n) {
    const staked = { token: bault.asset, amount: (amount * totalAssets) / totalSupply, depth: depth + 1 };
    return { ...leaf, shareOf: "bault", parts: [await behindToken(reader, reader.baults, staked)] };
  }
  const vault = await vaultOf(reader, token);
  if (!vault) return leaf;
  const parts = (await sidesOf(reader, vault, { amount, depth: depth + 1 })) ?? [];
  return { ...leaf, shareOf: vault.vault.provider, parts };
}

/** Undefined for what is no vault. */
async function vaultOf({ request, at }: Reader, id: Address) {
  try {
    return await request.ask(vaultAt, { id, block: atBlock(at), user: undefined });
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return undefined;
    throw error;
  }
}

const KIND_OF_SHARE: Readonly<Record<keyof typeof SHARES, ShareKind>> = {
  bault: "vault",
  kodiak: "island",
  v2: "pool",
};

/** By USD; undefined where one is missing, so that nothing is drawn larger than it is. */
export function partsByUsd(
  behind: readonly Behind[],
  places: { request: Pick<ViewRequest, "links">; block: number | undefined },
): SharePart[] | undefined {
  const parts: SharePart[] = [];
  for (const one of behind) {
    if (one.usd === undefined) return undefined;
    const within = partsByUsd(one.parts, places);
    const kind = one.shareOf === undefined ? (parts.length === 0 ? "position" : "other") : KIND_OF_SHARE[one.shareOf];
    parts.push({
      kind,
      label: <TokenLabel one={one} {...places} />,
      amount: one.usd,
      shown: (
        <>
          <Amount raw={one.amount} decimals={one.decimals} /> · <Usd usd={one.usd} />
        </>
      ),
      ...(within && within.length > 0 ? { parts: within } : {}),
    });
  }
  return parts;
}

interface LabelProps {
  one: Behind;
  request: Pick<ViewRequest, "links">;
  block: number | undefined;
}

/** A token with its page; shares with what they are of. */
export function TokenLabel({
  one: { token, symbol, shareOf, hasPage: isThere },
  request: { links },
  block,
}: LabelProps) {
  const subject = shareOf === "kodiak" || shareOf === "v2" ? "vault" : isThere ? "token" : "account";
  return (
    <>
      <ShownText text={symbol} most={16} fallback={shortAddress(token)} />{" "}
      <AddressLink address={token} href={links.of(subject, token, { block })} />
      {shareOf !== undefined && <span class="quiet"> · {SHARES[shareOf]}</span>}
    </>
  );
}

/** The symbol of a token in a table's cell, with its page. */
export function TokenCell(props: {
  token: Address;
  tokens: Tokens;
  request: Pick<ViewRequest, "links">;
  block: number | undefined;
}) {
  const { token, tokens, request, block } = props;
  const state = tokens.get(token);
  const one = { token, symbol: state?.metadata?.symbol, hasPage: hasPage(state), shareOf: undefined };
  return (
    <TokenLabel
      request={request}
      block={block}
      one={{ ...one, amount: 0n, decimals: undefined, usd: undefined, parts: [] }}
    />
  );
}
