// The command line of `npm run new:chain`: the addresses that nobody but the user knows.
import { z } from "zod";
import type { Address } from "../../chains/check/readings.ts";
import { nodeUrlProblem } from "../../chains/node-url.ts";
import { readArguments, UsageError } from "../../machine/command-line.ts";

export const USAGE = `usage: npm run new:chain -- --name <name> --rpc <URL of a node> <what the chain has>

  --wrapped-native A       needed unless --v2-router or --v3 is given, whose routers name it
  --native-symbol S        default: the wrapped native's symbol without its W
  --other-wrapped A        a further wrapped coin; may be given several times
  --v2-router A            its factory is found from it
  --v3 manager=A,router=A,quoter=A[,mixed=A]
                           position manager, SwapRouter02, QuoterV2, MixedRouteQuoterV1; once for each deployment
  --island-factory A --farm-factory A --bault-factory A --infrared A --launch-factory A
  --reward-vault-factory A its distributor and reward token are found from it; [--bera-chef A]
  --vault A                an ERC-4626, Beefy or staking vault that no factory announces; may be given several times
  --stable A               a token worth a dollar; may be given several times
  --token A                a token to list with symbol and decimals; may be given several times
  --only-listed            index only the tokens named here, from the first of them on; else all, from block 0
  --force                  overwrite a file that exists

Writes chains/<name>.json from what the node says about these contracts, and checks it. Exit code: that of check:chain.`;

const address = z
  .string("is missing")
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be a 0x-prefixed address of 40 hex digits")
  .regex(/[^0x]/, "must not be the zero address")
  .transform((value) => value.toLowerCase() as Address);
const addresses = z.array(address).default([]);

const deployment = z
  .string()
  .transform((text) => Object.fromEntries(text.split(",").map((part) => part.split("="))))
  .pipe(z.strictObject({ manager: address, router: address, quoter: address, mixed: address.optional() }));

const schema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and dashes"),
  rpc: z.string().superRefine((text, context) => {
    const problem = nodeUrlProblem(text);
    if (problem !== undefined) context.addIssue(problem);
  }),
  "wrapped-native": address.optional(),
  "native-symbol": z.string().min(1).optional(),
  "other-wrapped": addresses,
  "v2-router": address.optional(),
  v3: z.array(deployment).default([]),
  "island-factory": address.optional(),
  "farm-factory": address.optional(),
  "bault-factory": address.optional(),
  infrared: address.optional(),
  "launch-factory": address.optional(),
  "reward-vault-factory": address.optional(),
  "bera-chef": address.optional(),
  vault: addresses,
  stable: addresses,
  token: addresses,
  "only-listed": z.boolean().default(false),
  force: z.boolean().default(false),
});

export type NewChainOptions = z.infer<typeof schema>;

const text = { type: "string" } as const;
const texts = { type: "string", multiple: true } as const;
const flag = { type: "boolean" } as const;

/** @throws UsageError */
export function readOptions(argv: readonly string[]): NewChainOptions {
  const { values } = parse(argv);
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [option, ...inside] = (issue?.path ?? []).filter((key) => typeof key === "string");
  const part = inside.length > 0 ? ` (${inside.join(".")})` : "";
  const isMissing = option !== undefined && values[option as keyof typeof values] === undefined;
  throw new UsageError(isMissing ? `--${option} is missing` : `--${option}${part}: ${issue?.message}`);
}

function parse(argv: readonly string[]) {
  return readArguments(argv, {
    options: {
      name: text,
      rpc: text,
      "wrapped-native": text,
      "native-symbol": text,
      "v2-router": text,
      "island-factory": text,
      "farm-factory": text,
      "bault-factory": text,
      infrared: text,
      "launch-factory": text,
      "reward-vault-factory": text,
      "bera-chef": text,
      "other-wrapped": texts,
      v3: texts,
      vault: texts,
      stable: texts,
      token: texts,
      "only-listed": flag,
      force: flag,
    },
  });
}
