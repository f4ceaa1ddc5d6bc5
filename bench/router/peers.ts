// The routers that ours is compared with. They are installed only for the benchmark, into a folder of its own: one is under the
// GPL, one without a licence, and no part of the product may depend on either.
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageFolder } from "../package-folder.ts";

const SMART_ORDER_ROUTER = "4.31.10";
const PACKAGES = [
  `@uniswap/smart-order-router@${SMART_ORDER_ROUTER}`,
  "@sushiswap/tines@1.0.11",
  // tines uses it without declaring it
  "viem@1.21.4",
];

/** Installed peers. */
export interface Peers {
  load(name: string): unknown;
}

/** Installs them if missing (some 140 MB). @throws Error when the registry does not have them */
export async function installPeers(): Promise<Peers> {
  const flags = ["--ignore-scripts", "--legacy-peer-deps"];
  const folder = await packageFolder({ name: `router-peers-${SMART_ORDER_ROUTER}`, packages: PACKAGES, flags });
  const require = createRequire(join(folder, "package.json"));
  return { load: (name) => require(name) };
}
