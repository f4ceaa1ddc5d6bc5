// How a reward campaign is written: its fields, what each may be, and every problem of one at once.
import { maxUint256 } from "viem";
import { z } from "zod";
import { MULTIPLIER_DIGITS, multiplierOf } from "../../core/rewards/multiplier.ts";
import { sourceKinds } from "../backing/held-as.ts";
import { InvalidInputError } from "../errors.ts";
import { HIGHEST_NUMBER } from "../history/block-choice.ts";
import { address, MOST_LISTED, wholeNumber } from "../parameters.ts";
import { plainProblem } from "../plain-problem.ts";

const MOST_TIMESTAMP = 99_999_999_999;

/** Raw units as digits: JSON's numbers are not exact beyond 2^53. */
const rawUnits = (least: bigint) =>
  z
    .string('must be raw units as digits in quotes, e.g. "1000000"')
    .refine(
      (digits) => /^(?:0|[1-9]\d{0,77})$/.test(digits) && BigInt(digits) >= least && BigInt(digits) <= maxUint256,
      `must be raw units as digits, from ${least} to 2^256 - 1`,
    );

/** Whether exactly one of `names` is there. */
const isOneOf = (value: unknown, names: readonly string[]): boolean =>
  typeof value !== "object" || value === null || names.filter((name) => Object.hasOwn(value, name)).length === 1;

/** Rules across fields are checked also where a field is wrong by itself, so that one error names all problems. */
const always = { when: () => true };

const range = z
  .strictObject({
    fromBlock: wholeNumber(0, HIGHEST_NUMBER).optional(),
    toBlock: wholeNumber(0, HIGHEST_NUMBER).optional(),
    fromTimestamp: wholeNumber(0, MOST_TIMESTAMP).optional(),
    toTimestamp: wholeNumber(0, MOST_TIMESTAMP).optional(),
  })
  .refine((value) => isOneOf(value, ["fromBlock", "fromTimestamp"]), {
    ...always,
    path: ["fromBlock"],
    error: "give either fromBlock or fromTimestamp",
  })
  .refine((value) => isOneOf(value, ["toBlock", "toTimestamp"]), {
    ...always,
    path: ["toBlock"],
    error: "give either toBlock or toTimestamp",
  })
  .describe("Both blocks are included; a time means the last block at or before it");

const source = z
  .strictObject({
    kind: z.enum(sourceKinds, `must be one of ${sourceKinds.join(", ")}`),
    contract: address.optional().describe("Of this contract alone, instead of the multiplier of its kind"),
    multiplier: z
      .string('must be a decimal in quotes, e.g. "1.5"')
      .regex(MULTIPLIER_DIGITS, 'must be a decimal with at most 9 digits before the point and 18 behind it, e.g. "1.5"')
      .default("1"),
  })
  .refine(({ kind, contract }) => kind !== "balance" || contract === undefined, {
    path: ["contract"],
    error: "wallets have none; leave it out",
  });

const sources = z
  .array(source, "must be a list")
  .min(1, "must name at least one source, or say held instead")
  .max(MOST_LISTED, `must name at most ${MOST_LISTED} sources`)
  .superRefine((list, check) => {
    const names = list.map(({ kind, contract = "" }) => `${kind} ${contract}`);
    for (const [i, name] of names.entries())
      if (names.indexOf(name) < i)
        check.addIssue({ code: "custom", path: [i], message: "is named before; give each kind and contract once" });
  })
  .refine((list) => list.some(({ multiplier }) => multiplierOf(multiplier).digits > 0n), {
    error: "nothing counts; give at least one multiplier above 0",
  });

const counts = z
  .strictObject({
    held: z.literal("anywhere", 'must be "anywhere"').optional(),
    sources: sources.optional().describe("These alone, each as often as its multiplier says"),
    inRange: z
      .strictObject({ pool: address })
      .optional()
      .describe(
        "Instead of amounts of the token: liquidity of this v3 pool's positions while the price was within them",
      ),
  })
  .refine((value) => isOneOf(value, ["held", "sources", "inRange"]), {
    ...always,
    error: "give exactly one of held, sources, inRange",
  });

const cap = z
  .strictObject({
    basisPoints: wholeNumber(1, 10_000).optional().describe("Of the budget"),
    amount: rawUnits(1n).optional().describe("Raw units of the reward token"),
  })
  .refine((value) => isOneOf(value, ["basisPoints", "amount"]), {
    ...always,
    error: "give either basisPoints or amount",
  });

/** A campaign as it is sent; parsed it has its defaults, and addresses are lower case. */
export const campaignSchema = z.strictObject({
  chainId: wholeNumber(1, 2 ** 53 - 1),
  token: address.describe("The token to hold; with inRange one of the pool's two tokens"),
  reward: z.strictObject({ token: address, budget: rawUnits(1n).describe("Raw units, all of which are given out") }),
  range,
  weight: z.enum(["blocks", "seconds"], "must be blocks or seconds").default("blocks"),
  counts,
  exclude: z
    .array(address, "must be a list of addresses")
    .max(MOST_LISTED, `must name at most ${MOST_LISTED} addresses`)
    .default([])
    .describe("Accounts that get nothing"),
  minimum: rawUnits(0n).default("0").describe("Average of what counts, before multipliers, that an account must reach"),
  cap: cap.optional().describe("The most that one account gets, but for what a treasury gets as the remainder"),
  remainder: z
    .strictObject({ treasury: address })
    .optional()
    .describe("Who gets what rounding and the cap leave over; without it one unit each goes to the largest fractions"),
});

export type Campaign = z.output<typeof campaignSchema>;

/** A field that is wrong, and why. */
interface FieldProblem {
  /** `range.toBlock`, `counts.sources[2].kind`; empty: the campaign itself. */
  field: string;
  reason: string;
}

/** `parameter`: what the campaign is given as. @throws CampaignError naming every field that is wrong */
export function parseCampaign(value: unknown, parameter: "body" | "campaign"): Campaign {
  const parsed = campaignSchema.safeParse(value, { error: plainProblem });
  if (parsed.success) return parsed.data;
  throw new CampaignError(parameter, parsed.error.issues.flatMap(problemsOf));
}

/** 400 `INVALID_INPUT`; `details.fields` has all that is wrong. */
class CampaignError extends InvalidInputError {
  override name = "CampaignError";

  constructor(parameter: string, fields: readonly FieldProblem[]) {
    const lines = fields.map(({ field, reason }) => (field === "" ? reason : `${field}: ${reason}`));
    super(parameter, lines.join("; "), { fields });
  }
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const field = nameOf(issue.path);
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ field: nameOf([...issue.path, key]), reason: "is no field; leave it out" }));
  return [{ field, reason: issue.message }];
}

const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");

/** The campaign as one text, the same for all equal campaigns: fields in alphabetical order, no spaces. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
