// Reads name, symbol and decimals of every token once, by multicall, as soon as its first Transfer is seen.
import type { Sql } from "postgres";
import { type Address, ContractFunctionExecutionError, hexToBytes, type PublicClient, parseAbi } from "viem";
import { isNodesOwn } from "../node/refusal.ts";
import { raiseRevision } from "../revision.ts";
import { quoted } from "../tables.ts";

const stringAbi = parseAbi(["function name() view returns (string)", "function symbol() view returns (string)"]);
// MKR and other early tokens answer bytes32.
const bytesAbi = parseAbi(["function name() view returns (bytes32)", "function symbol() view returns (bytes32)"]);
// uint256: a contract that answers more than a uint8 must be seen as out of range, not as a decoding error.
const decimalsAbi = parseAbi(["function decimals() view returns (uint256)"]);
const TOKENS_PER_TURN = 50;
/**
 * The aggregating code travels with its calls as creation code, and what it answers counts as the code that is created: at most 49,152
 * and 24,576 bytes (EIP-3860, EIP-170). A token takes 960 and 1,056 of them, more where its name or symbol is longer than 32 bytes.
 */
const TOKENS_PER_CALL = 20;
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
function cleanText(text: string): string | undefined {
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

interface Answer {
  result?: unknown;
  error?: unknown;
}

function metadataOf(results: readonly Answer[]): TokenMetadata {
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
const multicall = (client: PublicClient, contracts: ReturnType<typeof callsOf>, block: bigint) =>
  client.multicall({ contracts, allowFailure: true, deployless: true, batchSize: 0, blockNumber: block });

/** Whether the call as a whole failed, so that no contract has answered: viem gives its error to every call within it. */
const isFailedCall = ({ error }: Answer): boolean =>
  error instanceof ContractFunctionExecutionError && error.functionName === "aggregate3";

/** After this many failed calls, none for a cause of the node's own, it is the token, which burns all gas that it is given. */
const MOST_FAILURES = 6;

export interface UnreadToken {
  token: Address;
  /** How often the node has not answered about it for a cause that may be the token. */
  failures: number;
}

/**
 * One call at a time: a token that burns all gas it is given spoils only its own answers.
 * @throws Error when the node has not answered, because it is behind or busy: that says nothing about the token
 */
async function readAlone(
  client: PublicClient,
  { token, failures }: UnreadToken,
  block: bigint,
): Promise<TokenMetadata> {
  const results: Answer[] = [];
  for (const call of callsOf(token)) {
    const answers: readonly Answer[] = await multicall(client, [call], block);
    const unanswered = answers.find(isFailedCall);
    if (unanswered && (failures < MOST_FAILURES || isNodesOwn(unanswered.error))) throw unanswered.error;
    results.push(...answers);
  }
  // A node that cannot be reached fails every call: that must throw and be tried again, never be stored as a fact.
  await client.getBlockNumber({ cacheTime: 0 });
  return metadataOf(results);
}

/**
 * Asks `tokens` at `block`, as many in one multicall as fit; those that did not answer cleanly are asked again, each alone. For a
 * token about which the node has not answered, the result is an Error.
 */
export async function readMetadata(
  client: PublicClient,
  { tokens, block }: { tokens: readonly UnreadToken[]; block: bigint },
): Promise<(TokenMetadata | Error)[]> {
  const metadata: (TokenMetadata | Error)[] = [];
  for (let from = 0; from < tokens.length; from += TOKENS_PER_CALL)
    metadata.push(...(await readTogether(client, { tokens: tokens.slice(from, from + TOKENS_PER_CALL), block })));
  return metadata;
}

async function readTogether(
  client: PublicClient,
  { tokens, block }: { tokens: readonly UnreadToken[]; block: bigint },
): Promise<(TokenMetadata | Error)[]> {
  const calls = tokens.flatMap(({ token }) => callsOf(token));
  const results = await multicall(client, calls, block);
  const metadata: (TokenMetadata | Error)[] = [];
  for (const [i, token] of tokens.entries()) {
    const read = metadataOf(results.slice(CALLS_PER_TOKEN * i, CALLS_PER_TOKEN * (i + 1)));
    const isClean = read.name !== undefined && read.symbol !== undefined && read.decimals !== undefined;
    metadata.push(isClean ? read : await readAlone(client, token, block).catch(asError));
  }
  return metadata;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The next tokens to read, in the order of their first blocks; `rewinds`: how often blocks had been taken back by then. */
async function tokensWithout(db: Sql, s: string): Promise<(UnreadToken & { firstBlock: number; rewinds: number })[]> {
  return db.unsafe(
    `select '0x' || encode(a.key, 'hex') as token, coalesce(r.failures, 0) as failures, a.first_block as "firstBlock", m.rewinds
       from ${s}.meta m cross join ${s}.asset a left join ${s}.token_retry r on r.address = a.key
      where a.kind = 'erc20' and not exists (select from ${s}.token t where t.address = a.key)
        and (r.next_try is null or r.next_try <= now())
      order by a.id limit ${TOKENS_PER_TURN}`,
  );
}

/** Reads and stores what is missing, some tokens at a time; resolves to how many were stored. */
export async function storeMissingMetadata(
  { db, client }: { db: Sql; client: PublicClient },
  foldSchema: string,
): Promise<number> {
  const s = quoted(foldSchema);
  const unread = await tokensWithout(db, s);
  // the node is not asked for its head while nothing is missing
  if (unread.length === 0) return 0;
  const block = await client.getBlockNumber({ cacheTime: 0 });
  // a token of a later block has no code at this node's head yet
  const tokens = unread.filter(({ firstBlock }) => firstBlock <= Number(block));
  if (tokens.length === 0) return 0;
  const read = await readMetadata(client, { tokens, block }).catch(asError);
  const answered: { token: Address; metadata: TokenMetadata }[] = [];
  for (const [i, { token }] of tokens.entries()) {
    const metadata = read instanceof Error ? read : read[i];
    if (metadata === undefined || metadata instanceof Error) await putOff(db, s, { token, error: metadata });
    else answered.push({ token, metadata });
  }
  const rewinds = tokens[0]?.rewinds ?? 0;
  return answered.length > 0 ? store(db, s, { answered, block: Number(block), rewinds }) : 0;
}

/**
 * In one transaction: stores all of them, and answers made before are not given again; resolves to how many. What was read before
 * blocks were taken back may come from a contract that no longer exists, even if another one has its address now: it is read again.
 */
async function store(
  db: Sql,
  s: string,
  read: { answered: readonly { token: Address; metadata: TokenMetadata }[]; block: number; rewinds: number },
): Promise<number> {
  const { answered, block, rewinds } = read;
  return db.begin(async (tx) => {
    // a block that is being taken back has locked the same row first, and its tokens go with it
    const [meta] = await tx.unsafe(`select rewinds from ${s}.meta for update`);
    if (meta?.rewinds !== rewinds) return 0;
    await raiseRevision(tx, s);
    for (const { token, metadata } of answered) {
      const { name, symbol, decimals, problem } = metadata;
      await tx.unsafe(
        `insert into ${s}.token (address, name, symbol, decimals, read_at_block, problem)
         select a.key, $2::text, $3::text, $4::int2, $5::int4, $6::text from ${s}.asset a
          where a.kind = 'erc20' and a.key = decode(substr($1, 3), 'hex') for key share
         on conflict do nothing`,
        [token, name ?? null, symbol ?? null, decimals ?? null, block, problem ?? null],
      );
    }
    await tx.unsafe(`delete from ${s}.token_retry r using ${s}.token t where t.address = r.address`);
    return answered.length;
  });
}

/** The token is asked about again, later each time. */
async function putOff(
  db: Sql,
  s: string,
  { token, error }: { token: Address; error: Error | undefined },
): Promise<void> {
  const reason = error?.message.split("\n")[0] ?? "unknown";
  await db.unsafe(
    `insert into ${s}.token_retry (address, attempts, failures, last_error, next_try)
     values (decode(substr($1, 3), 'hex'), 1, $3, $2, now() + interval '2 seconds')
     on conflict (address) do update set attempts = token_retry.attempts + 1,
       failures = token_retry.failures + excluded.failures, last_error = excluded.last_error,
       next_try = now() + least(power(2, least(token_retry.attempts, 6)), 60) * interval '1 second'`,
    [token, reason.slice(0, 300), isNodesOwn(error) ? 0 : 1],
  );
}
