// What one account had of every token, and through what.
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { UsageError } from "../../machine/command-line.ts";
import { amountText, type Block, blockText, type NamedToken, type Question } from "../question.ts";
import { tableLines } from "../table.ts";

const DOCUMENT = `query Account($account: Address!, $block: BlockInput, $top: Int!, $chainId: Int) {
  account(address: $account, block: $block, chainId: $chainId) {
    address
    balances(first: $top) {
      block { number timestamp }
      totalCount
      replacedBy
      incomplete
      nodes {
        token { address symbol }
        total totalDecimal
        sources { source value valueDecimal contract positionId }
      }
    }
  }
}`;

interface Source {
  source: string;
  value: string;
  valueDecimal: string | null;
  contract: string | null;
  positionId: string | null;
}

interface Holding {
  token: NamedToken;
  total: string;
  totalDecimal: string | null;
  sources: Source[];
}

interface Account {
  address: string;
  balances: { block: Block; totalCount: number; replacedBy: string | null; incomplete: string[]; nodes: Holding[] };
}

export const account: Question = {
  shape: { words: ["<account>"], options: ["top"] },
  help: `Every token that an account had, in its wallet and through what it held, one line for each way. All numbers are exact.
Shares are tokens too: a share and what is behind it are both listed, and must not be added up.

  <account>          address
  --top N            at most N tokens, 1 to 1000; 20 without it`,

  async answer(ask, { words: [word = ""], block, top, chainId }) {
    if (!/^0x[0-9a-f]{40}$/i.test(word))
      throw new UsageError("<account>: must be an address, 0x and 40 hex digits; accounts have no other name here");
    const variables = { account: word, block, top, chainId };
    const { body, data } = await ask<{ account: Account }>(DOCUMENT, variables);
    return { body, lines: linesOf(data.account) };
  },
};

const ISSUERS = "a contract whose holdings count for the holders of what it issued: it has nothing itself";
const NOBODYS = "nobody's account: each token's answer shows what lies there, as unattributed (zero_address)";

function linesOf({ address, balances }: Account): string[] {
  const { block, totalCount, nodes, replacedBy, incomplete } = balances;
  const rest = nodes.length < totalCount ? `, the first ${nodes.length} by address` : "";
  return [
    `${address} at ${blockText(block)}`,
    address.toLowerCase() === ZERO_ADDRESS ? NOBODYS : replacedBy === null ? `${totalCount} tokens${rest}` : ISSUERS,
    "",
    ...tableLines(
      [
        { title: "token", atMost: 24 },
        { title: "address" },
        { title: "total", align: "right" },
        { title: "where it sits" },
        { title: "amount there", align: "right" },
        { title: "through" },
      ],
      nodes.flatMap(rowsOf),
    ),
    ...incomplete.map(
      (contract) => `what ${contract} holds cannot be attributed to accounts: what comes through it is missing`,
    ),
  ];
}

/** Token and total stand only in the first line of each holding, with the token's address: anybody can take any symbol. */
const rowsOf = ({ token, total, totalDecimal, sources }: Holding): string[][] =>
  sources.map(({ source, value, valueDecimal, contract, positionId }, at) => [
    at === 0 ? (token.symbol ?? "") : "",
    at === 0 ? token.address : "",
    at === 0 ? amountText(total, totalDecimal) : "",
    source,
    amountText(value, valueDecimal),
    [contract, positionId === null ? null : `position ${positionId}`].filter((part) => part !== null).join(" "),
  ]);
