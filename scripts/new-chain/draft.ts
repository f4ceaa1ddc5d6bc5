// Makes a chain file from a handful of addresses and what the chain says about them.
import type { z } from "zod";
import type { chainFileSchema } from "../../chains/chain-file.ts";
import { type Address, asAddress, asNumber, type Readings } from "../../chains/check/readings.ts";
import { readDefaultFee, readFlavour } from "../../chains/check/v3-flavour.ts";
import type { NewChainOptions } from "./options.ts";
import { type Given, NO_ADDRESS, Survey } from "./survey.ts";

export type ChainDraft = z.input<typeof chainFileSchema>;

export interface Drafted {
  draft: ChainDraft;
  /** What the chain does not say, one line each with its option. While there are any, the draft cannot be used. */
  problems: string[];
}

/** `chainId` is the node's. */
export function draftChain(options: NewChainOptions, chainId: number, on: Readings): Drafted {
  const survey = new Survey(on);
  const wrappedNative = survey.wrapped(wrappedGiven(options, survey));
  const otherWrapped = options["other-wrapped"].map((address) =>
    survey.wrapped({ address, option: "--other-wrapped" }),
  );
  const tokens = listedTokens(options, wrappedNative.address);
  const listed = tokens.map((given) => survey.source(given));
  const protocols = draftProtocols(options, survey);
  const router = options.name.replace(/^./, (letter) => letter.toUpperCase());
  const draft = {
    name: options.name,
    chainId,
    nativeSymbol: options["native-symbol"] ?? (wrappedNative.symbol.replace(/^w/i, "") || "ETH"),
    wrappedNative,
    otherWrapped,
    startBlock: options["only-listed"] ? survey.oldest : 0,
    tokens: options["only-listed"] ? listed : ("all" as const),
    knownTokens: tokens.map((given) => survey.token(given)),
    stables: options.stable.map((address) => ({ address, priceUsd: "1" })),
    ...protocols,
    ownRouterName: router,
    providers: [{ name: router, weight: "1", priority: 0 }],
  };
  return { draft, problems: [...new Set(survey.problems)] };
}

/** As given, else as the first router says. */
function wrappedGiven(options: NewChainOptions, survey: Survey): Given {
  const { "wrapped-native": given, "v2-router": v2Router } = options;
  const [v3] = options.v3;
  if (given !== undefined) return { address: given, option: "--wrapped-native" };
  if (v2Router !== undefined)
    return { address: survey.address({ address: v2Router, option: "--v2-router" }, "WETH()"), option: "--v2-router" };
  if (v3 !== undefined)
    return { address: survey.address({ address: v3.router, option: "--v3 router" }, "WETH9()"), option: "--v3 router" };
  survey.problems.push("--wrapped-native is missing, and no router names the contract");
  return { address: NO_ADDRESS, option: "--wrapped-native" };
}

/** Each once. */
function listedTokens(options: NewChainOptions, wrappedNative: Address): Given[] {
  const tokens = [
    { address: wrappedNative, option: "--wrapped-native" },
    ...(["other-wrapped", "stable", "token"] as const).flatMap((option) =>
      options[option].map((address) => ({ address, option: `--${option}` })),
    ),
  ];
  return tokens.filter(({ address }, index) => tokens.findIndex((one) => one.address === address) === index);
}

type SourceOption = "island-factory" | "farm-factory" | "bault-factory" | "infrared" | "launch-factory";

function draftProtocols(options: NewChainOptions, survey: Survey) {
  const source = (option: SourceOption) => {
    const address = options[option];
    return address && survey.source({ address, option: `--${option}` });
  };
  const [islands, farms, baults] = [source("island-factory"), source("farm-factory"), source("bault-factory")];
  const [core, launch] = [source("infrared"), source("launch-factory")];
  const { "v2-router": v2Router, "reward-vault-factory": vaultFactory, "bera-chef": chef } = options;
  const deployments = options.v3.map((given) => draftDeployment(given, survey));
  return {
    ...(v2Router && { v2: draftV2(v2Router, survey) }),
    ...(deployments.length > 0 && { v3: { deployments } }),
    ...(islands && { islands: { factory: islands } }),
    ...(vaultFactory && { rewardVaults: draftRewardVaults({ vaultFactory, chef }, survey) }),
    ...(farms && { farms: { factory: farms } }),
    ...(baults && { baults: { factory: baults } }),
    ...(core && { infrared: { core } }),
    externalVaults: options.vault.map((address) => draftVault({ address, option: "--vault" }, survey)),
    ...(launch && { launch: { factory: launch } }),
  };
}

function draftV2(router: Address, survey: Survey) {
  const option = "--v2-router";
  const factory = survey.address({ address: router, option }, "factory()");
  const feeTo = survey.on.view(factory, "feeTo()", asAddress);
  const takesProtocolFee = feeTo.kind === "value" && feeTo.value !== NO_ADDRESS;
  return { factory: survey.source({ address: factory, option }), router, takesProtocolFee };
}

function draftDeployment({ manager, router, quoter, mixed }: NewChainOptions["v3"][number], survey: Survey) {
  const option = "--v3 manager";
  const factory = survey.address({ address: manager, option }, "factory()");
  const flavour = survey.known(readFlavour(survey.on, factory), {
    of: { address: factory, option },
    what: "its flavour",
    instead: "uniswap" as const,
  });
  const fee = readDefaultFee(survey.on, factory);
  return {
    flavour,
    factory: survey.source({ address: factory, option }),
    positionManager: survey.source({ address: manager, option }),
    swapRouter02: router,
    quoterV2: quoter,
    ...(mixed && { mixedRouteQuoterV1: mixed }),
    ...(flavour === "kodiak" && fee.kind === "value" && { defaultFeeProtocol: Number(fee.value) }),
  };
}

interface RewardVaultsGiven {
  vaultFactory: Address;
  chef: Address | undefined;
}

function draftRewardVaults({ vaultFactory, chef }: RewardVaultsGiven, survey: Survey) {
  const given = { address: vaultFactory, option: "--reward-vault-factory" };
  const paysBgt = survey.on.view(vaultFactory, "bgt()", asAddress).kind === "value";
  return {
    factory: survey.source(given),
    distributor: survey.source({ ...given, address: survey.address(given, "distributor()") }),
    ...(chef && { beraChef: survey.source({ address: chef, option: "--bera-chef" }) }),
    rewardToken: survey.address(given, paysBgt ? "bgt()" : "rewardToken()"),
  };
}

const vaultKinds = [
  ["erc4626", "asset()"],
  ["beefy", "want()"],
  ["staking", "stakingToken()"],
] as const;

/** The vault's kind is the first one whose view it answers. */
function draftVault(given: Given, survey: Survey) {
  const kinds = vaultKinds.map(([kind, signature]) => ({
    kind,
    asset: survey.on.view(given.address, signature, asAddress),
  }));
  const { kind, asset } = kinds.find((one) => one.asset.kind === "value") ?? {
    kind: "erc4626" as const,
    asset: undefined,
  };
  const isQueued = survey.on.view(given.address, "reservedAssets()", asNumber).kind === "value";
  const sought = { of: given, what: "asset(), want() or stakingToken()", instead: NO_ADDRESS };
  const queued = kind === "erc4626" && isQueued ? ("erc4626-queued" as const) : kind;
  return { ...survey.source(given), kind: queued, asset: survey.known(asset ?? { kind: "absent" }, sought) };
}
