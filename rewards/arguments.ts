// The command line of `npm run rewards`.
import { readArguments, UsageError } from "../machine/command-line.ts";
import { type ProductPlace, productPlace } from "../machine/product-place.ts";

export const USAGE = `npm run rewards -- --campaign <file> --out <folder> [--url <product>] [--key <key>]
npm run rewards -- --check <manifest.json> [--url <product>] [--key <key>]

  --campaign  a campaign as JSON: docs/rewards.md says what is in it
  --out       a folder that does not exist yet: rewards.csv, claims for three contracts, manifest.json
  --check     works a manifest out again from the product's own index and compares
  --url       a running product; http://127.0.0.1:4000 unless GATEWAY_URL says otherwise

Exit code 0 when the folder is written or the manifest confirmed, 1 when something differs, 2 when it cannot be worked out.`;

export type Plan = { place: ProductPlace } & ({ campaign: string; out: string } | { check: string });

/** @throws UsageError */
export function parsePlan(args: readonly string[], env: NodeJS.ProcessEnv): Plan | "help" {
  const { campaign, out, check, url, key, help } = readOptions(args);
  if (help) return "help";
  const place = productPlace({ url, key }, env);
  if (check !== undefined) {
    if (campaign !== undefined || out !== undefined)
      throw new UsageError("--check: only compares; leave out --campaign and --out");
    return { place, check };
  }
  if (campaign === undefined) throw new UsageError("--campaign: is missing; name a file, or give --check");
  if (out === undefined) throw new UsageError("--out: is missing; name a folder that does not exist yet");
  return { place, campaign, out };
}

function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    campaign: text,
    out: text,
    check: text,
    url: text,
    key: text,
    help: { type: "boolean" },
  } as const;
  return readArguments(args, { options }).values;
}
