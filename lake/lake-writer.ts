// Writes what has become final into a chain's lake, segment by segment; each is there whole or not at all.
import { join } from "node:path";
import type { Sql } from "postgres";
import type { ChainFile } from "../chains/chain-file.ts";
import { type HistoryDatasets, historyDatasets, priceDataset } from "../core/lake/datasets.ts";
import { ASIDE, chainFolder } from "../core/lake/paths.ts";
import { type Segment, segmentEnd } from "../core/lake/segments.ts";
import { prunedRangeOf } from "../gateway/lake/lake-errors.ts";
import { makeFolder } from "../machine/make-folder.ts";
import { findWrong, type WrongFile, whyNotSame } from "./check-lake.ts";
import { continueLake, lastWithoutSources, sourcesProblem } from "./continue-lake.ts";
import { type Duck, openDuck } from "./duck.ts";
import { buildEndIndexes } from "./end-indexes.ts";
import { NotYetError, type ReadPrices } from "./hour-prices.ts";
import { makeSegment, type SegmentSource } from "./make-segment.ts";
import { filesOf, type Manifest, ManifestError, readManifest, rootOf, type SegmentEntry } from "./manifest.ts";
import { prunable } from "./pruned/pruned-blocks.ts";
import { moveFiles, publish, writeChecksums } from "./publish.ts";
import type { ReadContracts } from "./read-contracts.ts";
import { type FinalIndex, readBlockHash, readFactColumns, readFinalIndex } from "./read-index.ts";
import { emptyFolder, stageHistories } from "./staged-histories.ts";
import { TransferCounts } from "./transfer-counts.ts";

export interface LakeSetting {
  chain: Pick<ChainFile, "chainId" | "name" | "lake">;
  /** The lake's folder; that of the chain lies in it. */
  lake: string;
  /** Of one connection each. */
  connections: { snapshot: Sql; facts: Sql };
  /** What the chain file's own index reads, which may be in the making while gateways read another; undefined: they read that one. */
  own?: ReadContracts;
  readPrices: ReadPrices;
  say: (line: string) => void;
  /** There is something to write. */
  begins?: () => void;
  /** A segment that ends with `block` is there. */
  wrote?: (block: number) => void;
}

/** How far a lake is; undefined blocks: there are none yet. */
export interface LakeStanding {
  written: number;
  lastBlock: number | undefined;
  lastWritable: number | undefined;
  waitsFor: string | undefined;
}

export interface Checked {
  files: number;
  wrong: readonly WrongFile[];
  /** Those of them that could not be written again. */
  left: readonly WrongFile[];
  /** How the sources of its rows differ from the index's; undefined: no difference is known. */
  otherSources: string | undefined;
  /** The rows of blocks up to this one do not say what they were read from; undefined: all do. */
  withoutSources: number | undefined;
}

/** The block after which segments are missing. */
const endOf = ({ segments }: Pick<Manifest, "segments">, index: FinalIndex): number =>
  segments.at(-1)?.last ?? index.firstBlock - 1;

const openHoldings = (segment: SegmentEntry | undefined): number =>
  segment?.files.find(({ dataset }) => dataset === "holding_open")?.rows ?? 0;

interface Staging {
  /** The last block that the lake has, by the index. */
  after: (index: FinalIndex) => number;
  end: number;
  upTo?: number;
  histories?: readonly HistoryDatasets[];
}

/** The histories that files of `datasets` are made of: prices of all, facts of none. */
const historiesFor = (datasets: ReadonlySet<string>): readonly HistoryDatasets[] =>
  datasets.has(priceDataset.name)
    ? historyDatasets
    : historyDatasets.filter(({ closed, open }) => datasets.has(closed.name) || datasets.has(open.name));

/** Whether rows are needed that may have been pruned. */
const isOfIntervals = ({ file }: WrongFile): boolean =>
  historiesFor(new Set([file.dataset])).some((datasets) => prunable.includes(datasets));

/** PostgreSQL does not have the rows that a file is made of. */
class PrunedSourceError extends ManifestError {
  override name = "PrunedSourceError";

