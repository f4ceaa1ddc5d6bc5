// Whether answers of a changing index are right for the blocks that they name.
import { toNearestDouble } from "../../gateway/numbers.ts";
import { type Answer, entriesOf } from "./http-client.ts";
import { type LiveWorld, transfersOf } from "./live-transfers.ts";
import { DECIMALS } from "./sizes.ts";

export type Holdings = ReadonlyMap<string, bigint>;

/** What the answers are checked with; taken from the plain history, not from the product's tables. */
export interface Truth {
  world: LiveWorld;
  head: number;
  hot: Holdings;
  warm: Holdings;
  /** The warm token's holders at some older blocks. */
  old: ReadonlyMap<number, Holdings>;
}

export interface AnsweredRequest {
  kind: "list" | "whole";
  users: readonly string[];
  wanted: number | undefined;
  answer: Answer;
}

/** What live blocks up to `block` have changed; must be asked for in rising order of blocks. */
function changesUpTo({ world, head }: Truth) {
  const changed = new Map<string, bigint>();
  let done = head;
  return (block: number): ReadonlyMap<string, bigint> => {
    for (; done < block; done++)
      for (const { token, from, to, amount } of transfersOf(world, done + 1)) {
        changed.set(`${token} ${from}`, (changed.get(`${token} ${from}`) ?? 0n) - amount);
        changed.set(`${token} ${to}`, (changed.get(`${token} ${to}`) ?? 0n) + amount);
      }
    return changed;
  };
}

/** The product says that it is behind and gives no number, so that a client asks again. */
export const isRefusal = ({ answer }: AnsweredRequest): boolean =>
  answer.status === 503 && answer.body.includes('"code":"INDEX_FOLDING"');

/** One line for every answer that is wrong for its block. */
export function findWrong(truth: Truth, answered: readonly AnsweredRequest[]): string[] {
  const changes = changesUpTo(truth);
  return answered
    .toSorted((a, b) => a.answer.block - b.answer.block)
    .flatMap((one) => {
      const why = whyWrong(truth, one, changes);
      return why === undefined ? [] : [`${one.kind} at block ${one.answer.block}: ${why}`];
    });
}

function whyWrong(truth: Truth, one: AnsweredRequest, changes: ReturnType<typeof changesUpTo>): string | undefined {
  const { kind, users, wanted, answer } = one;
  const { status, block, body } = answer;
  if (status !== 200) return `status ${status} ${body.toString("utf8", 0, 200)}`;
  if (wanted !== undefined && wanted !== block) return `asked for ${wanted}`;
  const [hot, warm] = truth.world.tokens.map(({ address }) => address);
  const past = kind === "whole" ? truth.old.get(block) : undefined;
  const base = past ?? (kind === "whole" ? truth.warm : truth.hot);
  const delta = past ? undefined : changes(block);
  const token = kind === "whole" ? warm : hot;
  const totalOf = (account: string): number =>
    toNearestDouble((base.get(account) ?? 0n) + (delta?.get(`${token} ${account}`) ?? 0n), DECIMALS);
  const entries = entriesOf(answer);
  // Live accounts hold far more than they send: none starts or stops being a holder.
  const expected = kind === "whole" ? base.size : users.length;
  if (entries.length !== expected) return `${entries.length} entries, not ${expected}`;
  if (new Set(entries.map(({ account }) => account)).size !== expected) return "an account is there twice";
  const bad = entries.find(({ account, total }) => total !== totalOf(account));
  return bad && `${bad.account} has ${bad.total}, not ${totalOf(bad.account)}`;
}
