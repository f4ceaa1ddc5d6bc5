// What caches may keep. An answer is decided by the index, the block (its hash), this gateway's code and the question;
// a tag over these names it without looking at its bytes.
import { hash } from "node:crypto";
import type { Context } from "hono";
import { hashOf, sourceFiles } from "../../chains/build-hash.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { IMMUTABLE, isMatch } from "../http/etags.ts";
import { requestHeader } from "../http/node-request.ts";
import type { LocatedToken } from "../questions/locate-token.ts";

interface Validators {
  /** Quoted, with `W/` before it when only the meaning is the same. */
  etag: string;
  cacheControl: string;
  block: number;
}

/** Of everything that turns rows into answers. */
const gatewayCode = hashOf(["gateway", "core"].flatMap((folder) => sourceFiles(folder)));

/** Whether the choices will always mean these blocks: they are final, and no later block can take their place. */
const isFixed = (located: LocatedToken, choices: readonly { choice: BlockChoice; block: number }[]): boolean =>
  choices.every(({ choice, block }) => {
    const { finalized } = located.point;
    if (choice.kind === "number") return choice.number === block && block <= finalized;
    return choice.kind === "timestamp" && block < finalized;
  });

/** For an answer that changes when a contract is read that could not be read yet: the revision on which it is based. */
function waitingRevision({ located, blocks }: Pick<Subject, "located" | "blocks">): string | undefined {
  const { waiting, point } = located;
  const newest = Math.max(point.block, ...blocks.map(({ block }) => block));
  return waiting && newest >= waiting.from ? waiting.revision : undefined;
}

/** Metadata that has been read does not change; nothing else of a token at a final block does, once all is read. */
const isSettled = (subject: Subject): boolean =>
  subject.located.token.metadata !== undefined &&
  subject.isReadLater !== true &&
  !subject.located.isSilent &&
  waitingRevision(subject) === undefined;

export interface Subject {
  located: LocatedToken;
  /** The blocks that the request names, and which they are. */
  blocks: readonly { choice: BlockChoice; block: number }[];
  /** The rest of the question: everything else that decides the answer. */
  question: readonly (string | number | undefined)[];
  /** It still lacks something of other contracts that will be read from the chain later. */
  isReadLater?: boolean;
}

const tagOf = ({ located, blocks, question }: Subject): string => {
  const { token, point, index } = located;
  const parts = [
    ...[gatewayCode, index, token.address, String(token.metadata?.decimals), token.flags.join(",")],
    ...[point.block, point.hash ?? "", ...blocks.map(({ block }) => block), waitingRevision({ located, blocks }) ?? ""],
    ...question.map((part) => part ?? ""),
  ];
  return hash("sha256", parts.join("\n"), "base64url").slice(0, 27);
};

/** For an answer that also says how far the index is: what it says about the block is the same, its bytes may differ. */
export const weakValidators = (subject: Subject): Validators => ({
  etag: `W/"${tagOf(subject)}"`,
  cacheControl: "no-cache",
  block: subject.located.point.block,
});

/** For an answer that is only about its blocks. */
export const strongValidators = (subject: Subject): Validators => ({
  etag: `"${tagOf(subject)}"`,
  cacheControl: isFixed(subject.located, subject.blocks) && isSettled(subject) ? IMMUTABLE : "no-cache",
  block: subject.located.point.block,
});

/** Whether the client needs no body: it has this answer. */
export const isHeld = (c: Context, { etag }: Validators): boolean =>
  ["GET", "HEAD"].includes(c.req.method) && isMatch(requestHeader(c, "if-none-match"), etag);

/** A 304 when the client has the answer; undefined otherwise, and then no header is set. */
export function notModified(c: Context, validators: Validators): Response | undefined {
  if (!isHeld(c, validators)) return undefined;
  setValidators(c, validators);
  return c.body(null, 304);
}

/** Sets the headers of an answer, once it is certain; only answers to GET and HEAD are named by a tag. */
export function setValidators(c: Context, { etag, cacheControl, block }: Validators): void {
  c.header("X-Block-Number", String(block));
  if (!["GET", "HEAD"].includes(c.req.method)) return;
  c.header("ETag", etag);
  c.header("Cache-Control", cacheControl);
}
