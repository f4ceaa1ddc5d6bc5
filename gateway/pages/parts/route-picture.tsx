// The way a swap goes: one lane per path, as thick as its share, with the pools that it passes. Drawn by the server, wide enough
// to be read on a phone; a table beside it says the same in words.
import { toExactDecimal } from "../../numbers.ts";
import type { DrawnHop, DrawnPath, DrawnToken } from "../shown-quote.ts";
import type { ViewRequest } from "../view.ts";
import { AddressLink, shortAddress } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Fee } from "./pool-table.tsx";
import { Amount, ShownNumber, shortened, Unknown } from "./shown-number.tsx";
import { readable, ShownText } from "./shown-text.tsx";

const WIDTH = 360;
const HEAD = 20;
const ROW = 62;
/** Pools side by side; more go on in the next row. */
const MOST_IN_ROW = 3;
const LONGEST_SYMBOL = 9;
const THICKEST = 18;
const EDGE = 5;

/** A share of hundredths of a percent in percent. */
const percentText = (share: number): string => (share / 100).toFixed(2);

function shortSymbol({ symbol, address }: DrawnToken): string {
  if (symbol === undefined || symbol.trim() === "") return shortAddress(address);
  const letters = [...readable(symbol, 40)];
  return letters.length > LONGEST_SYMBOL ? `${letters.slice(0, LONGEST_SYMBOL - 1).join("")}…` : letters.join("");
}

function amountText(raw: bigint | undefined, token: DrawnToken | undefined): string {
  if (raw === undefined || token?.decimals === undefined) return "";
  return `${shortened(toExactDecimal(raw, token.decimals))} ${shortSymbol(token)}`;
}

/** Hops in rows of about the same length. */
function rowsOf(hops: readonly DrawnHop[]): DrawnHop[][] {
  const count = Math.ceil(hops.length / MOST_IN_ROW);
  const length = Math.ceil(hops.length / Math.max(1, count));
  return Array.from({ length: count }, (_, i) => hops.slice(i * length, (i + 1) * length));
}

const heightOf = ({ hops }: DrawnPath): number => HEAD + rowsOf(hops).length * ROW;

export function RoutePicture({ paths }: { paths: readonly DrawnPath[] }) {
  const tops = paths.map((_, i) => paths.slice(0, i).reduce((sum, path) => sum + heightOf(path), 0));
  const height = paths.reduce((sum, path) => sum + heightOf(path), 0);
  return (
    <svg class="picture" viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
      {paths.map((path, i) => (
        <Lane path={path} top={tops[i] ?? 0} />
      ))}
    </svg>
  );
}

function Lane({ path, top }: { path: DrawnPath; top: number }) {
  const { share, hops, amountIn, amountOut } = path;
  const rows = rowsOf(hops);
  const ends = [amountText(amountIn, hops[0]?.tokenIn), amountText(amountOut, hops.at(-1)?.tokenOut)];
  return (
    <>
      <text class="strong" x="0" y={top + 13}>
        {share === undefined ? "share not known" : `${percentText(share)} %`}
      </text>
      <text class="soft" x={WIDTH} y={top + 13} text-anchor="end">
        {ends.filter((one) => one !== "").join(" → ")}
      </text>
      {rows.map((row, i) => (
        <Row row={row} top={top + HEAD + i * ROW} share={share} isFirst={i === 0} isLast={i === rows.length - 1} />
      ))}
    </>
  );
}

interface RowProps {
  row: readonly DrawnHop[];
  top: number;
  share: number | undefined;
  isFirst: boolean;
  isLast: boolean;
}

