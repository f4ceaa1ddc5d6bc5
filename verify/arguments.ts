// The command line of `npm run verify`.
import { randomBytes } from "node:crypto";
import { readArguments, UsageError } from "../machine/command-line.ts";

export const USAGE = `usage: npm run verify -- --token <address> --block <number> [--accounts <count>]
       npm run verify -- --all [--samples <blocks per token>] [--seed <text>] [--strict]
       npm run verify -- --pool <address> [--block <number>]
       npm run verify -- --pools [--samples <blocks per pool>] [--seed <text>]
       npm run verify -- --vaults [--samples <blocks>] [--seed <text>]
       npm run verify -- --exit <account> [--block <number>]
       npm run verify -- --exits <accounts> [--block <number> | --samples <blocks>] [--seed <text>]
       npm run verify -- --quotes <count> [--block <number> | --samples <blocks>] [--seed <text>]
       npm run verify -- --fresh-quotes <blocks> [--seed <text>] [--reorg]

Compares the product's own answers with the contracts: balanceOf of every account that ever held the token, of some that
never did and of the zero address, totalSupply, and the sum of all holdings with the supply; and entry by entry the list of
/balances, as REST writes it, with the exact one of GraphQL. At one block, or at random blocks before, during and after each
token's life. --accounts compares only that many accounts, picked at random.

--pool and --pools compare v3 pools instead: slot0, liquidity, fee growth, protocol fees, every initialised tick (the whole
bitmap is read), every position in the pool and every token id with its contract, whether any with liquidity is missing (all
positions together have at each tick what the pool counts there, all token ids in each range what the manager's account has),
and what decreaseLiquidity of all and collect would pay the owner of each token id (or owe, where a token refuses the transfer);
at one block, or at random ones and the pool's first and last. Between these, time in range and seconds per liquidity of
positions that nobody touched are compared with snapshotCumulativesInside.

--vaults compares everything that holds tokens for others: reward vaults, farms, Infrared vaults, baults and listed vaults,
v2 pairs and islands. Who has how much of each, how much there is of it, what it takes, and what all of it is worth
(totalAssets, convertToAssets, getUnderlyingBalances), at random blocks and the last one.

--exit takes out everything an account has, for real, on a copy of the chain at the block: positions are closed, stakes
withdrawn (after their locks, by their delegates), shares redeemed and burnt, what comes out taken apart again. What arrives
is compared with what /balances answered, way by way. One wei of what each contract pays is allowed; where that is a share,
what a wei of it is worth. Rewards paid along are left out; exit fees, fees on transfer, what a pair would mint for its protocol
and the part of a unit of liquidity that an island does not burn are added back. Where a contract owes more than it holds, what it
pays is compared with the claim before the cut; where a token cannot be paid out, which is first tried by itself, what depends
on it is skipped. --exits picks that many accounts which together have every kind of holding, nested as deeply as anybody's, at
one block or at random ones.

--quotes asks the router for that many swaps at random blocks. Paths and routes of one leg are compared with QuoterV2, the v2
router and MixedRouteQuoterV1 at the block; every quote's transaction is carried out on a copy of the chain at the block and
must pay exactly the quote; quotes made shortly before that block must pay at least their minimum there, or be refused.

--fresh-quotes waits for that many new blocks of the node, and asks /router/quote of the running gateway from the moment each is
there. Every answer must name the newest block that the gateway shows; the state of every pool that it passes, and every path
that a quoter can repeat, is compared at that block. Where the block moved a pool, the quotes are about that pool. --reorg makes
anvil replace one to five blocks by empty ones before every other look: only on a devnet of your own.

Verdicts: exact; drift (the contract disagrees with its own events: flagged balance-drift in the database, shown by the
gateway, until --all finds the token exact for all accounts, at the flag's block too); unreadable (the contract does not
answer balanceOf or totalSupply); quarantined (not compared); WRONG.
Exit code: 0 all exact; 1 a difference that the token's own events do not explain, or anything stopped, and, with --token or
--strict, any difference at all; 2 nothing could be verified, or not to the end. With --exit, 0 also where the account has tokens
in its wallet and, as answers and contracts agree, nothing else; where it has nothing at all, 2.
Environment: DATABASE_URL, RPC_URL_<chain id> or RPC_URL, GATEWAY_URL and CHAIN (one); those of the running \`npm start\` where they are unset.`;

