// A history lake of an index in a test's database, written by the product's own writer.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { undelayed } from "../../database/undelayed.ts";
import { openPrices } from "../../lake/hour-prices.ts";
import { LakeWriter } from "../../lake/lake-writer.ts";
import { type Manifest, readManifest, rootOf } from "../../lake/manifest.ts";

/** Of a chain with nothing final yet. */
const emptyManifest = ({ chainId, name, lake }: LakeChain): Manifest => ({
  ...{ format: 1, chainId, chain: name, rule: lake, schema: {}, segments: [], root: rootOf([]) },
});

/** Prices are there with a whole chain file alone. */
type LakeChain = ChainFile | Pick<ChainFile, "chainId" | "name" | "lake">;

const nothing = { read: async () => [], close: async () => {} };

export interface TestLake {
  /** What `LAKE` names. */
  lake: string;
  /** That of the chain, with the manifest. */
  folder: string;
  manifest: Manifest;
  /** What its next segment waits for, besides blocks. */
  waitsFor: string | undefined;
  remove(): void;
}

/** Everything final of the live index of `chain`; `lake`: a folder to go on in, otherwise a new one. */
export async function makeLake(
  databaseUrl: string,
  chain: LakeChain,
  lake: string = mkdtempSync(join(tmpdir(), "tidemark-lake-")),
): Promise<TestLake> {
  const connect = () => postgres(databaseUrl, { max: 1, ...undelayed(), onnotice: () => {} });
  const connections = { snapshot: connect(), facts: connect() };
  const prices = "wrappedNative" in chain ? openPrices(databaseUrl, chain) : nothing;
  try {
    const writer = new LakeWriter({ chain, lake, connections, readPrices: prices.read, say: () => {} });
    await writer.open();
    const { waitsFor } = await writer.writeFinal();
    const manifest = await readManifest(writer.folder);
    return {
      lake,
      folder: writer.folder,
      manifest: manifest ?? emptyManifest(chain),
      waitsFor,
      remove: () => rmSync(lake, { recursive: true, force: true }),
    };
  } finally {
    await prices.close();
    await Promise.all(Object.values(connections).map((db) => db.end({ timeout: 2 })));
  }
}
