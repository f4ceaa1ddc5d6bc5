// Uniswap v3 positions in a table: where each earns, what it would pay, and what it is owed.
import { sumIfComplete } from "../../../core/amounts.ts";
import type { Address } from "../../parameters.ts";
import type { V3PositionAt } from "../../questions/positions.ts";
import { type KnownTokens, worthOf } from "../known-tokens.ts";
import type { Decimals } from "../tick-price.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { AddressLink, shortAddress } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Fee, PairName } from "./pool-table.tsx";
import { Amount, Usd } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";
import { RangeCell } from "./tick-range.tsx";

interface PositionTableProps {
  request: ViewRequest;
  at: ShownBlock;
  caption: string;
  empty: string;
  positions: readonly V3PositionAt[];
  tokens: KnownTokens;
  /** Where the price of each pool is; missing when unknown. */
  ticks: ReadonlyMap<Address, number>;
  /** Which of the two a page already names. */
  leaves: "owner" | "pool";
  made: string;
}

export function PositionTable({
  request,
  at,
  caption,
  empty,
  positions,
  tokens,
  ticks,
  leaves,
  made,
}: PositionTableProps) {
  const columns = [
    { head: "Position" },
    { head: leaves === "owner" ? "Pool" : "Owner" },
    { head: "Prices it covers" },
    { head: "Principal", isNumber: true },
    { head: "Fees owed", isNumber: true },
    { head: "Worth", isNumber: true },
  ];
  const rows = positions.map((position) => [
    <PositionName position={position} />,
    leaves === "owner" ? (
      <PoolLink request={request} at={at} position={position} tokens={tokens} />
    ) : (
      <OwnerLink request={request} at={at} owner={position.row.owner} />
    ),
    <RangeCell
      range={position.row}
      tick={ticks.get(position.pool.address)}
      decimals={decimalsOf(tokens, position.pool)}
    />,
    <Sides position={position} tokens={tokens} made={made} sides={["principal0", "principal1"]} />,
    <Sides position={position} tokens={tokens} made={made} sides={["fees0", "fees1"]} />,
    <Usd usd={worthOfPosition(position, tokens)} made={made} />,
  ]);
  return <DataTable caption={caption} columns={columns} rows={rows} empty={empty} />;
}

/** Of both tokens of a pool. */
export const decimalsOf = (tokens: KnownTokens, { token0, token1 }: { token0: Address; token1: Address }): Decimals => [
  tokens.get(token0)?.token.metadata?.decimals,
  tokens.get(token1)?.token.metadata?.decimals,
];

function worthOfPosition({ pool, worth }: V3PositionAt, tokens: KnownTokens): bigint | undefined {
  if (!worth) return undefined;
  const { principal0, principal1, fees0, fees1 } = worth;
  return sumIfComplete([
    worthOf(tokens.get(pool.token0), principal0 + fees0),
    worthOf(tokens.get(pool.token1), principal1 + fees1),
  ]);
}

function PositionName({ position: { id, manager } }: { position: V3PositionAt }) {
  if (manager !== undefined)
    return (
      <span title={`token id ${id} of position manager ${manager}`}>
        <data value={String(id)}>#{String(id)}</data>
      </span>
    );
  return (
    <span title={`held in the pool itself: ${id}`}>
      <data value={String(id)}>direct</data>
    </span>
  );
}

type PoolLinkProps = Pick<PositionTableProps, "request" | "at" | "tokens"> & { position: V3PositionAt };

function PoolLink({ request, at, position: { pool }, tokens }: PoolLinkProps) {
  const block = request.isNewest ? undefined : at.block;
  return (
    <a class="name" href={request.links.of("pool", pool.address, { block })} title={pool.address}>
      <PairName tokens={tokens} token0={pool.token0} token1={pool.token1} /> <Fee fee={pool.fee} />{" "}
      <code class="address quiet">{shortAddress(pool.address)}</code>
    </a>
  );
}

function OwnerLink({ request, at, owner }: Pick<PositionTableProps, "request" | "at"> & { owner: string }) {
  const block = request.isNewest ? undefined : at.block;
  return <AddressLink address={owner} href={request.links.of("account", owner, { block })} />;
}

type Side = "principal0" | "principal1" | "fees0" | "fees1";

interface SidesProps extends Pick<PositionTableProps, "tokens" | "made"> {
  position: V3PositionAt;
  sides: readonly [Side, Side];
}

/** Both tokens, one below the other. */
function Sides({ position: { pool, worth }, tokens, made, sides }: SidesProps) {
  return (
    <span class="stacked">
      {sides.map((side, i) => {
        const known = tokens.get(i === 0 ? pool.token0 : pool.token1);
        return (
          <span>
            <Amount raw={worth?.[side]} decimals={known?.token.metadata?.decimals} made={made} />{" "}
            <span class="quiet">
              <ShownText text={known?.token.metadata?.symbol} most={12} fallback="?" />
            </span>
          </span>
        );
      })}
    </span>
  );
}
