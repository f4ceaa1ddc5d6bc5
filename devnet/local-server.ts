// HTTP servers of this machine alone, which stand in for others or between them.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  url: string;
  /** Answers under way are broken off. */
  stop(): Promise<void>;
}

/** Listens on 127.0.0.1; `port` 0: on a free one. @throws the system's error for a port that is taken */
export async function listenLocally(server: Server, port: number): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
