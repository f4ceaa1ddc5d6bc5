// Node's response with what all our answers have: complete headers, and no proper end once its rows have failed. Headers are added
// where the head is written: adding them to web headers, as routes do, takes a tenth of the time of a short answer.
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Context, Next } from "hono";
import { completeHeaders } from "./answer-headers.ts";
import { nodeRequest } from "./node-request.ts";

const inPairs = (flat: readonly string[]): OutgoingHttpHeaders =>
  Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])));

/** The class of response that the server makes for each request, in place of Node's own. */
export class Answer<Incoming extends IncomingMessage = IncomingMessage> extends ServerResponse<Incoming> {
  requestId: string | undefined;
  #isStreamed = false;

  /** The server of @hono/node-server gives headers as an object, if any, and no message; Node's own refusals names and values in turn. */
  override writeHead(status: number, ...given: unknown[]): this {
    const found = given.find((part) => typeof part === "object") as OutgoingHttpHeaders | string[] | undefined;
    const headers = Array.isArray(found) ? inPairs(found) : (found ?? {});
    return super.writeHead(status, completeHeaders({ status, requestId: this.requestId }, headers));
  }

  override flushHeaders(): void {
    this.#isStreamed = true;
    super.flushHeaders();
  }

  override write(...given: unknown[]): boolean {
    this.#isStreamed = true;
    return super.write(...(given as Parameters<ServerResponse["write"]>));
  }

  /**
   * Behind the pieces of a stream that failed, @hono/node-server (1.19.5, `handleResponseError`) writes the error and ends the
   * answer, which a client would take for whole. It is broken off instead; a stream that did not fail ends without data.
   */
  override end(...given: unknown[]): this {
    const isFailed = this.#isStreamed && typeof given[0] === "string";
    return isFailed ? this.destroy() : super.end(...(given as Parameters<ServerResponse["end"]>));
  }
}

/** Has the answer to come given its headers, `requestId` among them. */
export async function addHeaders(c: Context, requestId: string, next: Next): Promise<void> {
  const { outgoing } = nodeRequest(c);
  if (outgoing instanceof Answer) {
    outgoing.requestId = requestId;
    return next();
  }
  // Without a socket, as in tests, nobody writes a head. One header before the answer is there makes it keep those added later.
  c.header("X-Request-Id", requestId);
  await next();
  const { headers, status } = c.res;
  for (const [name, value] of Object.entries(completeHeaders({ status, requestId }, Object.fromEntries(headers))))
    headers.set(name, String(value));
}
