// One exchange with a service that answers anything at all: it ends, its failure is sorted, and no connection is left behind.
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../../gateway/aggregator/provider-http.ts";

const JSON_TEXT = '{"amount":12345678901234567890}';
const READ = { status: 200, body: { amount: "12345678901234567890" } };

const answerOf = (body: string | Buffer, headers = "", length = Buffer.byteLength(body)): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}content-length: ${length}\r\n\r\n`), Buffer.from(body)]);
const refusalOf = (status: string, headers = ""): string =>
  `HTTP/1.1 ${status} x\r\n${headers}content-length: 0\r\n\r\n`;

let server: Server;
let say: (socket: Socket) => void;
const connections = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket)).on("error", () => {});
    socket.on("data", () => say(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(() => {
  for (const socket of connections) socket.destroy();
  server.close();
});

function exchanged(speak: (socket: Socket) => void) {
  say = speak;
  const { port } = server.address() as { port: number };
  const signal = AbortSignal.timeout(10_000);
  return exchange({ url: `http://127.0.0.1:${port}/`, query: {}, signal });
}

describe("what an answer is packed in", () => {
  it.each([
    ["nothing", "", JSON_TEXT],
    ["gzip", "content-encoding: gzip\r\n", gzipSync(JSON_TEXT)],
    ["gzip in capitals", "Content-Encoding: GZIP\r\n", gzipSync(JSON_TEXT)],
    ["gzip by its old name", "content-encoding: x-gzip\r\n", gzipSync(JSON_TEXT)],
    ["a byte order mark", "", `\ufeff${JSON_TEXT}`],
    ["what an object has of its own", "content-encoding: constructor\r\n", JSON_TEXT],
  ])("%s is read", async (_, headers, body) => {
    expect(await exchanged((socket) => socket.write(answerOf(body, headers)))).toMatchObject(READ);
  });
});

describe("what is no answer", () => {
  const half = JSON_TEXT.slice(0, 9);
  const packedHalf = gzipSync(JSON_TEXT).subarray(0, 15);
  it.each([
    ["a connection that ends within the body", (s: Socket) => s.end(answerOf(half, "", 99)), "cannot be reached"],
    [
      "one that ends within a packed body",
      (s: Socket) => s.end(answerOf(packedHalf, "content-encoding: gzip\r\n", 99)),
      "cannot be reached",
    ],
    ["a packed body that is none", (s: Socket) => s.write(answerOf(half, "content-encoding: gzip\r\n")), "reached"],
    ["a redirect", (s: Socket) => s.write(refusalOf("302", "location: http://elsewhere/\r\n")), "redirect"],
    [
      "another protocol",
      (s: Socket) => s.write("HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n"),
      "another protocol",
    ],
    ["a page", (s: Socket) => s.write(answerOf("<html>rate limit</html>")), "no JSON"],
  ])("%s is a failure", async (_, speak, message) => {
    await expect(exchanged(speak)).rejects.toMatchObject({ kind: "error", message: expect.stringContaining(message) });
  });

  it("too long when unpacked leaves no connection behind", async () => {
    const packed = gzipSync(Buffer.alloc(3_000_000, "x"));
    const endless = (socket: Socket) => socket.write(answerOf(packed, "content-encoding: gzip\r\n", 100_000_000));
    await expect(exchanged(endless)).rejects.toMatchObject({ message: "answered more than 500000 bytes" });
    await expect.poll(() => connections.size, { timeout: 1_000 }).toBe(0);
  });
});

describe("a request to be left alone", () => {
  it.each([
    ["seconds", "retry-after: 7\r\n", 7_000],
    ["nothing", "", 1_000],
    ["a date long past", "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", 0],
    ["a date far away", "retry-after: Wed, 21 Oct 2099 07:28:00 GMT\r\n", 3_600_000],
    ["a word", "retry-after: soon\r\n", 1_000],
  ])("names %s", async (_, headers, retryAfterMs) => {
    const failure = { kind: "rate_limited", retryAfterMs };
    await expect(exchanged((socket) => socket.write(refusalOf("429", headers)))).rejects.toMatchObject(failure);
  });

  it("comes with 503, too: then there is no second attempt at once", async () => {
    const busy = (headers: string) => exchanged((socket) => socket.write(refusalOf("503", headers)));
    const leftAlone = { kind: "error", isTransient: false, retryAfterMs: 7_000 };
    await expect(busy("retry-after: 7\r\n")).rejects.toMatchObject(leftAlone);
    await expect(busy("")).rejects.toMatchObject({ kind: "error", isTransient: true, retryAfterMs: undefined });
  });
});