  constructor() {
    super(
      "its rows were pruned from PostgreSQL, and are in the lake alone: put the files of another copy of the lake in their place",
    );
  }
}

export class LakeWriter {
  readonly folder: string;
  readonly #setting: LakeSetting;
  #counts: TransferCounts | undefined;

  constructor(setting: LakeSetting) {
    this.#setting = setting;
    this.folder = chainFolder(setting.lake, setting.chain.chainId);
  }

  /** Makes the folders, and removes what a killed process was writing. Before anything else, by the only writer. */
  async open(): Promise<void> {
    const aside = join(this.folder, ASIDE);
    makeFolder(aside);
    await emptyFolder(aside);
    const manifest = await readManifest(this.folder);
    if (manifest) await writeChecksums(this.folder, manifest);
  }

  /**
   * Writes every segment that is full and final.
   * @throws ManifestError where the lake is of another chain, was cut by another rule, or has rows of other sources
   */
  async writeFinal(): Promise<LakeStanding> {
    const { chain, connections, own } = this.#setting;
    const { facts } = connections;
    const index = await readFinalIndex(facts, chain.chainId);
    const found = await readManifest(this.folder);
    if (!index)
      return {
        written: 0,
        lastBlock: found?.segments.at(-1)?.last,
        lastWritable: undefined,
        waitsFor: "a fold that can be read",
      };
    const continued = await continueLake({ folder: this.folder, chain, own, facts }, index, found);
    const { manifest: before } = continued;
    const end = continued.waitsFor === undefined ? await this.#nextEnd(index, before) : undefined;
    if (end !== undefined) {
      this.#setting.begins?.();
      await buildEndIndexes(facts, index.foldSchema);
    }
    const waitsFor = end === undefined ? continued.waitsFor : await this.#writeFrom(before, end, index);
    const { segments } = (await readManifest(this.folder)) ?? before;
    return {
      written: segments.length - before.segments.length,
      lastBlock: segments.at(-1)?.last,
      lastWritable: index.lastWritable,
      waitsFor: waitsFor ?? index.waitsFor,
    };
  }

