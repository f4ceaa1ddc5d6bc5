// Islands, reward vaults, farms, baults, Infrared, launches and listed vaults: whether each contract is what its field says,
// and whether it names the other contracts that the file lists.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { asAddress, asNumber, type Readings } from "./readings.ts";
import { type Field, isOfKind, names, type Rule, unchecked } from "./rule.ts";

export const islandRule: Rule = ({ islands, v3 }, on) => {
  if (islands === null) return [];
  const field = { path: "islands.factory.address", address: islands.factory.address };
  const over = on.view(field.address, "factory()", asAddress);
  const factories = v3?.deployments.map(({ factory }) => factory.address) ?? [];
  const isOther = over.kind === "value" && !factories.includes(over.value);
  return [
    ...isOfKind(on, field, { what: "an island factory", signature: "islandFee()" }),
    ...(isOther
      ? [mistake(field.path, `its pools are of v3 factory ${over.value}, which v3.deployments does not list`)]
      : unchecked(field.path, over)),
  ];
};

export const rewardVaultRule: Rule = ({ rewardVaults }, on) => {
  if (rewardVaults === null) return [];
  const at = (name: "factory" | "distributor" | "beraChef"): Field | undefined => {
    const address = rewardVaults[name]?.address;
    return address && { path: `rewardVaults.${name}.address`, address };
  };
  const [factory, distributor, beraChef] = [at("factory"), at("distributor"), at("beraChef")];
  const { rewardToken } = rewardVaults;
  const token = rewardToken === null ? undefined : { path: "rewardVaults.rewardToken", address: rewardToken };
  const tokens = ["rewardToken()", "bgt()"];
  return [
    ...(factory
      ? [
          ...isOfKind(on, factory, { what: "a reward vault factory", signature: "allVaultsLength()" }),
          ...names(on, factory, { signatures: ["distributor()"], listed: distributor, isTrusted: true }),
          ...names(on, factory, { signatures: tokens, listed: token, isTrusted: true }),
        ]
      : []),
    ...(distributor
      ? [
          ...names(on, distributor, { signatures: tokens, listed: token }),
          ...names(on, distributor, { signatures: ["beraChef()"], listed: beraChef }),
        ]
      : []),
    ...(beraChef
      ? [
          ...isOfKind(on, beraChef, {
            what: "a BeraChef",
            signature: "isWhitelistedVault(address)",
            argument: beraChef.address,
          }),
          ...names(on, beraChef, { signatures: ["distributor()"], listed: distributor }),
        ]
      : []),
    ...(token ? isOfKind(on, token, { what: "a token", signature: "decimals()" }) : []),
  ];
};

export const factoryRule: Rule = ({ farms, baults, infrared, launch, rewardVaults, v2, wrappedNative }, on) => {
  const v2Factory = v2 === null ? undefined : { path: "v2.factory.address", address: v2.factory.address };
  const vaultFactory = rewardVaults && { path: "rewardVaults.factory.address", address: rewardVaults.factory.address };
  const wrapped = { path: "wrappedNative.address", address: wrappedNative.address };
  const findings: Finding[] = [];
  if (farms !== null) {
    const field = { path: "farms.factory.address", address: farms.factory.address };
    findings.push(...isOfKind(on, field, { what: "a farm factory", signature: "allFarmsLength()" }));
  }
  if (baults !== null) {
    const field = { path: "baults.factory.address", address: baults.factory.address };
    findings.push(
      ...isOfKind(on, field, { what: "a bault factory", signature: "allBaultsLength()" }),
      ...names(on, field, { signatures: ["rewardVaultFactory()"], listed: vaultFactory ?? undefined }),
    );
  }
  if (infrared !== null) {
    const field = { path: "infrared.core.address", address: infrared.core.address };
    const kind = { what: "an Infrared core", signature: "vaultRegistry(address)", argument: wrapped.address };
    findings.push(...isOfKind(on, field, kind));
  }
  if (launch !== null) {
    const field = { path: "launch.factory.address", address: launch.factory.address };
    findings.push(
      ...isOfKind(on, field, { what: "a launch factory", signature: "allPoolsLength()" }),
      ...names(on, field, { signatures: ["dexFactory()"], listed: v2Factory, kind: "notice" }),
      ...names(on, field, { signatures: ["wbera()"], listed: wrapped, kind: "notice" }),
    );
  }
  return findings;
};

type ExternalVault = ChainFile["externalVaults"][number];

/** The view with which a vault of each kind names its asset; no standard prescribes one for kind `staking`. */
const assetViews: Readonly<Record<ExternalVault["kind"], readonly string[]>> = {
  erc4626: ["asset()"],
  "erc4626-queued": ["asset()"],
  beefy: ["want()"],
  staking: ["stakingToken()", "stakeToken()", "asset()"],
};

export const externalVaultRule: Rule = ({ externalVaults }, on) =>
  externalVaults.flatMap((vault, index) => {
    const path = `externalVaults[${index}]`;
    return [...namesAsset(on, vault, path), ...knowsItsQueue(on, vault, path)];
  });

/** Whether withdrawn assets wait in the vault and no longer belong to its shares. */
function knowsItsQueue(on: Readings, { address, kind }: ExternalVault, path: string): Finding[] {
  if (kind !== "erc4626" && kind !== "erc4626-queued") return [];
  const reserved = on.view(address, "reservedAssets()", asNumber);
  if (kind === "erc4626" && reserved.kind === "value")
    return [mistake(`${path}.kind`, `is erc4626, but ${address} answers reservedAssets(): write erc4626-queued`)];
  if (kind === "erc4626-queued" && reserved.kind === "absent")
    return [mistake(`${path}.kind`, `is ${kind}, but ${address} does not answer reservedAssets(): write erc4626`)];
  return [];
}

function namesAsset(on: Readings, { address, kind, asset }: ExternalVault, path: string): Finding[] {
  const answers = assetViews[kind].map((signature) => ({ signature, of: on.view(address, signature, asAddress) }));
  const named = answers.find(({ of }) => of.kind === "value");
  if (named?.of.kind === "value") {
    if (named.of.value === asset) return [];
    return [
      mistake(`${path}.asset`, `is ${asset}, but ${named.signature} of the vault is ${named.of.value}: write that`),
    ];
  }
  const open = answers.find(({ of }) => of.kind === "unknown");
  if (open !== undefined) return unchecked(`${path}.asset`, open.of);
  const others = Object.entries(assetViews).filter(([other]) => other !== kind);
  const fitting = others.find(([, views]) => views.some((view) => on.view(address, view, asAddress).kind === "value"));
  const hint = fitting === undefined ? "" : `: it looks like one of kind ${fitting[0]}`;
  const text = `${address} is no vault of kind ${kind}, it does not answer ${assetViews[kind].join(" or ")}${hint}`;
  return [
    kind === "staking" ? notice(`${path}.asset`, `could not be checked: ${text}`) : mistake(`${path}.kind`, text),
  ];
}
