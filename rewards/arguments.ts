// What `npm run rewards` was asked for.
import { readArguments, UsageError } from "../scripts/command-line.ts";
import type { Place } from "./product.ts";

export const USAGE = `npm run rewards -- --campaign <file> --out <folder> [--url <product>] [--key <key>]
npm run rewards -- --check <manifest.json> [--url <product>] [--key <key>]

  --campaign  a campaign as JSON: docs/rewards.md says what is in it
  --out       a folder that is not there yet: rewards.csv, claims for three contracts, manifest.json
  --check     works a manifest out again by the product's own index and compares
  --url       a running product; http://127.0.0.1:4000 unless GATEWAY_URL says otherwise

Exit code 0 when it is written or confirmed, 1 when something differs, 2 when it cannot be worked out.`;

export type Plan = { place: Place } & ({ campaign: string; out: string } | { check: string });

/** @throws UsageError */
export function parsePlan(args: readonly string[], env: NodeJS.ProcessEnv): Plan | "help" {
  const { campaign, out, check, url, key, help } = readOptions(args);
  if (help) return "help";
  const place = { url: urlOf(url, env.GATEWAY_URL), key: key ?? (env.API_KEYS?.split(",")[0]?.trim() || undefined) };
  if (check !== undefined) {
    if (campaign !== undefined || out !== undefined)
      throw new UsageError("--check: compares alone; leave out --campaign and --out");
    return { place, check };
  }
  if (campaign === undefined) throw new UsageError("--campaign: is missing; name a file, or give --check");
  if (out === undefined) throw new UsageError("--out: is missing; name a folder that is not there yet");
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

function urlOf(given: string | undefined, set: string | undefined): string {
  const url = URL.parse((given ?? set) || "http://127.0.0.1:4000");
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${given === undefined ? "GATEWAY_URL" : "--url"}: must be like http://127.0.0.1:4000`);
  return url.href.replace(/\/+$/, "");
}
