// Records of /vaults from two gateways, and why one of them has null where the other has a number.
import type { TestGateway } from "../support/gateway-fixture.ts";
import { seededChain } from "./seeded-index.ts";

export type Listed = Record<string, unknown> & {
  id: string;
  incomplete: string | null;
  unpriced: string[];
  unread: string[];
};

export async function listed(gateway: TestGateway, block: number): Promise<Map<string, Listed>> {
  const { body } = await gateway.get(
    `/vaults?chainId=${seededChain().chainId}&blockNumber=${block}&limit=1000&withBaults=true`,
  );
  return new Map((body.data as Listed[]).map((vault) => [vault.id, vault]));
}

/** By place in the record. */
function leavesOf(value: unknown, place = ""): [place: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[place, value]];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, place === "" ? name : `${place}.${name}`));
}

export function differentFields(ours: Listed, theirs: Listed): string[] {
  const [a, b] = [new Map(leavesOf(ours)), new Map(leavesOf(theirs))];
  return [...new Set([...a.keys(), ...b.keys()])].filter((place) => a.get(place) !== b.get(place));
}

const REASON = /^(incomplete|unpriced|unread)\b/;

/** Why the fields are not those of the other; undefined where nothing says it, or one of them is another number. */
export function reasonFor(
  vault: Listed,
  different: readonly string[],
  open: string,
): "same" | "undetermined" | "treasury" | "unread" | undefined {
  if (different.length === 0) return "same";
  const ours = new Map(leavesOf(vault));
  const values = different.filter((place) => !REASON.test(place));
  // a farm that is not read is not known to pay
  if (values.some((place) => (ours.get(place) ?? null) !== null && place !== "isSweetened")) return undefined;
  if (values.length > 0 && values.every((place) => place === "managerTreasury")) return "treasury";
  if (vault.incomplete === "undetermined" || vault.unpriced.includes(open)) return "undetermined";
  return vault.unread.length > 0 ? "unread" : undefined;
}
