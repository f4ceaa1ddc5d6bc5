// Readers of several gateways over several servers, stricter than those of the trials: a block that the product has had time
// to learn of is answered as that block or not at all, and a block that one gateway has just shown, every other one shows, or
// answers 503.
import { setTimeout as sleep } from "node:timers/promises";
import { differenceOf, NOW, randomBlock, randomToken, type TrialToken } from "../faults/random-reads.ts";
import type { TrialChain } from "../faults/trial-chain.ts";

export interface Tally {
  answers: number;
  /** Answers compared with the chain, every amount of every holder. */
  compared: number;
  /** Blocks that one gateway had shown and another was asked for. */
  handedOver: number;
  refusals: Refusal[];
  /** One line each: a wrong answer, or an error other than 503. */
  wrong: string[];
}

export interface Refusal {
  /** Milliseconds since the epoch. */
  at: number;
  code: string;
  /** The refusal is about a block that some gateway had shown before and that has been on the chain for a while: nothing new. */
  isOfShownBlock: boolean;
}

export interface ReadersSetting {
  gatewayUrls: readonly string[];
  chain: TrialChain;
  /** Readers of each gateway. */
  count: number;
  /** The chain to ask about; absent: the default chain. */
  chainId?: number;
  /** Rest between two requests of one reader. */
  pauseMs: number;
}

const MOST_NOTED = 50;
/** By then the product must have learned of a block. */
const HEARSAY_MS = 2_000;
/** How long it may take to follow a reorganisation, on a machine that has more to do. */
const REPLACED_MS = 10_000;
/** By then no reorganisation is under way any more. */
const SETTLED_MS = 8_000;

interface Answer {
  status: number;
  text: string;
  /** The block of the answer. */
  block: number;
  from: number;
  to: number;
}

async function ask(url: string): Promise<Answer> {
  const from = Date.now();
  const response = await fetch(url);
  const text = await response.text();
  return { status: response.status, text, block: Number(response.headers.get("x-block-number")), from, to: Date.now() };
}

export function startReaders({ gatewayUrls, chain, count, pauseMs, chainId }: ReadersSetting) {
  const tally: Tally = { answers: 0, compared: 0, handedOver: 0, refusals: [], wrong: [] };
  const shownVersions = new Map<string, { version: number; until: number }>();
  let isStopping = false;
  let highestShown = -1;
  const note = (line: string) => {
    if (tally.wrong.length < MOST_NOTED) tally.wrong.push(`${new Date().toISOString().slice(11, 23)} ${line}`);
  };
  const isOlder = (block: number, ms: number, than: number) =>
    chain.history.blocks[block]?.some(({ since, until }) => since < than - ms && until > than) ?? false;

  const urlOf = (gatewayUrl: string, token: string, block: number): string =>
    `${gatewayUrl}/balances/${token}?blockNumber=${block}${chainId === undefined ? "" : `&chainId=${chainId}`}`;

  /** True when there is an answer to be judged. */
  const isAnswered = ({ status, text, from, block }: Answer, wanted: number): boolean => {
    tally.answers += 1;
    if (status === 200) {
      highestShown = Math.max(highestShown, block);
      return true;
    }
    if (status === 503) {
      const { code } = (JSON.parse(text) as { error: { code: string } }).error;
      const isOfShownBlock = wanted === NOW || (wanted <= highestShown && isOlder(wanted, SETTLED_MS, from));
      tally.refusals.push({ at: from, code, isOfShownBlock });
    } else note(`block ${wanted}: ${status} ${text.slice(0, 200)}`);
    return false;
  };

  const judge = (answer: Answer, wanted: number, token: TrialToken): string | undefined => {
    const { block, from, to, text } = answer;
    if (block !== wanted && isOlder(wanted, HEARSAY_MS, from))
      return `asked for block ${wanted}, was answered ${block}`;
    const branches = chain.history.during(block, { from, to, graceMs: REPLACED_MS, settledAt: 0 });
    if (branches.length === 0) return `block ${block} was not on any branch then`;
    const differences = branches.map((branch) => differenceOf(text, branch, token));
    return differences.includes(undefined) ? undefined : `${token.address} at ${block}: ${differences.join(" | ")}`;
  };

  /** Once a gateway has shown the newest branch of a block, it must not show an older one. */
  const stepBack = (gatewayUrl: string, answer: Answer, token: TrialToken): string | undefined => {
    const { block, from, to, text } = answer;
    const versions = chain.history.blocks[block] ?? [];
    if (versions.length < 2) return undefined;
    const fitting = versions.flatMap((branch, i) => (differenceOf(text, branch, token) === undefined ? [i] : []));
    const key = `${gatewayUrl} ${block}`;
    const shown = shownVersions.get(key);
    const [oldest = 0, newest = versions.length] = [fitting[0], fitting.at(-1)];
    if (shown && shown.until < from && newest < shown.version)
      return `block ${block} came back in version ${newest} after version ${shown.version} was shown`;
    if (!shown || oldest > shown.version) shownVersions.set(key, { version: oldest, until: to });
    return undefined;
  };

  const readOnce = async (gatewayUrl: string): Promise<void> => {
    const token = randomToken(chain);
    const wanted = randomBlock(chain.head());
    const answer = await ask(urlOf(gatewayUrl, token.address, wanted));
    if (!isAnswered(answer, wanted)) return;
    tally.compared += 1;
    const back = stepBack(gatewayUrl, answer, token);
    if (back !== undefined) note(`${gatewayUrl}: ${back}`);
    let fault = judge(answer, wanted, token);
    if (fault !== undefined) {
      // The history may learn of a block that has just been mined later than the product.
      await sleep(500);
      fault = judge(answer, wanted, token);
    }
    if (fault !== undefined) note(`${gatewayUrl}: ${fault}`);
  };

  const handOver = async (): Promise<void> => {
    const first = Math.floor(Math.random() * gatewayUrls.length);
    const [shower, other] = [gatewayUrls[first], gatewayUrls[(first + 1) % gatewayUrls.length]];
    const token = chain.tokens.churning;
    const shown = await ask(urlOf(String(shower), token, NOW));
    if (!isAnswered(shown, NOW)) return;
    const again = await ask(urlOf(String(other), token, shown.block));
    if (!isAnswered(again, shown.block)) return;
    tally.handedOver += 1;
    if (again.block !== shown.block)
      note(`${shower} showed block ${shown.block}, ${other} answered block ${again.block} for it`);
  };

  const loop = async (read: () => Promise<void>): Promise<void> => {
    while (!isStopping) {
      await read().catch((error: unknown) => {
        const cause = error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error);
        if (!isStopping) note(`request failed: ${cause}`);
      });
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  };
  const loops = [
    ...gatewayUrls.flatMap((url) => Array.from({ length: count }, () => loop(() => readOnce(url)))),
    loop(handOver),
  ];
  return {
    async stop(): Promise<Tally> {
      isStopping = true;
      await Promise.all(loops);
      return tally;
    },
  };
}
