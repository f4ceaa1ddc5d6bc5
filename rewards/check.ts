// Whether another index works out the same manifest for the same campaign, and where it differs.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalJson } from "../gateway/questions/campaign.ts";
import type { ProductPlace } from "../machine/product-place.ts";
import { terminalText } from "../machine/terminal-text.ts";
import { FORMATS } from "./claims.ts";
import { FILES, type Manifest, manifestSchema, ROWS_FILE, sha256, workOut } from "./manifest.ts";
import { askRewards, type GivenOut } from "./product.ts";

/** The file cannot be read as a manifest; the message is one line. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/** @throws ManifestError */
export function readManifest(path: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new ManifestError(`--check: ${path} cannot be read as JSON; name the manifest.json that rewards wrote`);
  }
  const checked = manifestSchema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new ManifestError(`--check: ${path} is not a manifest: ${issue?.path.join(".")} ${issue?.message}`);
}

/**
 * One line for each thing that differs, safe for a terminal; none where all is confirmed.
 * @throws ManifestError; ProductError
 */
export async function checkManifest(
  path: string,
  place: ProductPlace,
): Promise<{ manifest: Manifest; differences: string[] }> {
  const manifest = readManifest(path);
  const given = await askRewards(place, manifest.campaign);
  const own = workOut(given);
  const differences = [
    ...differing("campaign", sha256(canonicalJson(manifest.campaign)), manifest.campaignSha256),
    ...differing("chain", manifest.chainId, own.chainId),
    ...differing("hash of the first block", manifest.from, own.from),
    ...differing("hash of the last block", manifest.to, own.to),
    ...differing("number of accounts", manifest.accounts, own.accounts),
    ...differing("sum", manifest.sum, own.sum),
    ...(manifest.incomplete ? differing("contracts left out", manifest.incomplete, own.incomplete) : []),
    ...FORMATS.flatMap((format) => differing(`root for ${format}`, manifest.roots[format], own.roots[format])),
    ...differing("sha-256 of the files", manifest.sha256, own.sha256),
    ...(await beside(path, manifest)),
  ];
  const rows = join(dirname(path), ROWS_FILE);
  if (differences.length > 0 && existsSync(rows))
    differences.push(...differingAccounts(amountsOf(readFileSync(rows, "utf8")), given));
  return { manifest, differences: differences.map(terminalText) };
}

function differing(name: string, theirs: unknown, ours: unknown): string[] {
  const [there, here] = [theirs, ours].map((value) => (typeof value === "string" ? value : canonicalJson(value)));
  return there === here ? [] : [`${name}: the manifest says ${there}, this index ${here}`];
}

/** Files beside the manifest that differ from those it was written with. Other names than ours may point anywhere, and are not opened. */
async function beside(path: string, { sha256: sums }: Manifest): Promise<string[]> {
  const differences: string[] = [];
  for (const name of FILES) {
    const [file, sum] = [join(dirname(path), name), sums[name]];
    if (sum === undefined || !existsSync(file) || (await sha256OfFile(file)) === sum) continue;
    differences.push(`${name}: is not the file that the manifest was written with`);
  }
  return differences;
}

async function sha256OfFile(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of createReadStream(path)) sum.update(piece);
  return sum.digest("hex");
}

const MOST_ACCOUNTS_NAMED = 10;

function differingAccounts(there: ReadonlyMap<string, string>, { results }: GivenOut): string[] {
  const here = new Map(results.map(({ account, amount }) => [account, amount]));
  const accounts = [...new Set([...there.keys(), ...here.keys()])].filter(
    (account) => there.get(account) !== here.get(account),
  );
  const lines = accounts
    .slice(0, MOST_ACCOUNTS_NAMED)
    .map((account) => `account ${account}: ${there.get(account) ?? 0} there, ${here.get(account) ?? 0} here`);
  const more = accounts.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more accounts`] : lines;
}

function amountsOf(csv: string): Map<string, string> {
  const lines = csv.trimEnd().split("\n").slice(1);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(",")), line.slice(line.lastIndexOf(",") + 1)]));
}
