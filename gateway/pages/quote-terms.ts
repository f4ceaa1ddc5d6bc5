// What was typed into the form of quotes, turned into the questions' input: tokens by symbol or address, amounts in whole tokens.
import { GatewayError } from "../errors.ts";
import { type Address, address as addressShape, parseInput } from "../parameters.ts";
import { quoteRequest } from "../questions/router-quote.ts";
import { tokenPrices } from "../questions/token-prices.ts";
import { tokensPage } from "../questions/tokens.ts";
import type { FieldErrors } from "./field-errors.ts";
import { readable } from "./parts/shown-text.tsx";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** A token of the form. */
export interface Side {
  /** As the API takes it: an address, or the native coin's symbol. */
  id: string;
  /** Of the native coin: the wrapped token's. */
  token: Address;
  isNative: boolean;
  symbol: string | undefined;
  decimals: number;
}

export interface QuoteTerms {
  tokenIn: Side;
  tokenOut: Side;
  type: "exactIn" | "exactOut";
  /** Raw units: of tokenIn for `exactIn`, of tokenOut for `exactOut`. */
  amount: bigint;
  /** Percent. */
  slippage: string;
}

export const USUAL_SLIPPAGE = "0.5";
const MATCHES = 50;

/** The form's fields by what errors call them. */
export const QUOTE_FIELDS: Readonly<Record<string, string>> = {
  tokenInAddress: "tokenIn",
  tokenOutAddress: "tokenOut",
  amount: "amount",
  type: "type",
  slippageTolerance: "slippage",
  block: "block",
  at: "block",
};

/** Whether anything is asked yet. */
export const isBlank = ({ query }: Pick<ViewRequest, "query">): boolean =>
  ["tokenIn", "tokenOut", "amount"].every((name) => query(name) === undefined);

/** Undefined where something is wrong, which `errors` then holds. @throws what tokenPrices and tokensPage throw of the index */
export async function readQuoteTerms(
  request: Pick<ViewRequest, "ask" | "query">,
  at: ShownBlock,
  errors: FieldErrors,
): Promise<QuoteTerms | undefined> {
  const { query } = request;
  const tokenIn = await sideOf(request, at, { field: "tokenIn", errors });
  const tokenOut = await sideOf(request, at, { field: "tokenOut", errors });
  const type = query("type") === "exactOut" ? "exactOut" : "exactIn";
  const given = type === "exactIn" ? tokenIn : tokenOut;
  const amount = given && rawAmount(query("amount"), given, errors);
  const slippage = query("slippage") ?? USUAL_SLIPPAGE;
  await errors.of(() =>
    // what was typed is checked as the API checks it, even while other fields are empty
    parseInput(quoteRequest, {
      tokenInAddress: tokenIn?.id ?? "0x",
      tokenOutAddress: tokenOut?.id ?? "0x",
      amount: String(amount ?? 1n),
      type: query("type") ?? "exactIn",
      slippageTolerance: slippage,
    }),
  );
  if (tokenIn && tokenOut && tokenIn.token === tokenOut.token && tokenIn.isNative === tokenOut.isNative)
    errors.set("tokenOut", "is the token that is paid with; name another one");
  if (query("amount") === undefined) errors.set("amount", "is missing; give an amount in whole tokens, e.g. 12.5");
  if (errors.areThere || !tokenIn || !tokenOut || amount === undefined) return undefined;
  return { tokenIn, tokenOut, type, amount, slippage };
}

interface SideField {
  field: "tokenIn" | "tokenOut";
  errors: FieldErrors;
}

async function sideOf(
  request: Pick<ViewRequest, "ask" | "query">,
  at: ShownBlock,
  { field, errors }: SideField,
): Promise<Side | undefined> {
  const text = request.query(field)?.trim();
  if (text === undefined || text === "") {
    errors.set(field, "is missing; give a token's symbol or address");
    return undefined;
  }
  const id = await idOf(request, at, { text, field, errors });
  if (id === undefined) return undefined;
  const { entries } = await request.ask(tokenPrices, { items: [id], block: atBlock(at) });
  const [entry] = entries;
  const { symbol, decimals } = entry?.token.metadata ?? {};
  if (!entry || decimals === undefined) {
    errors.set(
      field,
      entry?.isIndexed ? "its contract gives no decimals, so it cannot be traded here" : unknownToken(text),
    );
    return undefined;
  }
  const { native, token } = entry;
  return { id: entry.id, token: token.address, isNative: native !== undefined, symbol: native ?? symbol, decimals };
}

const unknownToken = (text: string): string =>
  addressShape.safeParse(text).success
    ? "nothing is known of this token at this block; check the address and the block"
    : `no token known at this block is called ${readable(text, 24)}; give its address, 0x and 40 hex digits`;

/** What the API takes for it: itself where it is an address or the native coin, else the one token that bears the symbol. */
async function idOf(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  { text, field, errors }: SideField & { text: string },
): Promise<string | undefined> {
  if (await isAnswered(ask(tokenPrices, { items: [text], block: atBlock(at) }))) return text;
  if (text.includes("\0")) {
    errors.set(field, unknownToken(text));
    return undefined;
  }
  const { entries } = await ask(tokensPage, { block: atBlock(at), first: MATCHES, search: text, isSymbol: true });
  const [found, ...others] = entries;
  if (!found) errors.set(field, unknownToken(text));
  else if (others.length > 0) {
    const addresses = [found, ...others].map(({ token }) => token.address).join(", ");
    errors.set(field, `several tokens are called so; give the address of one: ${addresses}`);
  }
  return others.length > 0 ? undefined : found?.token.address;
}

/** Whether it is right input. @throws what is not about the input */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return false;
    throw error;
  }
}

const A_DECIMAL = /^(\d{1,60})(?:\.(\d{1,60}))?$/;

/** Whole tokens as raw units, exactly. */
function rawAmount(text: string | undefined, { decimals, symbol }: Side, errors: FieldErrors): bigint | undefined {
  if (text === undefined) return undefined;
  const [match, whole = "", fraction = ""] = A_DECIMAL.exec(text.trim()) ?? [];
  if (match === undefined) {
    errors.set("amount", "must be an amount in whole tokens, in digits with a point, e.g. 12.5");
    return undefined;
  }
  if (fraction.length > decimals) {
    const name = symbol === undefined ? "this token" : readable(symbol, 16);
    errors.set("amount", `has ${fraction.length} digits behind the point; ${name} has only ${decimals}`);
    return undefined;
  }
  const raw = BigInt(whole + fraction.padEnd(decimals, "0"));
  if (raw === 0n) errors.set("amount", "must be above 0");
  return raw === 0n ? undefined : raw;
}
