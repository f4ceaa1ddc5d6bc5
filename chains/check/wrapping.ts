// How a wrapped native shows wrapping. A simulation with a coin to wrap shows the logs. Where the node cannot simulate, or the
// simulation fails, the calls that the contract accepts and its recent logs decide.
import { toEventSelector, toFunctionSelector } from "viem/utils";
import { z } from "zod";
import { type Address, quantity, type Reading, type Readings } from "./readings.ts";

/** `silent`: neither event shows it. */
export type Wrapping = "weth9" | "transfer" | "silent";

/** An account that belongs to nobody and has a coin in the simulation. */
const SOMEBODY: Address = "0x00000000000000000000000000000000c0ffee00";
const NOBODY = `0x${"0".repeat(64)}`;
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const DEPOSIT = toEventSelector("Deposit(address,uint256)");
const RECENT_BLOCKS = 2000;

const logSchema = z.object({ address: z.string(), topics: z.array(z.string()), transactionHash: z.string().nullish() });
type Log = z.infer<typeof logSchema>;
const simulationSchema = z.tuple([
  z.object({ calls: z.array(z.object({ status: z.string(), logs: z.array(logSchema).default([]) })).length(2) }),
]);

/** `absent`: the token does not wrap. */
export function readWrapping(on: Readings, token: Address): Reading<Wrapping> {
  const code = on.code(token);
  const simulation = on.ask("eth_simulateV1", [simulationOf(token), "latest"]);
  const deposit = on.ask("eth_call", [{ from: SOMEBODY, to: token, data: depositCall }, "latest"]);
  const withdraw = on.ask("eth_call", [{ from: SOMEBODY, to: token, data: withdrawCall(0) }, "latest"]);
  if (code.kind !== "value" || code.value === "0x") return { kind: "unknown", why: undefined };
  const simulated = simulation.kind === "value" ? simulationSchema.safeParse(simulation.value).data : undefined;
  if (simulated) {
    const [{ calls }] = simulated;
    const own = calls[0]?.logs.filter((log) => log.address.toLowerCase() === token) ?? [];
    if (calls.every(({ status }) => Number(status) === 1)) return { kind: "value", value: shownBy(own) };
  }
  if (deposit.kind === "absent" || withdraw.kind === "absent") return { kind: "absent" };
  if (simulation.kind === "unknown" && simulation.why === undefined) return simulation;
  return readRecentWrapping(on, token);
}

const depositCall = toFunctionSelector("deposit()");
const withdrawCall = (amount: number) =>
  toFunctionSelector("withdraw(uint256)") + amount.toString(16).padStart(64, "0");

const simulationOf = (to: Address) => ({
  blockStateCalls: [
    {
      stateOverrides: { [SOMEBODY]: { balance: quantity(10n ** 18n) } },
      calls: [
        { from: SOMEBODY, to, value: quantity(1), input: depositCall },
        { from: SOMEBODY, to, input: withdrawCall(1) },
      ],
    },
  ],
});

const isMint = ({ topics }: Log): boolean => topics[0] === TRANSFER && topics[1] === NOBODY;

/** A token that logs both is a `transfer`: its Deposit repeats the Transfer. */
function shownBy(logs: readonly Log[]): Wrapping {
  if (logs.some(isMint)) return "transfer";
  return logs.some(({ topics }) => topics[0] === DEPOSIT) ? "weth9" : "silent";
}

function readRecentWrapping(on: Readings, token: Address): Reading<Wrapping> {
  const why = "the node does not simulate wrapping, and no account has wrapped recently";
  const fromBlock = quantity(Math.max(0, on.head - RECENT_BLOCKS));
  const range = { address: token, fromBlock, toBlock: "latest" };
  const mints = on.ask("eth_getLogs", [{ ...range, topics: [TRANSFER, NOBODY] }]);
  const deposits = on.ask("eth_getLogs", [{ ...range, topics: [DEPOSIT] }]);
  if (mints.kind === "unknown") return mints;
  if (deposits.kind === "unknown") return deposits;
  const logs = [mints, deposits].flatMap((reading) =>
    reading.kind === "value" ? (z.array(logSchema).safeParse(reading.value).data ?? []) : [],
  );
  const shown = shownBy(logs);
  return shown === "silent" ? { kind: "unknown", why } : { kind: "value", value: shown };
}
