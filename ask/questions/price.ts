// What tokens were worth.
import { type Block, blockText, type Question } from "../question.ts";
import { resolveTokenOrNative } from "../resolve-token.ts";
import { tableLines } from "../table.ts";

const DOCUMENT = `query Prices($tokens: [String!]!, $block: BlockInput, $chainId: Int) {
  at: tokens(first: 1, block: $block, chainId: $chainId) { block { number timestamp } }
  tokenPrices(addresses: $tokens, block: $block, chainId: $chainId) {
    address known symbol decimals totalSupplyDecimal
    price { usd path }
    priceStrategy unpriced
  }
}`;

interface PricedToken {
  address: string;
  known: boolean;
  symbol: string | null;
  decimals: number | null;
  totalSupplyDecimal: string | null;
  price: { usd: string; path: string[] } | null;
  priceStrategy: string;
  unpriced: string[];
}

interface Prices {
  at: { block: Block };
  tokenPrices: PricedToken[];
}

export const price: Question = {
  shape: { words: ["<token>"], isList: true },
  help: `What whole tokens were worth, in USD, rounded down to 36 decimal places, and how that is known: by the chain file
(fixed), by pools (pool), by what is behind a share (vault), by a launch curve (curve).

  <token> …          addresses, symbols that only one token has, or the chain's native coin by its symbol`,

  async answer(ask, { words, block, chainId }) {
    const tokens: string[] = [];
    for (const word of words) tokens.push(await resolveTokenOrNative({ ask, chainId }, "<token>", word));
    const { body, data } = await ask<Prices>(DOCUMENT, { tokens, block, chainId });
    return { body, lines: linesOf(data) };
  },
};

const linesOf = ({ at, tokenPrices }: Prices): string[] => [
  `at ${blockText(at.block)}`,
  "",
  ...tableLines(
    [
      { title: "token" },
      { title: "symbol", atMost: 24 },
      { title: "USD", align: "right" },
      { title: "known by" },
      { title: "supply", align: "right" },
    ],
    tokenPrices.map(({ address, symbol, price: worth, totalSupplyDecimal, ...how }) => [
      address,
      symbol ?? "",
      worth?.usd ?? "not known",
      reasonOf(how, worth?.path ?? []),
      totalSupplyDecimal ?? "not known",
    ]),
  ),
];

function reasonOf(
  {
    known,
    decimals,
    priceStrategy,
    unpriced,
  }: Omit<PricedToken, "address" | "symbol" | "price" | "totalSupplyDecimal">,
  path: readonly string[],
): string {
  if (!known) return "no event of it up to the block";
  if (decimals === null) return "its contract gives no decimals";
  if (unpriced.length > 0) return `no price of ${unpriced.join(", ")}`;
  if (priceStrategy === "none") return "no pool that is deep enough";
  return path.length > 1 ? `pool, over ${path.length}` : priceStrategy;
}
