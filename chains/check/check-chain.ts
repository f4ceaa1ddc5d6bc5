// Compares a chain file with its chain, before anything is indexed by it.
import { z } from "zod";
import type { ChainFile } from "../chain-file.ts";
import { v2Rule, v3Rule } from "./deployments.ts";
import { fileRule } from "./file-alone.ts";
import { ChainCheckError, type Finding, mistake, notice } from "./findings.ts";
import { listedIn } from "./listed.ts";
import { type Answer, type Node, NodeUnreachableError, openNode } from "./node.ts";
import { externalVaultRule, factoryRule, islandRule, rewardVaultRule } from "./protocols.ts";
import { readAll } from "./read-all.ts";
import { type Rule, unchecked } from "./rule.ts";
import { startBlockRule } from "./start-blocks.ts";
import { tokenRule, wrappedRule } from "./tokens.ts";

/** There is a contract at every address. */
const codeRule: Rule = (chain, on) =>
  listedIn(chain).flatMap(({ path, address }) => {
    const code = on.code(address);
    if (code.kind !== "value") return unchecked(path, code);
    return code.value === "0x" ? [mistake(path, `there is no contract at ${address} (at block ${on.head})`)] : [];
  });

const rules: readonly Rule[] = [
  codeRule,
  wrappedRule,
  tokenRule,
  v2Rule,
  v3Rule,
  islandRule,
  rewardVaultRule,
  factoryRule,
  externalVaultRule,
  startBlockRule,
];

export interface NodeState {
  chainId: number;
  head: number;
  isSyncing: boolean;
}

/** @throws NodeUnreachableError naming the node and what it said */
export async function readNodeState(node: Node): Promise<NodeState> {
  const methods = ["eth_chainId", "eth_blockNumber", "eth_syncing"];
  const answers = await node.read(methods.map((method) => ({ method, params: [] })));
  const [chainId, head] = answers.map((answer, index) => numberOf(node, methods[index] ?? "", answer));
  const syncing = answers[2];
  const isSyncing = syncing?.kind === "value" && typeof syncing.value === "object" && syncing.value !== null;
  return { chainId: chainId ?? 0, head: head ?? 0, isSyncing };
}

function numberOf(node: Node, method: string, answer: Answer): number {
  if (method === "eth_syncing") return 0;
  const value = answer.kind === "value" ? z.string().regex(/^0x/).safeParse(answer.value).data : undefined;
  if (value !== undefined) return Number(value);
  const why = answer.kind === "trouble" ? answer.message : "no number";
  throw new NodeUnreachableError(`the node at ${node.origin} does not answer ${method}: ${why}; correct the RPC URL`);
}

/**
 * All that is wrong with `chain`, and what could not be checked.
 * @throws NodeUnreachableError when the node cannot be asked at all
 */
export async function checkChain(chain: ChainFile, rpcUrl: string): Promise<Finding[]> {
  const node = openNode(rpcUrl);
  const alone = fileRule(chain);
  const { chainId, head, isSyncing } = await readNodeState(node);
  if (chainId !== chain.chainId) {
    const text = `is ${chain.chainId}, but the node at ${node.origin} serves chain ${chainId}: correct it or the RPC URL`;
    return [...alone, mistake("chainId", text)];
  }
  if (isSyncing) {
    const text = `the node at ${node.origin} is still syncing, at block ${head}: what the file lists could not be checked`;
    return [...alone, notice("", text)];
  }
  const found = await readAll(node, head, (on) => rules.flatMap((rule) => rule(chain, on)));
  return gathered([...alone, ...found]);
}

/**
 * The notices about `chain`, as findings, where it has no mistake.
 * @param file what messages call the chain file
 * @throws ChainCheckError with one line for each mistake; NodeUnreachableError
 */
export async function requireRightChain(chain: ChainFile, file: string, rpcUrl: string): Promise<Finding[]> {
  const findings = await checkChain(chain, rpcUrl);
  const mistakes = findings.filter(({ kind }) => kind === "mistake");
  if (mistakes.length > 0) throw new ChainCheckError(file, mistakes);
  return findings;
}

const MOST_ALIKE = 3;

/** Each line once; many fields that could not be checked for the same reason share one line. */
function gathered(findings: readonly Finding[]): Finding[] {
  const distinct = [...new Map(findings.map((one) => [`${one.path} ${one.text}`, one])).values()];
  const byText = new Map<string, Finding[]>();
  for (const one of distinct) {
    const key = `${one.kind} ${one.text}`;
    byText.set(key, [...(byText.get(key) ?? []), one]);
  }
  return [...byText.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || first.kind === "mistake" || group.length <= MOST_ALIKE) return group;
    const paths = group.map(({ path }) => path);
    return [notice(`${paths.slice(0, MOST_ALIKE).join(", ")} and ${paths.length - MOST_ALIKE} more`, first.text)];
  });
}
