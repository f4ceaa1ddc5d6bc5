// What the launcher makes of a gateway that answers badly.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { whyNotReady } from "../../launcher/terminal/readiness.ts";

async function whyOf(answer: RequestListener): Promise<string | undefined> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await whyNotReady(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 31337, "tidemark_0");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it("the launcher takes an answer that breaks off after its headers for a gateway that does not answer", async () => {
  const why = await whyOf((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write('{"ready":', () => response.destroy());
  });
  expect(why).toBe("the gateway does not answer");
});

it("the launcher takes an answer that is not JSON for a gateway that does not answer", async () => {
  expect(await whyOf((_, response) => response.end("<html>"))).toBe("the gateway does not answer");
});
