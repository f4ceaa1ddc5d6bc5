// What a token is, at the top of every page about it: names, figures, and what is wrong with it, in words.
import { type TokenPrice, usdValue } from "../../prices/price.ts";
import type { Distribution } from "../../questions/distribution.ts";
import type { TokenAt } from "../../questions/tokens.ts";
import type { ShownBlock } from "../view.ts";
import { FactList } from "./fact-list.tsx";
import { Amount, Count, Percent, Unknown, Usd } from "./shown-number.tsx";
import { readable, ShownText } from "./shown-text.tsx";

/** What a page about a token is called. */
export const titleOf = ({ token: { address, metadata } }: TokenAt): string =>
  metadata?.symbol ? readable(metadata.symbol, 24) : address;

export function TokenTitle({ shown: { token } }: { shown: TokenAt }) {
  return (
    <>
      <h1>
        <ShownText text={token.metadata?.symbol} most={24} fallback="Token without a symbol" />{" "}
        <small>
          <ShownText text={token.metadata?.name} most={48} fallback="" />
        </small>
      </h1>
      <p class="subtitle">
        <code class="address">{token.address}</code>
      </p>
    </>
  );
}

const PRICED_BY: Readonly<Record<TokenPrice["strategy"], string>> = {
  fixed: "as the chain file says",
  pool: "by pools, mean of half an hour",
  vault: "by what stands behind its shares",
  curve: "as its launch curve asks",
};

interface TokenFiguresProps {
  shown: TokenAt;
  price: TokenPrice | undefined;
  /** Undefined where its balances are unknown. */
  sat: Distribution | undefined;
  /** Ids of what made its own figures, and where it sat. */
  made: { token: string; sat: string };
}

export function TokenFigures({ shown: { token, totalSupply }, price, sat, made }: TokenFiguresProps) {
  const { metadata } = token;
  const decimals = metadata?.decimals;
  const isValued = price !== undefined && decimals !== undefined && totalSupply !== undefined;
  const value = isValued ? usdValue(price, totalSupply, decimals) : undefined;
  const unknown = <Unknown why="its balances are unknown" />;
  const facts = [
    ["Supply", <Amount raw={totalSupply} decimals={decimals} made={made.token} />],
    [price ? `Price, ${PRICED_BY[price.strategy]}` : "Price", <Usd usd={price?.usd} made={made.token} />],
    ["Supply at this price", <Usd usd={value} made={made.token} />],
    ["Holders", sat ? <Count count={sat.holders} made={made.sat} /> : unknown],
    ["The 10 largest have", sat ? <Percent part={sat.top10} whole={sat.supply} made={made.sat} /> : unknown],
    ["The 100 largest have", sat ? <Percent part={sat.top100} whole={sat.supply} made={made.sat} /> : unknown],
    [
      "Decimals",
      decimals === undefined ? (
        <Unknown why={metadata === undefined ? "not read from the chain yet" : "the contract gives none"} />
      ) : (
        <Count count={decimals} made={made.token} />
      ),
    ],
  ] as const;
  return <FactList facts={facts} />;
}

const FLAG_WORDS: Readonly<Record<string, string>> = {
  "balance-drift":
    "Its contract reports other balances than follow from its events: a token that takes fees on transfers, changes balances by itself (rebasing) or mints without saying so does this. What is shown here follows from the events.",
};

interface TokenWarningsProps {
  shown: TokenAt;
  at: ShownBlock;
  hasBalances: boolean;
  incomplete: readonly string[];
}

/** Whatever must be known before its numbers are relied on. */
export function TokenWarnings({ shown: { token }, at, hasBalances, incomplete }: TokenWarningsProps) {
  const { quarantine, metadata, flags, firstBlock } = token;
  const warnings = [
    ...(quarantine === undefined
      ? []
      : [
          `${hasBalances ? `Quarantined from block ${quarantine.block.toLocaleString("en")} on` : "Quarantined"}: its events contradict the standard (${readable(quarantine.reason, 200)}), so its balances are not shown rather than shown wrong. Other tokens are not affected.`,
        ]),
    ...flags.map((flag) => FLAG_WORDS[flag] ?? `Flagged by verification: ${readable(flag)}. See Status.`),
    ...(metadata === undefined ? ["Its name, symbol and decimals have not been read from the chain yet."] : []),
    ...(metadata?.problem === undefined ? [] : [`Its metadata is odd: ${readable(metadata.problem, 200)}.`]),
    ...(metadata !== undefined && metadata.decimals === undefined
      ? ["It gives no usable decimals: amounts are raw units."]
      : []),
    ...(incomplete.length === 0
      ? []
      : [
          `What these contracts hold of it cannot be attributed to accounts, and is unattributed: ${incomplete.join(", ")}.`,
        ]),
    ...(firstBlock !== undefined && firstBlock > at.block
      ? [`Its first event is in block ${firstBlock.toLocaleString("en")}, after this one.`]
      : []),
  ];
  return (
    <>
      {warnings.map((text) => (
        <p class="problem">{text}</p>
      ))}
    </>
  );
}
