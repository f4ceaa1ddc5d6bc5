// How much of one token an account had over time: the token is chosen in a form, the line is the server's.
import { toExactDecimal } from "../../numbers.ts";
import type { Address } from "../../parameters.ts";
import type { TokenAt } from "../../questions/tokens.ts";
import type { HistoryPoint } from "../account-history.ts";
import type { AccountEntry } from "../account-worth.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { shortAddress } from "./address.tsx";
import { LineChart } from "./line-chart.tsx";
import { MadeBy } from "./made-by.tsx";
import { readable } from "./shown-text.tsx";

interface AccountHistoryProps {
  request: ViewRequest;
  at: ShownBlock;
  account: Address;
  /** Of the list to choose from. */
  entries: readonly AccountEntry[];
  /** The one that is drawn. */
  token: TokenAt["token"];
  points: readonly HistoryPoint[];
}

const nameOf = ({ metadata, address }: TokenAt["token"]): string => {
  const symbol = metadata?.symbol?.trim();
  return symbol ? `${readable(symbol, 24)} (${shortAddress(address)})` : shortAddress(address);
};

export function AccountHistory({ request, at, account, entries, token, points }: AccountHistoryProps) {
  const { chain, links, isNewest, url } = request;
  const decimals = token.metadata?.decimals;
  const decimalOf = (raw: bigint | undefined) => (raw === undefined ? undefined : toExactDecimal(raw, decimals ?? 0));
  const line = (label: string, of: (point: HistoryPoint) => bigint | undefined) => ({
    label,
    points: points.map((point) => ({ time: point.timestamp, value: decimalOf(of(point)) })),
  });
  const choices = entries.some((entry) => entry.token.address === token.address)
    ? entries.map((entry) => entry.token)
    : [token, ...entries.map((entry) => entry.token)];
  const blocks = points.map(({ block }) => block);
  return (
    <>
      <form class="fields" action={links.of("account", account)} method="get">
        {!isNewest && <input type="hidden" name="block" value={String(at.block)} />}
        <label>
          Token
          <select name="token">
            {choices.map((one) => (
              <option value={one.address} selected={one.address === token.address}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Show its history</button>
      </form>
      <LineChart
        title={`${nameOf(token)} of this account, ${decimals === undefined ? "raw units" : "whole tokens"}`}
        lines={[line("Altogether", ({ total }) => total), line("In its wallet", ({ wallet }) => wallet)]}
        empty="Nothing is known of this token up to the block."
        made="history"
      />
      {blocks.length > 0 && (
        <MadeBy
          id="history"
          title="history"
          url={url}
          rest={`/balances/${token.address}/history?account=${account}&fromBlock=${blocks[0]}&toBlock=${at.block}&chainId=${chain.chainId}`}
          graphql={`{ ${blocks.map((block) => questionAt(block, { token: token.address, account, chainId: chain.chainId })).join(" ")} }`}
          verify={`--token ${token.address} --block ${at.block}`}
          note={`Asked at blocks ${blocks.map((block) => block.toLocaleString("en")).join(", ")}; lines between them are straight. REST gives every change of its own wallet; with &format=csv as a file.`}
        />
      )}
    </>
  );
}

const questionAt = (
  block: number,
  { token, account, chainId }: { token: Address; account: Address; chainId: number },
) =>
  `at${block}: balances(token: "${token}", users: ["${account}"], block: { number: ${block} }, chainId: ${chainId}) { block { timestamp } nodes { totalDecimal sources { source valueDecimal } } }`;
