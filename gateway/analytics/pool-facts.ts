// The facts of v2 pairs and v3 pools.
import { address, amount, type FactKind, maybe, oneOf, text, whole } from "./fact-kind.ts";

const pool = address("The v3 pool, v2 pair or launch pool.");
const protocol = oneOf(["v2", "v3"]);
const market = { market: { column: "pool", to: "market" } } as const;

const swaps: FactKind = {
  field: "swaps",
  type: "SwapFact",
  doc: "A swap in a v2 pair or a v3 pool.",
  sources: [
    { table: "v3_swap", values: { protocol: "'v3'" } },
    {
      table: "v2_swap",
      values: {
        protocol: "'v2'",
        pool: "f.pair",
        recipient: 'f."to"',
        amount0: "f.amount0_in - f.amount0_out",
        amount1: "f.amount1_in - f.amount1_out",
        sqrtPriceX96: null,
        liquidity: null,
        tick: null,
      },
    },
  ],
  columns: {
    protocol,
    pool,
    sender: address("Who called: often a router."),
    recipient: address("Who was paid."),
    amount0: amount("The pool's change: positive came in, negative went out.", { unit: "side0" }),
    amount1: amount("", { unit: "side1" }),
    sqrtPriceX96: maybe(amount("The pool's after the swap; null for v2, as the next two.")),
    liquidity: maybe(amount()),
    tick: maybe(whole()),
  },
  anyOf: { account: { columns: ["sender", "recipient"], doc: "Sender or recipient." } },
  leadsTo: market,
};

const liquidityChanges: FactKind = {
  field: "liquidityChanges",
  type: "LiquidityFact",
  doc: "Liquidity that came or went: `mint`, `burn`, and of v3 `collect`, which pays out what a burn or fees made owed.",
  sources: [
    { table: "v3_liquidity", values: { protocol: "'v3'" } },
    {
      table: "v2_liquidity",
      values: {
        protocol: "'v2'",
        pool: "f.pair",
        owner: null,
        recipient: 'f."to"',
        tickLower: null,
        tickUpper: null,
        liquidity: null,
      },
    },
  ],
  columns: {
    protocol,
    pool,
    kind: oneOf(["mint", "burn", "collect"]),
    sender: maybe(address("Who called; null for v3 burns and collects.")),
    owner: maybe(address("Whose v3 position: the position manager for token ids.")),
    recipient: maybe(address("Who was paid; null for mints and v3 burns.")),
    amount0: amount("Paid in, became owed (v3 `burn`), or paid out.", { unit: "side0" }),
    amount1: amount("", { unit: "side1" }),
    liquidity: maybe(amount("Of v3: added or removed; 0 for `collect`.")),
    tickLower: maybe(whole()),
    tickUpper: maybe(whole()),
  },
  anyOf: { account: { columns: ["sender", "owner", "recipient"], doc: "Sender, owner or recipient." } },
  leadsTo: market,
};

const flashes: FactKind = {
  field: "flashes",
  type: "FlashFact",
  doc: "A flash loan of a v3 pool.",
  sources: [{ table: "v3_flash" }],
  columns: {
    pool,
    sender: address(),
    recipient: address(),
    amount0: amount("Lent.", { unit: "side0" }),
    amount1: amount("", { unit: "side1" }),
    paid0: amount("Came back beyond the loan.", { unit: "side0" }),
    paid1: amount("", { unit: "side1" }),
  },
  leadsTo: market,
};

const protocolFees: FactKind = {
  field: "protocolFees",
  type: "ProtocolFeeFact",
  doc: "Protocol fees of v3 pools: `set`, `collect`, and `earned`, which only pools of the kodiak flavour log.",
  sources: [{ table: "v3_protocol_fee" }],
  columns: {
    pool,
    kind: oneOf(["set", "collect", "earned"]),
    feeProtocol0Old: maybe(whole("Of `set`, as the three below; its unit is the pool's flavour's.")),
    feeProtocol1Old: maybe(whole()),
    feeProtocol0New: maybe(whole()),
    feeProtocol1New: maybe(whole()),
    sender: maybe(address("Of `collect`.")),
    recipient: maybe(address("Of `collect`.")),
    amount0: maybe(amount("Of `collect` and `earned`.", { unit: "side0" })),
    amount1: maybe(amount("", { unit: "side1" })),
  },
  leadsTo: market,
};

const reserves: FactKind = {
  field: "reserves",
  type: "ReserveFact",
  doc: "A v2 pair's reserves from here on.",
  sources: [{ table: "v2_sync", values: { pool: "f.pair" } }],
  columns: {
    pool,
    reserve0: amount("", { unit: "side0" }),
    reserve1: amount("", { unit: "side1" }),
  },
  leadsTo: market,
};

const firstPrices: FactKind = {
  field: "firstPrices",
  type: "FirstPriceFact",
  doc: "A v3 pool's `Initialize`.",
  sources: [{ table: "v3_initialize" }],
  columns: { pool, sqrtPriceX96: amount(), tick: whole() },
  leadsTo: market,
};

const feeTiers: FactKind = {
  field: "feeTiers",
  type: "FeeTierFact",
  doc: "A fee tier that a v3 factory allows from here on.",
  sources: [{ table: "v3_fee_amount_enabled" }],
  columns: { factory: address(), fee: whole("In 1/1,000,000."), tickSpacing: whole() },
};

const positionChanges: FactKind = {
  field: "positionChanges",
  type: "PositionFact",
  doc: "What happened to a position manager's token id: `transfer`, `increase`, `decrease`, `collect`.",
  sources: [{ table: "v3_nft", values: { tokenId: "f.token_id::text" } }],
  columns: {
    manager: address(),
    tokenId: text("In digits."),
    kind: oneOf(["transfer", "increase", "decrease", "collect"]),
    from: maybe(address("Of `transfer`: the zero address means minted.")),
    to: maybe(address("Of `transfer`: the zero address means burnt.")),
    recipient: maybe(address("Of `collect`.")),
    liquidity: maybe(amount("Of `increase` and `decrease`.")),
    amount0: maybe(amount("Of all but `transfer`.")),
    amount1: maybe(amount()),
  },
  anyOf: { account: { columns: ["from", "to", "recipient"], doc: "From, to or recipient." } },
};

export const poolFacts: readonly FactKind[] = [
  swaps,
  liquidityChanges,
  flashes,
  protocolFees,
  reserves,
  firstPrices,
  feeTiers,
  positionChanges,
];
