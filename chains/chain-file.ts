// The shape of chains/<name>.json: everything that differs between deployments. Validation lives here and nowhere else.
import { z } from "zod";

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be a 0x-prefixed address of 40 hex digits")
  .transform((value) => value.toLowerCase() as `0x${string}`);
const block = z.number().int().min(0);
const source = z.strictObject({ address, startBlock: block });

/** How a wrapped native token shows wrapping: `weth9` by Deposit/Withdrawal logs, `transfer` by Transfers from/to zero. */
const wrappedToken = z.strictObject({ address, symbol: z.string().min(1), flavour: z.enum(["weth9", "transfer"]) });

const knownToken = z.strictObject({
  address,
  symbol: z.string().min(1),
  decimals: z.number().int().min(0).max(77),
  tags: z.array(z.string()).default([]),
});

const externalVault = z.strictObject({
  address,
  /** `erc4626-queued`: withdrawn assets wait in the vault and no longer belong to its shares (`reservedAssets()`). */
  kind: z.enum(["erc4626", "erc4626-queued", "beefy", "staking"]),
  asset: address,
  holder: address.optional(),
  startBlock: block,
});

/** One v3 factory with the contracts that were built on it. Its pools have its flavour. */
const v3Deployment = z
  .strictObject({
    flavour: z.enum(["uniswap", "kodiak"]),
    factory: source,
    positionManager: source,
    swapRouter02: address,
    quoterV2: address,
    mixedRouteQuoterV1: address.nullable().default(null),
    /**
     * Fallback only, packed as in `slot0`: the fee protocol of a `kodiak` pool is read at its creation block. It is in no
     * event, so a `kodiak` deployment must state it; pools of flavour `uniswap` begin with 0.
     */
    defaultFeeProtocol: z.number().int().min(0).optional(),
  })
  .superRefine(({ flavour, defaultFeeProtocol }, context) => {
    if (flavour !== "kodiak" || defaultFeeProtocol !== undefined) return;
    const message = "is missing; a kodiak deployment needs it: write what defaultFeeProtocol() of its factory answers";
    context.addIssue({ code: "custom", path: ["defaultFeeProtocol"], message });
  })
  .transform((deployment) => ({ ...deployment, defaultFeeProtocol: deployment.defaultFeeProtocol ?? 0 }));

/** A protocol that the chain does not have may be left out or `null`; code sees `null`. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** A chain file as it is written. */
export const chainFileFields = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and dashes"),
  chainId: z.number().int().positive(),
  nativeSymbol: z.string().min(1),
  wrappedNative: wrappedToken,
  otherWrapped: z.array(wrappedToken).default([]),
  /** The first block that is indexed. Asking for an earlier one is an error. */
  startBlock: block,
  pollingIntervalMs: z.number().int().min(50).default(1000),
  /**
   * `all`: every ERC-20 Transfer of the chain; a list: only these tokens, wrapped natives, and what the protocols below issue:
   * shares of pairs, islands and vaults, and launched tokens that are their own pool.
   */
  tokens: z.union([z.literal("all"), z.array(source).min(1)]),
  knownTokens: z.array(knownToken).default([]),
  stables: z.array(z.strictObject({ address, priceUsd: z.string().regex(/^\d+(\.\d+)?$/) })).default([]),
  minimumPricingDepthUsd: z.number().positive().default(1000),
  /** Tokens that have another token's price, e.g. BGT that of the wrapped native. */
  pricedAs: z.record(address, address).default({}),
  v2: optional(
    z.strictObject({
      factory: source,
      router: address,
      /** Part of the amount that comes in, in 1/1,000,000. */
      swapFee: z.number().int().min(0).max(1_000_000).default(3000),
      /** Whether the factory's `feeTo` was set from the start: then a sixth of the fees belongs to the protocol. */
      takesProtocolFee: z.boolean().default(false),
    }),
  ),
  v3: optional(z.strictObject({ deployments: z.array(v3Deployment).min(1) })),
  islands: optional(z.strictObject({ factory: source })),
  /** For stakes, the factory is enough. */
  rewardVaults: optional(
    z.strictObject({
      factory: source,
      /** Logs emissions, from which APRs are computed, and holds the reward token until it is claimed. */
      distributor: optional(source),
      /** Decides to which vaults emissions may be directed. */
      beraChef: optional(source),
      /** The token that vaults pay; its `Redeem` is recorded. */
      rewardToken: optional(address),
    }),
  ),
  farms: optional(z.strictObject({ factory: source })),
  baults: optional(z.strictObject({ factory: source })),
  infrared: optional(z.strictObject({ core: source })),
  externalVaults: z.array(externalVault).default([]),
  launch: optional(z.strictObject({ factory: source })),
  aggregator: optional(
    z.strictObject({ address, selector: z.string().regex(/^0x[0-9a-f]{8}$/), canRefund: z.boolean().default(false) }),
  ),
  ownRouterName: z.string().min(1),
  providers: z.array(
    z.strictObject({
      name: z.string().min(1),
      weight: z.string().regex(/^\d+(\.\d+)?$/),
      priority: z.number().int().min(0),
    }),
  ),
  referralCodes: z
    .array(z.strictObject({ code: z.number().int().min(0).max(65535), maxFeeBps: z.number().int().min(0).max(10000) }))
    .default([]),
  gasTipWei: z.string().regex(/^\d+$/).default("0"),
  /** How the history lake is cut into segments: `core/lake/segments.ts`. A lake keeps the rule with which it began. */
  lake: z
    .strictObject({
      segmentBlocks: z.number().int().positive().default(10_000),
      segmentTransfers: z.number().int().positive().default(1_000_000),
    })
    .prefault({}),
});

/**
 * Where tokens are listed, wrapped natives that show wrapping by Deposit and Withdrawal are among them: those events alone, without
 * Transfers, would give balances that are wrong.
 */
export const chainFileSchema = chainFileFields.transform((file) => {
  if (file.tokens === "all") return file;
  const listed = new Set(file.tokens.map((token) => token.address));
  const wrapped = [file.wrappedNative, ...file.otherWrapped].filter(({ flavour }) => flavour === "weth9");
  const missing = new Set(wrapped.map(({ address }) => address).filter((address) => !listed.has(address)));
  return { ...file, tokens: [...file.tokens, ...[...missing].map((address) => ({ address, startBlock: 0 }))] };
});

/** One validated chain file; addresses are lower case. */
export type ChainFile = z.infer<typeof chainFileSchema>;