function Row({ row, top, share, isFirst, isLast }: RowProps) {
  const middle = top + 28;
  const thick = share === undefined ? THICKEST / 3 : Math.max(2, (share / 10_000) * THICKEST);
  const step = WIDTH / row.length;
  const [first] = row;
  const last = row.at(-1);
  return (
    <>
      <rect class="ribbon" x="0" y={middle - thick / 2} width={WIDTH} height={thick} />
      {isFirst && <rect class="end" x="0" y={middle - 14} width={EDGE} height="28" rx="2" />}
      {isLast && <rect class="end" x={WIDTH - EDGE} y={middle - 14} width={EDGE} height="28" rx="2" />}
      {first && (
        <text x="0" y={top + 11}>
          {isFirst ? shortSymbol(first.tokenIn) : `… ${shortSymbol(first.tokenIn)}`}
        </text>
      )}
      {last && (
        <text x={WIDTH} y={top + 11} text-anchor="end">
          {isLast ? shortSymbol(last.tokenOut) : `${shortSymbol(last.tokenOut)} …`}
        </text>
      )}
      {row.slice(1).map((hop, i) => (
        <>
          <circle class="stop" cx={(i + 1) * step} cy={middle} r="5" />
          <text x={(i + 1) * step} y={top + 11} text-anchor="middle">
            {shortSymbol(hop.tokenIn)}
          </text>
        </>
      ))}
      {row.map((hop, i) => (
        <PoolPill hop={hop} x={(i + 0.5) * step} middle={middle} />
      ))}
    </>
  );
}

const PILL = 74;

function PoolPill({ hop: { kind, pool, fee }, x, middle }: { hop: DrawnHop; x: number; middle: number }) {
  const name = [...readable(kind, 10)].slice(0, 10).join("");
  return (
    <>
      <rect class="pool" x={x - PILL / 2} y={middle - 10} width={PILL} height="20" rx="6" />
      <text x={x} y={middle + 4} text-anchor="middle">
        {fee === undefined ? name : `${name} ${fee / 10_000} %`}
      </text>
      <text class="soft" x={x} y={middle + 24} text-anchor="middle">
        {shortAddress(pool)}
      </text>
    </>
  );
}

interface RouteTableProps {
  request: ViewRequest;
  paths: readonly DrawnPath[];
  block: number | undefined;
  made: string;
}

/** The picture in words. */
export function RouteTable({ request, paths, block, made }: RouteTableProps) {
  const columns = [
    { head: "Path" },
    { head: "Share", isNumber: true },
    { head: "Goes in", isNumber: true },
    { head: "By way of" },
    { head: "Comes out", isNumber: true },
  ];
  const rows = paths.map(({ share, hops, amountIn, amountOut }, i) => [
    String(i + 1),
    share === undefined ? (
      <Unknown why="the provider does not say" />
    ) : (
      <ShownNumber exact={percentText(share)} suffix="%" made={made} />
    ),
    amountIn === undefined ? (
      <Unknown why="the provider does not say" />
    ) : (
      <Amount raw={amountIn} decimals={hops[0]?.tokenIn.decimals} made={made} />
    ),
    <span class="way">
      <Way hops={hops} request={request} block={block} />
    </span>,
    amountOut === undefined ? (
      <Unknown why="the provider does not say" />
    ) : (
      <Amount raw={amountOut} decimals={hops.at(-1)?.tokenOut.decimals} made={made} />
    ),
  ]);
  return <DataTable columns={columns} rows={rows} caption="The route, path by path" empty="There are no paths." />;
}

function Way({
  hops,
  request: { links },
  block,
}: Pick<RouteTableProps, "request" | "block"> & Pick<DrawnPath, "hops">) {
  const name = ({ symbol, address }: DrawnToken) => (
    <ShownText text={symbol} most={16} fallback={shortAddress(address)} />
  );
  const [first] = hops;
  return (
    <>
      {first && name(first.tokenIn)}
      {hops.map(({ kind, pool, fee, tokenOut }) => (
        <>
          {" → "}
          <ShownText text={kind} most={16} /> {fee !== undefined && <Fee fee={fee} />}{" "}
          <AddressLink
            address={pool}
            href={["v2", "v3"].includes(kind) ? links.of("pool", pool, { block }) : undefined}
          />{" "}
          → {name(tokenOut)}
        </>
      ))}
    </>
  );
}
