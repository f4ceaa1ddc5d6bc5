// Who held how much of a token, and where each had it.
import { formatUnits } from "viem";
import {
  amountText,
  type Block,
  blockText,
  type NamedToken,
  percentText,
  type Question,
  tokenText,
} from "../question.ts";
import { resolveToken } from "../resolve-token.ts";
import { tableLines } from "../table.ts";

const DOCUMENT = `query Balances($token: Address!, $block: BlockInput, $top: Int!, $chainId: Int) {
  balances(token: $token, block: $block, first: $top, chainId: $chainId) {
    block { number timestamp }
    token { address symbol decimals totalSupply totalSupplyDecimal flags }
    totalCount
    nodes { account total totalDecimal sources { source value } }
    unattributed { reason amount }
    incomplete
  }
}`;

interface Source {
  source: string;
  value: string;
}

interface Balances {
  block: Block;
  token: NamedToken & {
    decimals: number | null;
    totalSupply: string | null;
    totalSupplyDecimal: string | null;
    flags: string[];
  };
  totalCount: number;
  nodes: { account: string; total: string; totalDecimal: string | null; sources: Source[] }[];
  unattributed: { reason: string; amount: string }[];
  incomplete: string[];
}

export const balances: Question = {
  shape: { words: ["<token>"], options: ["top"] },
  help: `The largest holders of a token, with the pools, islands, stakes and vaults behind which they have it.
Totals are exact; percentages are rounded down. What is unattributed is listed below the holders.

  <token>            address, or symbol where only one token has it
  --top N            at most N holders, 1 to 1000; 20 without it`,

  async answer(ask, { words: [word = ""], block, top, chainId }) {
    const token = await resolveToken({ ask, chainId }, "<token>", word);
    const { body, data } = await ask<{ balances: Balances }>(DOCUMENT, { token, block, top, chainId });
    return { body, lines: linesOf(data.balances) };
  },
};

function linesOf({ block, token, totalCount, nodes, unattributed, incomplete }: Balances): string[] {
  const supply = token.totalSupply === null ? undefined : amountText(token.totalSupply, token.totalSupplyDecimal);
  const rows = nodes.map(({ account, total, totalDecimal, sources }, at) => [
    String(at + 1),
    account,
    amountText(total, totalDecimal),
    percentText(BigInt(total), BigInt(token.totalSupply ?? 0)),
    sourcesText(sources, BigInt(total)),
  ]);
  return [
    `${tokenText(token)} at ${blockText(block)}`,
    `supply ${supply ?? "not known"}; ${totalCount} holders${nodes.length < totalCount ? `, the largest ${nodes.length}` : ""}`,
    ...token.flags.map((flag) => `flag: ${flag}`),
    "",
    ...tableLines(
      [
        { title: "", align: "right" },
        { title: "account" },
        { title: "total", align: "right" },
        { title: "% of supply", align: "right" },
        { title: "where it sits (% of total)" },
      ],
      rows,
    ),
    ...unattributedLines(unattributed, token.decimals),
    ...incomplete.map(
      (contract) => `what ${contract} holds cannot be attributed to accounts: it is not in anybody's total`,
    ),
  ];
}

/** `balance 99.19, v3-position 0.80`: several of one kind together. */
function sourcesText(sources: readonly Source[], total: bigint): string {
  const kinds = sumsBy(sources.map(({ source, value }) => [source, BigInt(value)]));
  return kinds.map(([kind, value]) => `${kind} ${percentText(value, total)}`).join(", ");
}

function unattributedLines(parts: Balances["unattributed"], decimals: number | null): string[] {
  const sums = sumsBy(parts.map(({ reason, amount }) => [reason, BigInt(amount)]));
  const rows = sums.map(([reason, amount]) => [
    reason,
    amountText(String(amount), decimals === null ? null : formatUnits(amount, decimals)),
  ]);
  const lines = tableLines([{ title: "unattributed" }, { title: "amount", align: "right" }], rows);
  return lines.length === 0 ? [] : ["", ...lines];
}

/** In the order in which the names first appear. */
function sumsBy(parts: readonly (readonly [string, bigint])[]): [string, bigint][] {
  const sums = new Map<string, bigint>();
  for (const [name, value] of parts) sums.set(name, (sums.get(name) ?? 0n) + value);
  return [...sums];
}
