// Every contract is read from its creation on: an index lacks what a contract did before the block from which it is read.
import { type Creation, readCreation } from "./creation.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { type Listed, listedIn } from "./listed.ts";
import type { Readings } from "./readings.ts";
import { type Rule, unchecked } from "./rule.ts";

export const startBlockRule: Rule = (chain, on) => {
  const listed = listedIn(chain);
  const sources = listed.flatMap(({ startBlock, ...field }) =>
    startBlock === undefined ? [] : isReadInTime(on, field, startBlock),
  );
  const first = { path: "startBlock", block: chain.startBlock };
  return [...sources, ...isFirst(on, listed, first)];
};

interface Start {
  path: string;
  block: number;
}

function isReadInTime(on: Readings, { path, address }: Listed, start: Start): Finding[] {
  if (start.block === 0) return [];
  const creation = readCreation(on, address, Math.min(start.block - 1, on.head));
  if (creation.kind === "value") return [mistake(start.path, late(start, path, creation.value))];
  return [...unchecked(start.path, creation), ...isAhead(on, start)];
}

/** The chain's own start block holds for everything that is listed: one line, about the oldest contract. */
function isFirst(on: Readings, listed: readonly Listed[], start: Start): Finding[] {
  if (start.block === 0) return [];
  const read = listed.map((one) => ({
    ...one,
    creation: readCreation(on, one.address, Math.min(start.block - 1, on.head)),
  }));
  const known = read.flatMap(({ path, creation }) => (creation.kind === "value" ? [{ path, ...creation.value }] : []));
  const [oldest] = known.sort((a, b) => a.block - b.block);
  if (oldest) return [mistake(start.path, late(start, oldest.path, oldest))];
  const open = read.find(({ creation }) => creation.kind === "unknown");
  return [...(open ? unchecked(start.path, open.creation) : []), ...isAhead(on, start)];
}

const late = ({ block }: Start, path: string, creation: Creation): string =>
  creation.by === "code"
    ? `is ${block}, but ${path} was created in block ${creation.block}: write ${creation.block} or less`
    : `is ${block}, but ${path} has logs from block ${creation.block} on: write ${creation.block} or less`;

const isAhead = (on: Readings, { path, block }: Start): Finding[] =>
  block > on.head ? [notice(path, `is ${block}, but the node's newest block is ${on.head}`)] : [];
