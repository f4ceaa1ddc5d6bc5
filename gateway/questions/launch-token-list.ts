// Graduated tokens as a Uniswap token list.
import type { Operation, OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { pointOf } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import type { Address } from "../parameters.ts";
import { launchesAt } from "../protocols/launch/launches-at.ts";
import { buildTokenList, type GraduatedToken, type TokenList } from "../protocols/launch/token-list.ts";

/**
 * Every graduated token whose decimals are known, at the last synced block; a token that graduated twice stands where it
 * first did. @throws what pointOf throws
 */
export const launchTokenList: Operation<Record<string, never>, TokenList> = {
  name: "tokenList",
  async run(_, context) {
    const { chain, snapshot } = context;
    const point = await pointOf(context, { kind: "latest" });
    const start = await firstTimestamp(snapshot);
    const graduated = firstGraduations((await launchesAt(context, point)).curves.values());
    return buildTokenList(chain, { tokens: await withMetadata(context, graduated), start });
  },
};

type Graduation = Pick<GraduatedToken, "address" | "graduated">;

function firstGraduations(curves: Iterable<{ token: string; graduated: Graduation["graduated"] | undefined }>) {
  const tokens = new Map<string, Graduation>();
  const inOrder = [...curves].flatMap(({ token, graduated }) =>
    graduated ? [{ address: token as Address, graduated }] : [],
  );
  inOrder.sort((a, b) => a.graduated.block - b.graduated.block || a.graduated.logIndex - b.graduated.logIndex);
  for (const one of inOrder) if (!tokens.has(one.address)) tokens.set(one.address, one);
  return [...tokens.values()];
}

async function withMetadata(context: OperationContext, graduated: readonly Graduation[]): Promise<GraduatedToken[]> {
  if (graduated.length === 0) return [];
  const states = await readTokens(
    context,
    graduated.map(({ address }) => address),
  );
  return graduated.flatMap((one, i) => {
    const { name, symbol, decimals } = states[i]?.metadata ?? {};
    return decimals === undefined ? [] : [{ ...one, name, symbol, decimals }];
  });
}

async function firstTimestamp(snapshot: Snapshot): Promise<number | undefined> {
  const [first] = await snapshot.rows<{ timestamp: number }>(
    `select timestamp from ${snapshot.fold}.block order by number limit 1`,
  );
  return first?.timestamp;
}