  /** Writes all segments that are full; `end`: where the first of them ends. Resolves to what the next one waits for. */
  async #writeFrom(before: Manifest, end: number, { ponderSchema }: FinalIndex): Promise<string | undefined> {
    let manifest = before;
    const written = this.#withSource({ after: (index) => endOf(before, index), end }, async (source) => {
      // gateways were pointed at another index meanwhile: the next round finds out what that was made from
      if (source.index.ponderSchema !== ponderSchema) return;
      for (let last: number | undefined = end; last !== undefined; last = await this.#nextEnd(source.index, manifest)) {
        const segment = { first: endOf(manifest, source.index) + 1, last };
        manifest = await this.#write(source, manifest, segment);
        const files = manifest.segments.at(-1)?.files.length;
        this.#setting.wrote?.(segment.last);
        this.#setting.say(`blocks ${segment.first} to ${segment.last}: ${files} files, root ${manifest.root}`);
      }
    });
    try {
      await written;
      return undefined;
    } catch (error) {
      if (error instanceof NotYetError) return error.message;
      throw error;
    }
  }

  async #nextEnd(index: FinalIndex, manifest: Manifest): Promise<number | undefined> {
    const { chain, connections } = this.#setting;
    const after = endOf(manifest, index);
    if (this.#counts?.ponderSchema !== index.ponderSchema) this.#counts = new TransferCounts(chain.lake, index);
    // whether a block is the last of its hour is known from the next one
    const windows = await this.#counts.windows(connections.facts, { after, lastWritable: index.lastWritable - 1 });
    return segmentEnd(windows, chain.lake, openHoldings(manifest.segments.at(-1)));
  }

  /**
   * Stages what the segments after `after` need of `histories`, up to `upTo` or all, in one state of the index; the first of them
   * ends with `end`. Resolves to whether it was used: it is not when the index no longer reaches that far.
   */
  async #withSource(
    { after, end, upTo, histories = historyDatasets }: Staging,
    use: (source: SegmentSource) => Promise<void>,
  ): Promise<boolean> {
    const { connections, chain, readPrices } = this.#setting;
    const { snapshot, facts } = connections;
    const folder = join(this.folder, ASIDE);
    const duck: Duck = await openDuck(folder);
    try {
      await snapshot.unsafe("begin isolation level repeatable read read only");
      const index = await readFinalIndex(snapshot, chain.chainId);
      if (!index || index.lastWritable < end) return false;
      const range = { after: after(index), upTo: upTo ?? index.lastWritable, firstLast: end };
      const staged = await stageHistories({ duck, connections, index, folder }, histories, range);
      await snapshot.unsafe("rollback");
      const factColumns = await readFactColumns(facts, index);
      await use({ duck, facts, index, factColumns, staged, readPrices, folder });
      return true;
    } catch (error) {
      throw prunedRangeOf(error) === undefined ? error : new PrunedSourceError();
    } finally {
      await snapshot.unsafe("rollback");
      duck.close();
      await emptyFolder(folder);
    }
  }

  /**
   * Reads every file and makes those again that are not as the manifest says. Resolves to what was wrong, and which of these
   * files still are.
   * @throws ManifestError where there is no manifest
   */
  async check(): Promise<Checked> {
    const manifest = await readManifest(this.folder);
    if (manifest === undefined)
      throw new ManifestError(`${this.folder} has no manifest: \`npm run lake\` writes the lake`);
    const wrong = await findWrong(this.folder, manifest);
    const left: WrongFile[] = [];
    for (const { file, found } of wrong) this.#setting.say(`${file.path} ${found}`);
    for (const segment of manifest.segments)
      for (const needsIntervals of [false, true]) {
        const some = wrong.filter((one) => one.segment === segment && isOfIntervals(one) === needsIntervals);
        if (some.length > 0) left.push(...(await this.#mend(segment, some)));
      }
    return { files: filesOf(manifest).length, wrong, left, ...(await this.#checkSources(manifest)) };
  }

  async #checkSources(manifest: Manifest): Promise<Pick<Checked, "otherSources" | "withoutSources">> {
    const { chain, connections } = this.#setting;
    const index = await readFinalIndex(connections.facts, chain.chainId);
    return { otherSources: index && sourcesProblem(manifest, index), withoutSources: lastWithoutSources(manifest) };
  }

  /** Resolves to those that could not be made again. */
  async #mend(segment: SegmentEntry, wrong: readonly WrongFile[]): Promise<WrongFile[]> {
    const left: WrongFile[] = [];
    const datasets = new Set(wrong.map(({ file }) => file.dataset));
    const { first, last } = segment;
    const histories = historiesFor(datasets);
    const making = this.#withSource({ after: () => first - 1, end: last, upTo: last, histories }, async (source) => {
      const made = await makeSegment(source, segment, (dataset) => datasets.has(dataset));
      for (const one of wrong) {
        const again = made.find(({ entry }) => entry.path === one.file.path);
        const reason = whyNotSame(one, again, source.duck.version);
        if (reason === undefined && again) await moveFiles(this.folder, [again]);
        else left.push({ ...one, found: `cannot be written again: ${reason}` });
      }
    });
    const cannot = (reason: string) => wrong.map((one) => ({ ...one, found: `cannot be written again: ${reason}` }));
    try {
      return (await making) ? left : cannot("there is no index of its blocks");
    } catch (error) {
      if (error instanceof PrunedSourceError) return cannot(error.message);
      throw error;
    }
  }

  async #write(source: SegmentSource, manifest: Manifest, segment: Segment): Promise<Manifest> {
    const made = await makeSegment(source, segment);
    const hash = await readBlockHash(source.facts, source.index, segment.last);
    if (hash === undefined)
      throw new Error(`block ${segment.last} is final and not among the facts: index the chain anew`);
    await moveFiles(this.folder, made);
    const files = made.map(({ entry }) => entry).sort((a, b) => (a.path < b.path ? -1 : 1));
    const segments = [...manifest.segments, { ...segment, hash, writer: source.duck.version, files }];
    const next = { ...manifest, segments, root: rootOf(filesOf({ segments })) };
    await publish(this.folder, next);
    return next;
  }
}
