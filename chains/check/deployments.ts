// Uniswap v2 and v3 of a chain file: whether factories, position managers, routers and quoters belong together.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asAddress, asNumber, type Readings } from "./readings.ts";
import { type Field, isOfKind, names, type Rule, unchecked } from "./rule.ts";
import { flavourOf } from "./v3-flavour.ts";

const NO_ADDRESS = `0x${"0".repeat(40)}`;

export const v2Rule: Rule = ({ v2 }, on) => {
  if (v2 === null) return [];
  const factory = { path: "v2.factory.address", address: v2.factory.address };
  const router = { path: "v2.router", address: v2.router };
  return [
    ...isOfKind(on, factory, { what: "a v2 factory", signature: "allPairsLength()" }),
    ...isOfKind(on, router, { what: "a v2 router", signature: "factory()" }),
    ...ofFactory(on, factory, [router]),
    ...protocolFee(on, v2),
  ];
};

/** `feeTo` may be set at any time, but the field is about the beginning: a difference is a notice, not a mistake. */
function protocolFee(on: Readings, { factory, takesProtocolFee }: NonNullable<ChainFile["v2"]>): Finding[] {
  const path = "v2.takesProtocolFee";
  const feeTo = on.view(factory.address, "feeTo()", asAddress);
  if (feeTo.kind !== "value") return unchecked(path, feeTo);
  const isOn = feeTo.value !== NO_ADDRESS;
  if (isOn === takesProtocolFee) return [];
  return [notice(path, `is ${takesProtocolFee}, but the factory's feeTo() is ${isOn ? feeTo.value : "not set"} today`)];
}

export const v3Rule: Rule = ({ v2, v3 }, on) =>
  (v3?.deployments ?? []).flatMap((deployment, index) => {
    const at = (field: string, address: Address): Field => ({ path: `v3.deployments[${index}].${field}`, address });
    const factory = at("factory.address", deployment.factory.address);
    const manager = at("positionManager.address", deployment.positionManager.address);
    const router = at("swapRouter02", deployment.swapRouter02);
    const quoter = at("quoterV2", deployment.quoterV2);
    const { mixedRouteQuoterV1 } = deployment;
    const mixed = mixedRouteQuoterV1 === null ? [] : [at("mixedRouteQuoterV1", mixedRouteQuoterV1)];
    const v2Factory = v2 === null ? undefined : { path: "v2.factory.address", address: v2.factory.address };
    return [
      ...isV3Factory(on, factory),
      ...flavourOf(on, { ...deployment, path: `v3.deployments[${index}]` }),
      ...isOfKind(on, manager, { what: "a position manager", signature: "baseURI()" }),
      ...isOfKind(on, router, { what: "a SwapRouter02", signature: "positionManager()" }),
      ...isOfKind(on, quoter, { what: "a QuoterV2", signature: "factory()" }),
      ...hasNone(on, quoter, { what: "a QuoterV2", signature: "factoryV2()" }),
      ...mixed.flatMap((field) => [
        ...isOfKind(on, field, { what: "a MixedRouteQuoterV1", signature: "factoryV2()" }),
        ...hasNone(on, field, { what: "a MixedRouteQuoterV1", signature: "positionManager()" }),
      ]),
      ...ofFactory(on, factory, [manager, router, quoter, ...mixed]),
      ...[router, ...mixed].flatMap((field) =>
        names(on, field, { signatures: ["factoryV2()"], listed: v2Factory, kind: "notice" }),
      ),
    ];
  });

/** On every chain, a factory's constructor sets some of these. */
const TIERS = [100, 500, 3000, 10_000];

function isV3Factory(on: Readings, factory: Field): Finding[] {
  const signature = "feeAmountTickSpacing(uint24)";
  const spacings = TIERS.map((tier) => on.view(factory.address, [signature, tier], asNumber));
  const answered = spacings.flatMap((spacing) => (spacing.kind === "value" ? [spacing.value] : []));
  if (answered.length < TIERS.length) return isOfKind(on, factory, { what: "a v3 factory", signature, argument: 500 });
  if (answered.some((spacing) => spacing > 0n)) return [];
  return [
    notice(factory.path, `its factory has none of the fee tiers ${TIERS.join(", ")}: is it a Uniswap v3 factory?`),
  ];
}

/** The contract does not answer `signature`: contracts of this kind lack it, and another kind has it. */
function hasNone(on: Readings, { path, address }: Field, { what, signature }: { what: string; signature: string }) {
  const answer = on.view(address, signature, asAddress);
  if (answer.kind !== "value") return unchecked(path, answer);
  return [mistake(path, `${address} is not ${what}, which has no ${signature}`)];
}

/**
 * All of them belong to the listed factory. Where they all name one other factory, the listed factory is wrong.
 */
function ofFactory(on: Readings, factory: Field, fields: readonly Field[]): Finding[] {
  const read = fields.map((field) => ({ ...field, factory: on.view(field.address, "factory()", asAddress) }));
  const known = read.flatMap((one) => (one.factory.kind === "value" ? [{ ...one, of: one.factory.value }] : []));
  const open = read.flatMap(({ path, factory: reading }) => unchecked(path, reading));
  const others = known.filter(({ of }) => of !== factory.address);
  const [first] = others;
  const isAgreed = first !== undefined && known.length > 1 && known.every(({ of }) => of === first.of);
  if (isAgreed)
    return [...open, mistake(factory.path, `is ${factory.address}, but ${listOf(known)} are of factory ${first.of}`)];
  const manager = managerNamed(on, factory, known);
  return [
    ...open,
    ...others.map(({ path, address, of }) => {
      const instead = path.endsWith(".positionManager.address") && manager ? `; write ${manager}` : "";
      return mistake(path, `${address} is of factory ${of}, not of the listed ${factory.address}${instead}`);
    }),
  ];
}

/** The position manager that a router of the listed factory names, if that manager belongs to the same factory. */
function managerNamed(on: Readings, factory: Field, known: readonly (Field & { of: Address })[]): Address | undefined {
  for (const { address, of } of known) {
    const manager = of === factory.address ? on.view(address, "positionManager()", asAddress) : undefined;
    if (manager?.kind !== "value") continue;
    const its = on.view(manager.value, "factory()", asAddress);
    if (its.kind === "value" && its.value === factory.address) return manager.value;
  }
  return undefined;
}

const listOf = (fields: readonly Field[]): string => fields.map(({ path }) => path.replace(/^.*\]\./, "")).join(", ");
