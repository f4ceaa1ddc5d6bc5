// Asks a running product over its public REST who gets how much in a campaign.

import { z } from "zod";
import type { ProductPlace } from "../machine/product-place.ts";

/** Longer than the longest answer that a gateway works on. */
const PATIENCE_MS = 120_000;

/** The product does not answer, or refuses; the message is one line. */
export class ProductError extends Error {
  override name = "ProductError";
}

const digits = z.string().regex(/^\d+$/);
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
export const block = z.object({ number: z.int(), hash: z.string().nullable() });
const answer = z.object({
  results: z.array(
    z.object({
      account: address,
      averageRoundedDown: digits,
      points: z.string(),
      shareRoundedDown: z.string(),
      amount: digits,
    }),
  ),
  campaign: z.looseObject({ chainId: z.int(), reward: z.looseObject({ budget: digits }) }),
  from: block,
  to: block,
  isFinal: z.boolean(),
  sum: digits,
  incomplete: z.array(address),
});

export type GivenOut = z.output<typeof answer>;

/** @throws ProductError */
export async function askRewards({ url, key }: ProductPlace, campaign: unknown): Promise<GivenOut> {
  const { status, text } = await post(`${url}/rewards`, key, JSON.stringify(campaign));
  const body = parsed(text);
  if (status !== 200) {
    const error = (body as { error?: { code?: string; message?: string } } | undefined)?.error;
    throw new ProductError(error ? `${error.code}: ${error.message}` : `${url} answered ${status}; correct --url`);
  }
  const checked = answer.safeParse(body);
  if (!checked.success) throw new ProductError(`${url} answered, but not as Tidemark does; correct --url`);
  return checked.data;
}

async function post(url: string, key: string | undefined, body: string): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) };
  try {
    // a redirect would send the key to another server
    const init = {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    } as const;
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch {
    throw new ProductError(`${url} does not answer; start it with "npm start", or say with --url where one runs`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
