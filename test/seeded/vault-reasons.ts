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

/** Null in the record, or part of what is null there. */
function isNull(vault: Listed, place: string): boolean {
  const leaves = new Map(leavesOf(vault));
  const names = place.split(".");
  return names.some((_, i) => leaves.get(names.slice(0, i + 1).join(".")) === null);
}

/** Why the fields are not those of the other; undefined where nothing says it, or one of them is another number. */
export function reasonFor(
  vault: Listed,
  different: readonly string[],
  open: string,
): "same" | "undetermined" | "treasury" | "unread" | undefined {
  if (different.length === 0) return "same";
  const values = different.filter((place) => !REASON.test(place));
  if (!values.every((place) => isNull(vault, place))) return undefined;
  if (vault.incomplete === "undetermined" || vault.unpriced.includes(open)) return "undetermined";
  if (different.every((place) => place === "managerTreasury")) return "treasury";
  const areOfFarms = different.every((place) => !REASON.test(place) || place.startsWith("unread"));
  return areOfFarms && vault.unread.length > 0 ? "unread" : undefined;
}
