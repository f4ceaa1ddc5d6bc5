// A summary of what was given out: enough for another operator to work it out again and compare.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { canonicalJson } from "../gateway/questions/campaign.ts";
import { type Claim, claimsTrees, FORMATS, type Format } from "./claims.ts";
import { inPieces } from "./pieces.ts";
import { block, type GivenOut } from "./product.ts";

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);

export const manifestSchema = z.object({
  campaign: z.looseObject({ chainId: z.int() }),
  /** Of the campaign's canonical JSON. */
  campaignSha256: z.string(),
  chainId: z.int(),
  from: block,
  to: block,
  /** Of the package that wrote it. */
  version: z.string(),
  accounts: z.int(),
  sum: z.string().regex(/^\d+$/),
  /** Contracts of which it was not known who has a part of what they hold; older manifests do not say. */
  incomplete: z.array(z.string()).optional(),
  roots: z.record(z.enum(FORMATS), hash.nullable()),
  /** By file of the folder. */
  sha256: z.record(z.string(), z.string()),
});

export type Manifest = z.output<typeof manifestSchema>;

const VERSION = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version;

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const claimsFile = (format: Format): string => `claims.${format}.json`;
export const ROWS_FILE = "rewards.csv";
export const FILES: readonly string[] = [ROWS_FILE, ...FORMATS.map(claimsFile)];
const COLUMNS = ["account", "averageRoundedDown", "points", "shareRoundedDown", "amount"] as const;

/** Takes a file's content piece by piece, one file after the other. */
export type TakePiece = (file: string, piece: string) => void;

/** The manifest; all other files of the campaign's folder go to `take`: rows, and the claims of all accounts with an amount above zero. */
export function workOut(given: GivenOut, take: TakePiece = () => {}): Manifest {
  const claims = given.results.flatMap(({ account, amount }): Claim[] =>
    amount === "0" ? [] : [{ account: account as Claim["account"], amount: BigInt(amount) }],
  );
  const sums: Manifest["sha256"] = {};
  const addFile = (name: string, texts: Iterable<string>) => {
    const sum = createHash("sha256");
    for (const piece of inPieces(texts)) {
      sum.update(piece);
      take(name, piece);
    }
    sums[name] = sum.digest("hex");
  };
  addFile(ROWS_FILE, csvTexts(given.results));
  const roots = {} as Manifest["roots"];
  for (const format of FORMATS) {
    const tree = claimsTrees[format](claims);
    roots[format] = tree?.root ?? null;
    if (tree) addFile(claimsFile(format), tree.texts);
  }
  const { campaign } = given;
  const blockOf = ({ number, hash: blockHash }: GivenOut["to"]) => ({ number, hash: blockHash });
  return {
    campaign,
    campaignSha256: sha256(canonicalJson(campaign)),
    chainId: campaign.chainId,
    from: blockOf(given.from),
    to: blockOf(given.to),
    version: VERSION,
    accounts: claims.length,
    sum: String(claims.reduce((sum, { amount }) => sum + amount, 0n)),
    incomplete: given.incomplete,
    roots,
    sha256: sums,
  };
}

function* csvTexts(results: GivenOut["results"]): Generator<string, undefined> {
  yield `${COLUMNS.join(",")}\n`;
  for (const row of results) yield `${COLUMNS.map((name) => row[name]).join(",")}\n`;
  return undefined;
}
