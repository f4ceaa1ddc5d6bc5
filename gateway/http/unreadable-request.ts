// What Node cannot read as a request reaches no route. It is refused here: too long a URL with a body that says so and the headers that
// let a page read it, anything else as Node would.
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody, GatewayError } from "../errors.ts";
import { completeHeaders } from "./answer-headers.ts";

/** 10,000 users in a URL are 450 kB with encoded commas; Node's default of 16 kB would refuse them. */
export const MOST_HEADER_BYTES = 1024 * 1024;

const tooLarge = () =>
  new GatewayError(
    `The URL and the headers are larger than ${MOST_HEADER_BYTES} bytes. Ask for less at once; lists may be the body of a POST.`,
    { code: "HEADERS_TOO_LARGE", status: 431 },
  );

function inFull(error: GatewayError): string {
  const { status } = error;
  const body = JSON.stringify(errorBody(error));
  const own = { "content-type": "application/json", "content-length": Buffer.byteLength(body), connection: "close" };
  const headers = Object.entries(completeHeaders({ status, requestId: undefined }, own));
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const inShort = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;

/** The client may still be sending: closed at once, the connection would take the refusal with it. */
const LINGER_MS = 2_000;

/** For the server's `clientError`. An answer that has begun on the connection is broken off, not followed by another. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // what comes after the part that was refused
  if (socket.writableEnded) return;
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || answer?.headersSent) {
    socket.destroy(error);
    return;
  }
  if (error.code === "HPE_HEADER_OVERFLOW") socket.end(inFull(tooLarge()));
  else socket.end(inShort(error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
