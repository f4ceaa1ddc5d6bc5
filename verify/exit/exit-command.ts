// `--exit` and `--exits`: opens the product and the node, takes accounts apart, prints, and decides the exit code.

import type { Address } from "viem";
import { openDatabase } from "../../gateway/database/database.ts";
import { tokensPage } from "../../gateway/questions/tokens.ts";
import { openLastingService } from "../../gateway/service.ts";
import { terminalText } from "../../machine/terminal-text.ts";
import type { Plan } from "../arguments.ts";
import type { VerifyEnvironment } from "../environment.ts";
import { firstBlockOf } from "../first-block.ts";
import { inRequest } from "../in-request.ts";
import { seededRandom } from "../sample-blocks.ts";
import { type ExitComparison, exitCodeOf } from "./compare-exit.ts";
import { compareExits, type ExitCheck, openExitCheck } from "./exit-account.ts";
import { formatExit, problemsOf, summaryOf, totalsOf } from "./exit-report.ts";
import { type Candidate, pickAccounts, readCandidates } from "./pick-accounts.ts";

/** Resolves to the exit code. @throws Error when nothing could be compared */
export async function runExits({ databaseUrl, rpcUrl, chain }: VerifyEnvironment, plan: Plan): Promise<number> {
  const database = openDatabase(databaseUrl);
  try {
    const service = openLastingService({ chains: [chain], database });
    const latest = await inRequest(service, (scope) =>
      scope.run(tokensPage, { block: { kind: "latest" }, first: 1_000_000 }),
    );
    const head = latest.point.block;
    const check = await openExitCheck(service, { chain, rpcUrl, head });
    if (plan.exits !== undefined) {
      const first = await firstBlockOf(service, chain);
      return await exitMany(check, { first, head, plan, count: plan.exits });
    }
    const symbols = new Map(latest.entries.map(({ token }) => [token.address, token.metadata?.symbol ?? ""]));
    return await exitOne(check, { account: accountOf(check, plan), block: plan.block ?? head, symbols });
  } finally {
    await database.close();
  }
}

function accountOf({ announced }: ExitCheck, { only }: Plan): Address {
  if (only === undefined) throw new Error("no account is given");
  if ([...announced.contracts, ...announced.pools].some(({ address }) => address === only))
    throw new Error(`${only} passes on what it holds: name one of its holders instead`);
  return only;
}

async function exitOne(
  check: ExitCheck,
  { account, block, symbols }: { account: Address; block: number; symbols: ReadonlyMap<Address, string> },
): Promise<number> {
  const comparisons = await compareExits(check, { accounts: [account], block });
  for (const one of comparisons)
    for (const line of formatExit(one, { ...check, symbols })) console.log(terminalText(line));
  return exitCodeOf(comparisons);
}

async function exitMany(
  check: ExitCheck,
  { first, head, plan, count }: { first: number; head: number; plan: Plan; count: number },
): Promise<number> {
  const random = seededRandom(plan.seed);
  const picked = pickAccounts(await candidatesOf(check, { first, head, plan, random }), count, random);
  if (picked.length === 0) throw new Error("at the chosen blocks nobody has anything outside wallets");
  const comparisons: ExitComparison[] = [];
  for (const [block, accounts] of byBlock(picked))
    for (const one of await compareExits(check, { accounts, block })) {
      comparisons.push(one);
      for (const line of [summaryOf(one), ...problemsOf(one, check.announced)]) console.log(terminalText(line));
    }
  for (const line of totalsOf(comparisons, check.announced)) console.log(terminalText(line));
  console.log(`seed ${plan.seed}`);
  return exitCodeOf(comparisons);
}

async function candidatesOf(
  check: ExitCheck,
  { first: least, head, plan, random }: { first: number; head: number; plan: Plan; random: () => number },
): Promise<Candidate[]> {
  const { contracts, pools } = check.announced;
  const announced = [...contracts, ...pools].reduce((first, { since }) => Math.min(first, since), head);
  const first = Math.max(least, announced);
  const blocks =
    plan.block === undefined
      ? Array.from({ length: plan.samples }, () => first + Math.floor(random() * (head - first + 1)))
      : [plan.block];
  const candidates: Candidate[][] = [];
  for (const block of new Set(blocks)) candidates.push(await readCandidates(check, block));
  return candidates.flat();
}

function byBlock(picked: readonly Candidate[]): [number, Address[]][] {
  const accounts = new Map<number, Address[]>();
  for (const { account, block } of picked) accounts.set(block, [...(accounts.get(block) ?? []), account]);
  return [...accounts].sort(([a], [b]) => a - b);
}