export interface Plan {
  subject: "tokens" | "pools" | "vaults" | "exits" | "quotes" | "fresh-quotes";
  /** The one token, pool or account to compare; undefined: all. */
  only: `0x${string}` | undefined;
  block: number | undefined;
  samples: number;
  /** Undefined: all that ever held. */
  accounts: number | undefined;
  /** How many accounts to take everything out for. */
  exits: number | undefined;
  /** How many swaps to quote. */
  quotes: number | undefined;
  /** How many new blocks to wait for. */
  freshQuotes: number | undefined;
  /** Whether to replace blocks meanwhile. */
  isReorg: boolean;
  seed: string;
  isStrict: boolean;
}

function wholeNumber(text: string | undefined, option: string, least: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) < least)
    throw new UsageError(`--${option} must be a whole number, at least ${least}`);
  return Number(text);
}

/** Options whose value is how many things to compare. */
const counted: ReadonlySet<string> = new Set(["exits", "quotes", "fresh-quotes"]);

/** Options of which exactly one says what to compare; those with a value name the one to compare. */
const subjects = {
  token: "tokens",
  all: "tokens",
  pool: "pools",
  pools: "pools",
  vaults: "vaults",
  exit: "exits",
  exits: "exits",
  quotes: "quotes",
  "fresh-quotes": "fresh-quotes",
} as const satisfies Record<string, Plan["subject"]>;

function subjectOf(values: Partial<Record<string, string | boolean>>): Pick<Plan, "subject" | "only"> {
  const given = Object.entries(subjects).filter(([option]) => values[option]);
  const [chosen] = given;
  if (!chosen || given.length > 1)
    throw new UsageError(
      `give one of ${Object.keys(subjects)
        .map((option) => `--${option}`)
        .join(", ")}`,
    );
  const [option, subject] = chosen;
  const only = counted.has(option) ? undefined : values[option];
  if (typeof only !== "string") return { subject, only: undefined };
  if (!/^0x[0-9a-fA-F]{40}$/.test(only))
    throw new UsageError(`--${option} must be a 0x-prefixed address of 40 hex digits`);
  return { subject, only: only.toLowerCase() as `0x${string}` };
}

/** @throws UsageError with one line naming the option */
export function parsePlan(argv: readonly string[]): Plan | "help" {
  const options = {
    token: { type: "string" },
    block: { type: "string" },
    accounts: { type: "string" },
    all: { type: "boolean", default: false },
    pool: { type: "string" },
    pools: { type: "boolean", default: false },
    vaults: { type: "boolean", default: false },
    exit: { type: "string" },
    exits: { type: "string" },
    quotes: { type: "string" },
    "fresh-quotes": { type: "string" },
    reorg: { type: "boolean", default: false },
    samples: { type: "string" },
    seed: { type: "string" },
    strict: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = readArguments(argv, { options });
  if (values.help) return "help";
  const block = wholeNumber(values.block, "block", 0);
  const accounts = wholeNumber(values.accounts, "accounts", 1);
  const exits = wholeNumber(values.exits, "exits", 1);
  const quotes = wholeNumber(values.quotes, "quotes", 1);
  const freshQuotes = wholeNumber(values["fresh-quotes"], "fresh-quotes", 1);
  const seed = values.seed ?? randomBytes(4).toString("hex");
  const { subject, only } = subjectOf(values);
  const samples = wholeNumber(values.samples, "samples", 1) ?? (subject === "exits" ? 6 : 20);
  return {
    subject,
    only,
    block,
    samples,
    accounts,
    exits,
    quotes,
    freshQuotes,
    isReorg: values.reorg ?? false,
    seed,
    isStrict: values.strict || only !== undefined,
  };
}
