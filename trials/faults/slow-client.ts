// A client that asks for a long answer and reads a kilobyte of it per second.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface SlowClient {
  /** Ends it: bytes read, whether the answer was still coming, and whether the server had hung up. */
  stop(): { bytes: number; isOpen: boolean; error: string | undefined };
}

const PATIENCE_MS = 60_000;
const PIECE_BYTES = 1_024;

/**
 * Resolves when the answer has begun. A 503 may be answered to any client while the index catches up; then this asks again.
 * @throws Error naming any other status, or the last one after a minute
 */
export async function startSlowClient(gatewayUrl: string, path: string): Promise<SlowClient> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { socket, status, bytes } = await ask(new URL(path, gatewayUrl));
    if (status === 200) return readSlowly(socket, bytes);
    socket.destroy();
    if (status !== 503 || Date.now() > until) throw new Error(`slow client: GET ${path} was answered with ${status}`);
    await sleep(200);
  }
}

async function ask(url: URL): Promise<{ socket: Socket; status: number; bytes: number }> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.pause();
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.hostname}\r\nConnection: close\r\n\r\n`);
  // Never in flowing mode: what is not read stays in the kernel's buffers, and when these are full, with the server.
  await once(socket, "readable");
  const piece = takePiece(socket);
  return { socket, status: Number(piece?.toString("latin1").split(" ", 2)[1]), bytes: piece?.length ?? 0 };
}

const takePiece = (socket: Socket): Buffer | null => (socket.read(PIECE_BYTES) ?? socket.read()) as Buffer | null;

function readSlowly(socket: Socket, bytesBefore: number): SlowClient {
  let bytes = bytesBefore;
  let isOpen = true;
  let error: string | undefined;
  socket.on("readable", () => {});
  socket.on("close", () => {
    isOpen = false;
  });
  socket.on("error", (failure) => {
    error = failure.message;
  });
  const timer = setInterval(() => {
    bytes += takePiece(socket)?.length ?? 0;
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      socket.destroy();
      return { bytes, isOpen, error };
    },
  };
}
