// The shape in which nearly every client asks: one query as a JSON body, JSON wanted. Read straight from the socket,
// without a request object of the web's making around it.
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { InvalidInputError } from "../errors.ts";
import { nodeRequest, requestHeader } from "../http/node-request.ts";

interface PostedQuery {
  query: string;
  variables: Record<string, unknown> | undefined;
  operationName: string | undefined;
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/** Clients that want streams or the newer content type say so. */
const OTHER_SHAPES = /event-stream|multipart|graphql-response|q=/i;
const ANY_JSON = /\*\/\*|application\/json/i;

/** Whether a JSON body and a JSON answer are what this request is about. */
export function isPlainPost(c: Context): boolean {
  if (c.req.method !== "POST" || !JSON_TYPE.test(requestHeader(c, "content-type") ?? "")) return false;
  const accept = requestHeader(c, "accept");
  return accept === undefined || (ANY_JSON.test(accept) && !OTHER_SHAPES.test(accept));
}

/** The body, once. */
export function bodyText(c: Context): Promise<string> {
  const { incoming } = nodeRequest(c);
  // a body of unknown length has been read already: see limitBody
  return incoming && requestHeader(c, "content-length") !== undefined ? textOf(incoming) : c.req.text();
}

function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.once("end", () => resolve(Buffer.concat(pieces).toString("utf8")));
    incoming.once("close", () => {
      if (!incoming.complete) reject(new InvalidInputError("body", "was not sent to its end"));
    });
    incoming.once("error", reject);
  });
}

const FIELDS = new Set(["query", "variables", "operationName", "extensions"]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined unless all of it is right: what is wrong is explained by code that reads it again. */
export function parsePosted(text: string): PostedQuery | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(body) || Object.keys(body).some((name) => !FIELDS.has(name))) return undefined;
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== "string") return undefined;
  const isRight =
    [variables, extensions].every((value) => value === undefined || value === null || isObject(value)) &&
    (operationName === undefined || operationName === null || typeof operationName === "string");
  if (!isRight) return undefined;
  return { query, variables: isObject(variables) ? variables : undefined, operationName: operationName ?? undefined };
}
