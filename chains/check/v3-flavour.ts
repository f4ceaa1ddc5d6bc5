// Which flavour a v3 factory's pools have. The factory's code contains the code of its pools, and that names their events.
import { toEventSelector } from "viem/utils";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Address, asNumber, type Reading, type Readings } from "./readings.ts";
import { unchecked } from "./rule.ts";

export type Flavour = "uniswap" | "kodiak";

/** The one event in which the flavours differ: each setting has 8 or 32 bits. */
const setFeeProtocol = (bits: 8 | 32): string => {
  const type = `uint${bits}`;
  return toEventSelector(`SetFeeProtocol(${type},${type},${type},${type})`).slice(2);
};
const marks: readonly [Flavour, string][] = [
  ["uniswap", setFeeProtocol(8)],
  ["kodiak", setFeeProtocol(32)],
];

/** `absent`: neither its code nor its views show the flavour. */
export function readFlavour(on: Readings, factory: Address): Reading<Flavour> {
  const code = on.code(factory);
  const fee = readDefaultFee(on, factory);
  if (code.kind !== "value") return code;
  const marked = marks.filter(([, mark]) => code.value.includes(mark));
  const [only] = marked;
  if (only !== undefined && marked.length === 1) return { kind: "value", value: only[0] };
  return fee.kind === "value" ? { kind: "value", value: "kodiak" } : fee;
}

/** The protocol fee with which new pools of a kodiak factory begin, packed as in `slot0`; `absent` for flavour `uniswap`. */
export const readDefaultFee = (on: Readings, factory: Address): Reading<bigint> =>
  on.view(factory, "defaultFeeProtocol()", asNumber);

interface Deployment {
  path: string;
  flavour: Flavour;
  factory: { address: Address };
  defaultFeeProtocol: number;
}

/** The flavour is the factory's, and the fallback for a pool's first protocol fee is the fee that the factory sets today. */
export function flavourOf(on: Readings, { path, flavour, factory, defaultFeeProtocol }: Deployment): Finding[] {
  const read = readFlavour(on, factory.address);
  const fee = readDefaultFee(on, factory.address);
  const field = `${path}.flavour`;
  if (read.kind === "unknown") return unchecked(field, read);
  if (read.kind === "absent")
    return [notice(field, "could not be checked: neither code nor views of the factory show it")];
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
