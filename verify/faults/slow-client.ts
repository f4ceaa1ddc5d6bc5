// A client that asks for a long answer and takes a kilobyte of it a second.
import { connect } from "node:net";

export interface SlowClient {
  /** Ends it: the status, bytes read, whether the answer was still coming, and whether the server had hung up. */
  stop(): { status: number | undefined; bytes: number; isOpen: boolean; error: string | undefined };
}

export function startSlowClient(gatewayUrl: string, path: string): SlowClient {
  const { hostname, port } = new URL(gatewayUrl);
  let bytes = 0;
  let status: number | undefined;
  let isOpen = true;
  let error: string | undefined;
  const socket = connect({ host: hostname, port: Number(port) }, () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  });
  socket.pause();
  // Never in flowing mode: what is not read stays in the kernel, and then with the server.
  socket.on("readable", () => {});
  socket.on("close", () => {
    isOpen = false;
  });
  socket.on("error", (failure) => {
    error = failure.message;
  });
  const timer = setInterval(() => {
    const chunk = (socket.read(1024) ?? socket.read()) as Buffer | null;
    if (bytes === 0 && chunk) status = Number(chunk.toString("latin1").split(" ", 2)[1]);
    bytes += chunk?.length ?? 0;
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      const result = { status, bytes, isOpen, error };
      socket.destroy();
      return result;
    },
  };
}
