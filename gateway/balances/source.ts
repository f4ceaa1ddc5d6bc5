// What an account itself holds, as answers name it.
import type { Part, Path } from "../../core/lookthrough/attribute.ts";
import { type HeldAs, sourceKinds } from "../backing/held-as.ts";
import { tokenAsset } from "../backing/protocol.ts";
import type { Address } from "../parameters.ts";

/** One entry of an account's sources; amounts are raw units of the token asked about. */
export interface Source extends Omit<HeldAs, "contract"> {
  /** Undefined where the entry is of several contracts. */
  contract: Address | undefined;
  amount: bigint;
  /** Where the contract keeps principal and fees apart. */
  principal: bigint | undefined;
  /** What it consists of, each with the assets passed from the token to what the account holds. */
  paths: readonly { path: Path; amount: bigint }[];
}

/** Everything that an account has of `token`: its wallet first, then what is looked through. */
export function allSources(
  wallet: { token: Address; amount: bigint },
  { parts, heldAs }: { parts: readonly Part[]; heldAs: ReadonlyMap<string, HeldAs> },
): Source[] {
  const { token, amount } = wallet;
  const paths = [{ path: [tokenAsset(token)], amount }];
  const held = amount > 0n ? [{ ...IN_WALLET, contract: token, amount, principal: undefined, paths }] : [];
  return [...held, ...sourcesOf(parts, heldAs)];
}

const IN_WALLET = { kind: "balance", id: "" } as const;

/** Entries for one account: parts of the same holding are one, in the order of the interface. */
export function sourcesOf(parts: readonly Part[], heldAs: ReadonlyMap<string, HeldAs>): Source[] {
  const [only] = parts;
  if (only && parts.length === 1) return [sourceOf(only, heldAs)];
  const entries = new Map<string, Source>();
  for (const part of parts) {
    const source = sourceOf(part, heldAs);
    const { kind, id, manager } = source;
    const key = kind === "external_vaults" ? kind : `${kind} ${id} ${manager ?? ""}`;
    const before = entries.get(key);
    entries.set(key, before ? together(before, source) : source);
  }
  return [...entries.values()].sort(bySource);
}

function sourceOf({ path, amount, principal }: Part, heldAs: ReadonlyMap<string, HeldAs>): Source {
  const held = heldAs.get(path.at(-1) ?? "");
  if (!held) throw new Error(`nothing is known of ${path.at(-1)}`);
  return { ...held, amount, principal, paths: [{ path, amount }] };
}

const together = (a: Source, b: Source): Source => ({
  ...a,
  contract: a.contract === b.contract ? a.contract : undefined,
  amount: a.amount + b.amount,
  principal: a.principal === undefined ? b.principal : a.principal + (b.principal ?? 0n),
  paths: [...a.paths, ...b.paths],
});

/** Kinds in the interface's order; ids ascending, numbers by value. */
function bySource(a: Source, b: Source): number {
  if (a.kind !== b.kind) return sourceKinds.indexOf(a.kind) - sourceKinds.indexOf(b.kind);
  if (a.kind === "v3-position" && a.id !== b.id) return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
  return `${a.id} ${a.manager}` < `${b.id} ${b.manager}` ? -1 : 1;
}
