// What was answered for an account at a block: all tokens that it has through anything but its own wallet, way by way.
import type { Address } from "viem";
import type { Source } from "../../gateway/balances/source.ts";
import type { Service } from "../../gateway/context.ts";
import { GatewayError } from "../../gateway/errors.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { balancesPage } from "../../gateway/questions/balances.ts";
import { tokensPage } from "../../gateway/questions/tokens.ts";
import { inRequest } from "../in-request.ts";
import type { Trail } from "./unwind.ts";

export interface Answer {
  token: Address;
  trail: Trail;
  amount: bigint;
  /** Number of contracts passed on the longest path of this trail. */
  contracts: number;
  /** From the token to what the account holds; their amounts are `amount`. */
  paths: readonly { path: readonly string[]; amount: bigint }[];
}

export interface Answers {
  answers: Answer[];
  /** How many tokens it has in its own wallet. */
  inWallet: number;
  /** Tokens for which there is no answer, and why. */
  unanswered: Map<Address, string>;
  /** Tokens that are known to disagree with their own events. */
  flagged: ReadonlySet<Address>;
  blockHash: string | undefined;
}

/** The block as `--block` names it. */
export const blockChoice = (number: number) => blockNumbered(number, "--block");

/** Undefined where there is no answer for a token at all: `unanswered` gets the reason. */
export async function unlessUnanswered<T>(
  ask: () => Promise<T>,
  unanswered: (reason: string) => void = () => {},
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 409) throw error;
    unanswered(error.message);
    return undefined;
  }
}

const MOST_TOKENS = 1_000_000;

/** @throws GatewayError when the block cannot be answered */
export function readAnswers(
  service: Service,
  { account, block }: { account: Address; block: number },
): Promise<Answers> {
  return inRequest(service, async (scope) => {
    const page = await scope.run(tokensPage, { block: blockChoice(block), first: MOST_TOKENS });
    const answered: Answers = {
      answers: [],
      inWallet: 0,
      unanswered: new Map(),
      flagged: new Set(page.entries.flatMap(({ token }) => (token.flags.length > 0 ? [token.address] : []))),
      blockHash: page.point.hash,
    };
    for (const { token } of page.entries) {
      const input = { token: token.address, block: blockChoice(block), users: [account], first: 1, isWhole: false };
      const answer = await unlessUnanswered(
        () => scope.run(balancesPage, input),
        (reason) => answered.unanswered.set(token.address, reason),
      );
      const sources = (answer?.entries ?? []).flatMap((entry) => entry.sources);
      answered.answers.push(...answersFrom(token.address, sources));
      if (sources.some(({ kind }) => kind === "balance")) answered.inWallet += 1;
    }
    return answered;
  });
}

function answersFrom(token: Address, sources: readonly Source[]): Answer[] {
  const byTrail = new Map<string, Answer>();
  for (const { kind, paths } of sources) {
    if (kind === "balance") continue;
    for (const { path, amount } of paths) {
      const trail = trailOf(path);
      const before = byTrail.get(trail.join());
      const passed = new Set(path.slice(1).map(contractOf));
      const contracts = Math.max(before?.contracts ?? 0, passed.size);
      const paths = [...(before?.paths ?? []), { path, amount }];
      byTrail.set(trail.join(), { token, trail, amount: amount + (before?.amount ?? 0n), contracts, paths });
    }
  }
  return [...byTrail.values()];
}

/**
 * The trail that taking apart leaves for a path from the token to what the account holds: the holding, then the shares
 * that come out of it. What contracts hold on the way, such as positions and stakes, does not count as a step.
 */
export function trailOf(path: readonly string[]): Trail {
  const held = path.at(-1) ?? "";
  const shares = path.slice(1, -1).filter((asset) => asset.startsWith("erc20:"));
  return [withoutToken(held), ...shares.reverse()];
}

/** A position has one asset for each token. */
const withoutToken = (asset: string): string =>
  asset.startsWith("v3-position:") ? asset.split(":").slice(0, 4).join(":") : asset;

/** The asset's issuer. */
export const contractOf = (asset: string): string => asset.split(":")[1] ?? asset;
