// The facts of launch pools.
import { address, amount, type FactKind, maybe, oneOf, text } from "./fact-kind.ts";

const pool = address("The launch pool, which may be the launched token itself.");
const market = { market: { column: "pool", to: "market" } } as const;

const launchEvents: FactKind = {
  field: "launchEvents",
  type: "LaunchFact",
  doc: "The life of a launch pool: `initialized` by itself, `deployed` by its factory, `graduated` at its end.",
  sources: [{ table: "launch_pool" }],
  columns: {
    pool,
    kind: oneOf(["initialized", "deployed", "graduated"]),
    factory: maybe(address("Of `deployed`.")),
    implementation: maybe(address("Of `deployed`.")),
    token: maybe(address("Of `initialized`, as all below but the last two: what is launched.")),
    baseToken: maybe(address("What buys it.")),
    sqrtPa: maybe(amount("The curve's first square root of price, times 1e18.")),
    sqrtPb: maybe(amount("Its last.")),
    vestingPeriod: maybe(amount("Seconds.")),
    deployer: maybe(address()),
    data: maybe(text("ABI-encoded name and symbol where the pool is the token.", { isFilter: false })),
    tokenAmount: maybe(amount("Of `graduated`: moved to the pair.")),
    baseAmount: maybe(amount()),
  },
  leadsTo: market,
};

const curveTrades: FactKind = {
  field: "curveTrades",
  type: "CurveTradeFact",
  doc: "A trade on a launch curve: what came in is before fees, what went out after.",
  sources: [{ table: "launch_swap" }],
  columns: {
    pool,
    sender: address(),
    to: address(),
    tokenIn: amount("", { unit: "side0" }),
    baseIn: amount("", { unit: "side1" }),
    tokenOut: amount("", { unit: "side0" }),
    baseOut: amount("", { unit: "side1" }),
  },
  anyOf: { account: { columns: ["sender", "to"], doc: "Sender or to." } },
  leadsTo: market,
};

const curveStates: FactKind = {
  field: "curveStates",
  type: "CurveStateFact",
  doc: "A launch curve from here on.",
  sources: [{ table: "launch_sync" }],
  columns: {
    pool,
    tokenReserve: amount("Left to sell.", { unit: "side0" }),
    baseReserve: amount("Raised.", { unit: "side1" }),
    sqrtPrice: amount("Square root of base per token, raw units, times 1e18."),
  },
  leadsTo: market,
};

export const launchFacts: readonly FactKind[] = [launchEvents, curveTrades, curveStates];
