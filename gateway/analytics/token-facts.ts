// The facts of tokens and of the markets that trade them, blocks, and events that have no table of their own.
import { address, amount, type FactKind, maybe, oneOf, text, V2_SWAP_FEE, whole } from "./fact-kind.ts";

const transfers: FactKind = {
  field: "transfers",
  type: "TransferFact",
  doc: "An ERC-20 Transfer.",
  sources: [{ table: "erc20_transfer" }],
  columns: {
    token: address(),
    from: address("The zero address means minted."),
    to: address("The zero address means burnt."),
    amount: amount("As logged: for a token with a fee on transfers each part has its own log.", { unit: "token" }),
  },
  anyOf: { account: { columns: ["from", "to"], doc: "From or to." } },
  leadsTo: { tokenDetail: { column: "token", to: "token" } },
};

const wraps: FactKind = {
  field: "wraps",
  type: "WrapFact",
  doc: "Deposits to and withdrawals from a wrapped native token that logs no Transfer for them.",
  sources: [
    { table: "weth9_deposit", values: { kind: "'deposit'" } },
    { table: "weth9_withdrawal", values: { kind: "'withdrawal'" } },
  ],
  columns: {
    token: address(),
    kind: oneOf(["deposit", "withdrawal"]),
    account: address(),
    amount: amount("", { unit: "token" }),
  },
  leadsTo: { tokenDetail: { column: "token", to: "token" } },
};

/** The only kind whose facts are things that stay: other facts lead here. */
const markets: FactKind = {
  field: "markets",
  type: "Market",
  doc: "Where two tokens trade: a v3 pool, a v2 pair or a launch curve, as it was announced.",
  sources: [
    {
      table: "v3_pool_created",
      values: { protocol: "'v3'", address: "f.pool", ordinal: null },
    },
    {
      table: "v2_pair_created",
      values: { protocol: "'v2'", address: "f.pair", fee: V2_SWAP_FEE, tickSpacing: null },
    },
    {
      table: "launch_pool",
      values: {
        protocol: "'curve'",
        address: "f.pool",
        factory: null,
        token0: "f.token",
        token1: "f.base_token",
        fee: null,
        tickSpacing: null,
        ordinal: null,
      },
      condition: "f.kind = 'initialized'",
    },
  ],
  columns: {
    address: address(),
    protocol: oneOf(["v2", "v3", "curve"]),
    factory: maybe(address("Null for launch curves.")),
    token0: address("Of a launch curve: what it sells."),
    token1: address("Of a launch curve: what it raises."),
    fee: maybe(whole("Of a swap, in 1/1,000,000; null for launch curves.")),
    tickSpacing: maybe(whole("Of v3 only.")),
    ordinal: maybe(amount("Of v2 only: its factory's number of pairs, this one included.")),
  },
  anyOf: { token: { columns: ["token0", "token1"], doc: "One of its two tokens." } },
  leadsTo: { token0Detail: { column: "token0", to: "token" }, token1Detail: { column: "token1", to: "token" } },
};

const otherEvents: FactKind = {
  field: "otherEvents",
  type: "OtherEventFact",
  doc: "Every other event of these protocols: settings, pauses, claims.",
  sources: [{ table: "other_event", values: { args: "f.args::text" } }],
  columns: {
    contract: address("Who logged it."),
    event: text("Its name in Solidity."),
    args: text("Its arguments by name, as JSON.", { isFilter: false }),
  },
};

export const tokenFacts: readonly FactKind[] = [transfers, wraps, markets, otherEvents];
