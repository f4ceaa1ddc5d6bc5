// EVM code that makes given calls one after the other and returns what the last one returns. Put in an account's place during
// one eth_call, it shows what that account would get, with its own balances and no transaction.
import { concatHex, type Hex, numberToHex, size } from "viem";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { Address } from "../parameters.ts";

interface Call {
  to: Address;
  data: Hex;
  value: bigint;
}

const PUSH3 = "0x62";
const PUSH20 = "0x73";
const PUSH32 = "0x7f";
const PUSH1_ZERO = "0x6000";
const CODECOPY = "0x39";
const GAS_CALL = "0x5af1";
const ISZERO = "0x15";
const JUMPI = "0x57";
const JUMPDEST = "0x5b";
/** Copies what the last call answered to memory, and leaves its size and place for RETURN or REVERT. */
const ANSWER: Hex = "0x3d600060003e3d6000";
const RETURN = "0xf3";
const REVERT = "0xfd";

/** Of sizes and places up to 16 MB. */
const push3 = (value: number): Hex => concatHex([PUSH3, numberToHex(value, { size: 3 })]);

/** Of code for one call; its data lies at `offset` of the whole code, failure is at `exit`. */
const stepCode = ({ to, data, value }: Call, { offset, exit }: { offset: number; exit: number }): Hex =>
  concatHex([
    ...[push3(size(data)), push3(offset), PUSH1_ZERO, CODECOPY],
    ...[PUSH1_ZERO, PUSH1_ZERO, push3(size(data)), PUSH1_ZERO],
    ...[concatHex([PUSH32, numberToHex(value, { size: 32 })]), concatHex([PUSH20, to])],
    ...[GAS_CALL, ISZERO, push3(exit), JUMPI],
  ] as Hex[]);

const STEP_BYTES = size(stepCode({ to: ZERO_ADDRESS, data: "0x", value: 0n }, { offset: 0, exit: 0 }));
const END: Hex = concatHex([ANSWER, RETURN, JUMPDEST, ANSWER, REVERT]);

/** Reverts with the reason of the first call that does. All data together must be below 16 MB; providers' is far below: see answer-fields.ts. */
export function callSequence(calls: readonly Call[]): Hex {
  const bodyBytes = STEP_BYTES * calls.length;
  const exit = bodyBytes + size(ANSWER) + size(RETURN);
  let offset = bodyBytes + size(END);
  const steps = calls.map((call) => {
    const step = stepCode(call, { offset, exit });
    offset += size(call.data);
    return step;
  });
  return concatHex([...steps, END, ...calls.map(({ data }) => data)]);
}
