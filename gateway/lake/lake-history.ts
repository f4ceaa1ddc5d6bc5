// The way to the processes that load pruned history back from the lake, one for each chain: they write what this process reads.
import { GatewayError } from "../errors.ts";
import { publicErrorOf } from "../sql/sql-errors.ts";
import { HistoryLoadingError, HistoryUnavailableError, type MissedBlocks } from "./lake-errors.ts";

/** Makes states of pruned blocks answerable. */
export interface PastLoader {
  /** Resolves when they are. @throws HistoryLoadingError, HistoryUnavailableError, HistoryDamagedError */
  load(chainId: number, range: MissedBlocks): Promise<void>;
}

/** A request waits so long; the loading goes on. */
const PATIENCE_MS = 2_500;

export class LakeHistory implements PastLoader {
  readonly #urls: ReadonlyMap<number, string>;

  /** `urls`: of the process of each chain that has one. */
  constructor(urls: ReadonlyMap<number, string>) {
    this.#urls = urls;
  }

  async load(chainId: number, range: MissedBlocks): Promise<void> {
    const url = this.#urls.get(chainId);
    if (url === undefined) throw new HistoryUnavailableError(range, "no process loads it: LAKE_URL is not set");
    const response = await this.#ask(url, range);
    if (response.ok) return;
    const known = publicErrorOf(response.status, await response.json().catch(() => undefined));
    throw known instanceof GatewayError
      ? known
      : new HistoryUnavailableError(range, "the lake's process fails to load it");
  }

  async #ask(url: string, range: MissedBlocks): Promise<Response> {
    try {
      return await fetch(`${url}/load`, {
        method: "POST",
        body: JSON.stringify(range),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") throw new HistoryLoadingError(range);
      throw new HistoryUnavailableError(range, "the lake's process, which loads it, does not answer");
    }
  }
}
