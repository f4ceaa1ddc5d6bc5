// Which flavour a v3 factory's pools have. Its code holds the code of its pools, which names their events.
import { toEventSelector } from "viem/utils";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asNumber, type Reading, type Readings } from "./readings.ts";
import { unchecked } from "./rule.ts";

export type Flavour = "uniswap" | "kodiak";

/** The one event in which the flavours differ: 8 or 32 bits for each setting. */
const setFeeProtocol = (bits: 8 | 32): string => {
  const type = `uint${bits}`;
  return toEventSelector(`SetFeeProtocol(${type},${type},${type},${type})`).slice(2);
};
const marks: readonly [Flavour, string][] = [
  ["uniswap", setFeeProtocol(8)],
  ["kodiak", setFeeProtocol(32)],
];

/** `absent`: neither its code nor its views tell. */
export function readFlavour(on: Readings, factory: Address): Reading<Flavour> {
  const code = on.code(factory);
  const fee = readDefaultFee(on, factory);
  if (code.kind !== "value") return code;
  const marked = marks.filter(([, mark]) => code.value.includes(mark));
  const [only] = marked;
  if (only !== undefined && marked.length === 1) return { kind: "value", value: only[0] };
  return fee.kind === "value" ? { kind: "value", value: "kodiak" } : fee;
}

/** What new pools of a kodiak factory begin with, packed as in `slot0`; `absent` for factories of flavour `uniswap`. */
export const readDefaultFee = (on: Readings, factory: Address): Reading<bigint> =>
  on.view(factory, "defaultFeeProtocol()", asNumber);

interface Deployment {
  path: string;
  flavour: Flavour;
  factory: { address: Address };
  defaultFeeProtocol: number;
}

/** That the flavour is the factory's, and that the fallback for a pool's first protocol fee is what it gives today. */
export function flavourOf(on: Readings, { path, flavour, factory, defaultFeeProtocol }: Deployment): Finding[] {
  const read = readFlavour(on, factory.address);
  const fee = readDefaultFee(on, factory.address);
  const field = `${path}.flavour`;
  if (read.kind === "unknown") return unchecked(field, read);
  if (read.kind === "absent")
    return [notice(field, "could not be checked: neither code nor views of the factory tell")];
  if (read.value !== flavour) {
    const also = fee.kind === "value" ? `, and "defaultFeeProtocol": ${fee.value}` : "";
    return [
      mistake(field, `is ${flavour}, but pools of factory ${factory.address} are ${read.value}: write that${also}`),
    ];
  }
  if (flavour !== "kodiak" || fee.kind !== "value" || Number(fee.value) === defaultFeeProtocol) return [];
  const today = `is ${defaultFeeProtocol}, but the factory gives new pools ${fee.value} today`;
  return [notice(`${path}.defaultFeeProtocol`, today)];
}
