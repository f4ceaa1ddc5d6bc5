// Tokens of a chain file: their decimals and symbols, tokens with a fixed price, and whether wrapped natives wrap.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asAddress, asNumber, asText, type Readings } from "./readings.ts";
import { type Field, isOfKind, type Rule, unchecked } from "./rule.ts";
import { readWrapping } from "./wrapping.ts";

export const tokenRule: Rule = ({ knownTokens, stables }, on) => [
  ...knownTokens.flatMap(({ address, symbol, decimals }, index) => {
    const path = `knownTokens[${index}]`;
    return [...hasDecimals(on, { path, address }, decimals), ...hasSymbol(on, { path, address }, symbol).map(asLabel)];
  }),
  ...stables.flatMap(({ address }, index) =>
    isOfKind(on, { path: `stables[${index}].address`, address }, { what: "a token", signature: "decimals()" }),
  ),
];

/** Symbols of known tokens are only shown and decide nothing: another name may be intended. */
const asLabel = ({ path, text }: Finding): Finding => notice(path, text);

function hasDecimals(on: Readings, { path, address }: Field, listed: number): Finding[] {
  const decimals = on.view(address, "decimals()", asNumber);
  if (decimals.kind === "unknown") return unchecked(`${path}.decimals`, decimals);
  if (decimals.kind === "absent") return isOfKind(on, { path: `${path}.address`, address }, aToken);
  if (decimals.value === BigInt(listed)) return [];
  return [mistake(`${path}.decimals`, `is ${listed}, but decimals() of ${address} is ${decimals.value}: write that`)];
}

const aToken = { what: "a token", signature: "decimals()" };

function hasSymbol(on: Readings, { path, address }: Field, listed: string): Finding[] {
  const symbol = on.view(address, "symbol()", asText);
  if (symbol.kind !== "value") return unchecked(`${path}.symbol`, symbol);
  if (alike(symbol.value) === alike(listed)) return [];
  return [mistake(`${path}.symbol`, `is "${listed}", but symbol() of ${address} is ${JSON.stringify(symbol.value)}`)];
}

/** `USD₮0` and `USDT0` count as the same. */
const alike = (symbol: string): string => symbol.normalize("NFKC").replaceAll("₮", "T").toLowerCase();

const WRAPPED_DECIMALS = 18;

export const wrappedRule: Rule = (chain, on) => [
  ...[
    { path: "wrappedNative", ...chain.wrappedNative },
    ...chain.otherWrapped.map((wrapped, index) => ({ path: `otherWrapped[${index}]`, ...wrapped })),
  ].flatMap((wrapped) => [
    ...hasDecimals(on, wrapped, WRAPPED_DECIMALS).map(noDecimalsField),
    ...hasSymbol(on, wrapped, wrapped.symbol),
    ...wraps(on, wrapped),
  ]),
  ...isWrappedByAll(chain, on),
];

/** No field states a wrapped native's decimals: the finding is about its address. */
const noDecimalsField = ({ kind, path, text }: Finding): Finding => ({
  kind,
  path: path.replace(/\.decimals$/, ".address"),
  text: text.replace(/^is 18, but (.*): write that$/, "$1, where a wrapped native has 18"),
});

type Wrapped = ChainFile["wrappedNative"] & { path: string };

function wraps(on: Readings, { path, address, flavour }: Wrapped): Finding[] {
  const wrapping = readWrapping(on, address);
  if (wrapping.kind === "unknown") return unchecked(`${path}.flavour`, wrapping);
  if (wrapping.kind === "absent") {
    const shown = "it has no deposit() and withdraw(uint256) that pay it out";
    return [mistake(`${path}.address`, `${address} is not a wrapped native: ${shown}`)];
  }
  if (wrapping.value === "silent")
    return [mistake(`${path}.address`, `${address} wraps without a Deposit and without a Transfer from zero`)];
  if (wrapping.value === flavour) return [];
  return [mistake(`${path}.flavour`, `is ${flavour}, but ${address} shows wrapping as ${wrapping.value}: write that`)];
}

/** Every router wraps by `wrappedNative`. Where all routers name one other token, that field is wrong. */
function isWrappedByAll({ wrappedNative, v2, v3 }: ChainFile, on: Readings): Finding[] {
  const at = (path: string, address: Address, signature: string) => ({ path, address, signature });
  const contracts = [
    ...(v2 ? [at("v2.router", v2.router, "WETH()")] : []),
    ...(v3?.deployments ?? []).flatMap(({ positionManager, swapRouter02, quoterV2, mixedRouteQuoterV1 }, index) => [
      at(`v3.deployments[${index}].positionManager.address`, positionManager.address, "WETH9()"),
      at(`v3.deployments[${index}].swapRouter02`, swapRouter02, "WETH9()"),
      at(`v3.deployments[${index}].quoterV2`, quoterV2, "WETH9()"),
      ...(mixedRouteQuoterV1 ? [at(`v3.deployments[${index}].mixedRouteQuoterV1`, mixedRouteQuoterV1, "WETH9()")] : []),
    ]),
  ];
  const known = contracts.flatMap((contract) => {
    const wrapped = on.view(contract.address, contract.signature, asAddress);
    return wrapped.kind === "value" ? [{ ...contract, wrapped: wrapped.value }] : [];
  });
  const [first] = known;
  if (first === undefined) return [];
  const listed = wrappedNative.address;
  const isAgreed = first.wrapped !== listed && known.every(({ wrapped }) => wrapped === first.wrapped);
  if (isAgreed)
    return [
      mistake("wrappedNative.address", `is ${listed}, but ${first.signature} of all routers is ${first.wrapped}`),
    ];
  return known
    .filter(({ wrapped }) => wrapped !== listed)
    .map(({ path, signature, wrapped }) =>
      mistake(path, `its ${signature} is ${wrapped}, but wrappedNative.address is ${listed}`),
    );
}
