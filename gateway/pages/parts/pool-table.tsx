// Pools in a table.
import { toExactDecimal } from "../../numbers.ts";
import type { Address } from "../../parameters.ts";
import type { TokenAt } from "../../questions/tokens.ts";
import type { ShownPool } from "../top-pools.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { shortAddress } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { ShownNumber, Unknown, Usd } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";

/** Fees are millionths: four digits behind the point make them percent. */
const FEE_PERCENT_DIGITS = 4;

/** A pool's fee in percent. `fee`: in 1/1,000,000. */
export function Fee({ fee }: { fee: number | undefined | null }) {
  if (fee === undefined || fee === null) return <Unknown why="the fee is not known" />;
  return <ShownNumber exact={toExactDecimal(BigInt(fee), FEE_PERCENT_DIGITS)} suffix="%" />;
}

interface PairNameProps {
  tokens: ReadonlyMap<Address, Pick<TokenAt, "token">>;
  token0: Address;
  token1: Address;
}

/** `HONEY / WBERA` */
export function PairName({ tokens, token0, token1 }: PairNameProps) {
  const symbol = (address: Address) => (
    <ShownText text={tokens.get(address)?.token.metadata?.symbol} most={16} fallback={shortAddress(address)} />
  );
  return (
    <>
      {symbol(token0)} / {symbol(token1)}
    </>
  );
}

interface PoolTableProps {
  request: ViewRequest;
  at: ShownBlock;
  caption: string;
  pools: readonly ShownPool[];
  tokens: PairNameProps["tokens"];
  made?: string;
}

export function PoolTable({ request, at, caption, pools, tokens, made }: PoolTableProps) {
  const block = request.isNewest ? undefined : at.block;
  const columns = [
    { head: "Pool" },
    { head: "Kind" },
    { head: "Fee", isNumber: true },
    { head: "TVL", isNumber: true },
  ];
  const rows = pools.map(({ address, protocol, token0, token1, fee, tvl }) => [
    <a class="name" href={request.links.of("pool", address, { block })} title={address}>
      <PairName tokens={tokens} token0={token0} token1={token1} />{" "}
      <code class="address quiet">{shortAddress(address)}</code>
    </a>,
    protocol,
    <Fee fee={fee} />,
    <Usd usd={tvl} made={made} />,
  ]);
  return <DataTable caption={caption} columns={columns} rows={rows} empty="There is no pool at this block." />;
}
