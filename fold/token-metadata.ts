// Reads name, symbol and decimals of every token once, by multicall, as soon as its first Transfer is seen.
import type { Sql } from "postgres";
import { type Address, hexToBytes, type PublicClient, parseAbi } from "viem";
import { raiseRevision } from "./revision.ts";
import { quoted } from "./tables.ts";

const stringAbi = parseAbi(["function name() view returns (string)", "function symbol() view returns (string)"]);
// MKR and other early tokens answer bytes32.
const bytesAbi = parseAbi(["function name() view returns (bytes32)", "function symbol() view returns (bytes32)"]);
// uint256: a contract that answers more than a uint8 must be seen as out of range, not as a decoding error.
const decimalsAbi = parseAbi(["function decimals() view returns (uint256)"]);
const TOKENS_PER_CALL = 50;
const MAX_TEXT = 256;
/** 10^77 is the largest power of ten below 2^256: with more decimals no amount has a whole unit. */
const MAX_DECIMALS = 77n;

export interface TokenMetadata {
  name: string | undefined;
  symbol: string | undefined;
  decimals: number | undefined;
  /** What is wrong with the contract's answers; undefined when nothing is. */
  problem: string | undefined;
}

/** Control characters and lone surrogates; what a broken encoding decodes to. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\ufffd]/gu;
const CONTROL = /\p{Cc}/u;

/** Without NUL and other control characters, at most 256 characters; undefined when nothing is left. */
export function cleanText(text: string): string | undefined {
  const clean = text.replace(UNPRINTABLE, "").trim();
  return clean === "" ? undefined : [...clean].slice(0, MAX_TEXT).join("");
}

/** As the contract gave it; the zeros that fill a bytes32 are no part of the text. */
function textOf(asString: { result?: unknown }, asBytes: { result?: unknown }): string | undefined {
  if (typeof asString.result === "string") return asString.result;
  if (typeof asBytes.result !== "string") return undefined;
  return new TextDecoder().decode(hexToBytes(asBytes.result as `0x${string}`)).replace(/\0+$/, "");
}

function decimalsProblem(value: bigint | undefined): string | undefined {
  if (value === undefined) return "decimals() gives no number";
  return value > MAX_DECIMALS ? `decimals() is ${value}, outside 0-77` : undefined;
}

const textProblem = (call: string, text: string | undefined): string | undefined =>
  text !== undefined && CONTROL.test(text) ? `${call} holds control characters, shown without them` : undefined;

function metadataOf(results: readonly { result?: unknown; error?: unknown }[]): TokenMetadata {
  const [name, symbol, nameBytes, symbolBytes, decimals] = results;
  if (!name || !symbol || !nameBytes || !symbolBytes || !decimals)
    throw new Error("a multicall answered too few results");
  const [nameText, symbolText] = [textOf(name, nameBytes), textOf(symbol, symbolBytes)];
  const value = typeof decimals.result === "bigint" ? decimals.result : undefined;
  const problems = [decimalsProblem(value), textProblem("name()", nameText), textProblem("symbol()", symbolText)];
  return {
    name: nameText === undefined ? undefined : cleanText(nameText),
    symbol: symbolText === undefined ? undefined : cleanText(symbolText),
    decimals: value !== undefined && decimalsProblem(value) === undefined ? Number(value) : undefined,
    problem: problems.filter((problem) => problem !== undefined).join("; ") || undefined,
  };
}

const callsOf = (address: Address) => [
  { address, abi: stringAbi, functionName: "name" } as const,
  { address, abi: stringAbi, functionName: "symbol" } as const,
  { address, abi: bytesAbi, functionName: "name" } as const,
  { address, abi: bytesAbi, functionName: "symbol" } as const,
  { address, abi: decimalsAbi, functionName: "decimals" } as const,
];

const CALLS_PER_TOKEN = 5;
const multicall = (client: PublicClient, contracts: ReturnType<typeof callsOf>) =>
  client.multicall({ contracts, allowFailure: true, deployless: true, batchSize: 0 });

/** One call at a time: a token that burns all gas it is given spoils only its own answers. */
async function readAlone(client: PublicClient, token: Address): Promise<TokenMetadata> {
  const results = [];
  for (const call of callsOf(token)) results.push(...(await multicall(client, [call])));
  // A node that cannot be reached fails every call: that must throw and be tried again, never be stored as a fact.
  await client.getBlockNumber({ cacheTime: 0 });
  return metadataOf(results);
}

/** Asks `tokens` in one multicall; those that did not answer cleanly are asked again, each alone. */
export async function readMetadata(client: PublicClient, tokens: readonly Address[]): Promise<TokenMetadata[]> {
  const results = await multicall(client, tokens.flatMap(callsOf));
  const metadata: TokenMetadata[] = [];
  for (const [i, token] of tokens.entries()) {
    const read = metadataOf(results.slice(CALLS_PER_TOKEN * i, CALLS_PER_TOKEN * (i + 1)));
    const isClean = read.name !== undefined && read.symbol !== undefined && read.decimals !== undefined;
    metadata.push(isClean ? read : await readAlone(client, token));
  }
  return metadata;
}

async function tokensWithout(db: Sql, s: string): Promise<Address[]> {
  const rows = await db.unsafe(`
    select '0x' || encode(a.key, 'hex') as token from ${s}.asset a
     where a.kind = 'erc20' and not exists (select from ${s}.token t where t.address = a.key)
       and not exists (select from ${s}.token_retry r where r.address = a.key and r.next_try > now())
     order by a.id limit ${TOKENS_PER_CALL}`);
  return rows.map((row) => row.token);
}

/** Reads and stores what is missing, at most one multicall; resolves to how many tokens were stored. */
export async function storeMissingMetadata(
  { db, client }: { db: Sql; client: PublicClient },
  foldSchema: string,
): Promise<number> {
  const s = quoted(foldSchema);
  const tokens = await tokensWithout(db, s);
  if (tokens.length === 0) return 0;
  try {
    const block = Number(await client.getBlockNumber({ cacheTime: 0 }));
    const metadata = await readMetadata(client, tokens);
    for (const [i, { name, symbol, decimals, problem }] of metadata.entries()) {
      await db.unsafe(
        // waits for a block that is being taken back, whose tokens go with it
        `insert into ${s}.token (address, name, symbol, decimals, read_at_block, problem)
         select a.key, $2::text, $3::text, $4::int2, $5::int4, $6::text from ${s}.asset a
          where a.kind = 'erc20' and a.key = decode(substr($1, 3), 'hex') for key share
         on conflict do nothing`,
        [tokens[i] ?? "", name ?? null, symbol ?? null, decimals ?? null, block, problem ?? null],
      );
    }
    await raiseRevision(db, s);
    await db.unsafe(`delete from ${s}.token_retry r using ${s}.token t where t.address = r.address`);
    return tokens.length;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "unknown") : String(error);
    await db.unsafe(
      `insert into ${s}.token_retry (address, attempts, last_error, next_try)
       select decode(substr(token, 3), 'hex'), 1, $2, now() + interval '2 seconds' from unnest($1::text[]) token
       on conflict (address) do update set attempts = token_retry.attempts + 1, last_error = excluded.last_error,
         next_try = now() + least(power(2, least(token_retry.attempts, 6)), 60) * interval '1 second'`,
      [tokens, reason.slice(0, 300)],
    );
    return 0;
  }
}
