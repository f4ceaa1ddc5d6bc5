// Mistakes in a chain file that can be seen without the chain: entries that are listed twice, or that refer to themselves.
import type { ChainFile } from "../chain-file.ts";
import { type Finding, mistake, notice } from "./findings.ts";
import { listedIn } from "./listed.ts";

export const fileRule = (chain: ChainFile): Finding[] => [
  ...duplicates(chain),
  ...roles(chain),
  ...heldForTwo(chain),
  ...unusedHolders(chain),
  ...pricedAsItself(chain),
];

function duplicates(chain: ChainFile): Finding[] {
  const tokens = chain.tokens === "all" ? [] : chain.tokens;
  const wrapped = [chain.wrappedNative, ...chain.otherWrapped];
  const placeOfWrapped = (index: number) => (index === 0 ? "wrappedNative" : `otherWrapped[${index - 1}]`);
  const listed = (list: string) => (index: number) => `${list}[${index}]`;
  return [
    ...twice("address", tokens, listed("tokens")),
    ...twice("address", wrapped, placeOfWrapped),
    ...twice("address", chain.knownTokens, listed("knownTokens")),
    ...twice("address", chain.stables, listed("stables")),
    ...twice("address", chain.externalVaults, listed("externalVaults")),
    ...twice("name", chain.providers, listed("providers")),
    ...twice("code", chain.referralCodes, listed("referralCodes")),
  ];
}

/** Upper and lower case are the same in names of providers, and addresses are lower case. */
function twice<Field extends string>(
  field: Field,
  entries: readonly Readonly<Record<Field, string | number>>[],
  place: (index: number) => string,
): Finding[] {
  const values = entries.map((entry) => String(entry[field]).toLowerCase());
  return values.flatMap((value, index) => {
    const first = values.indexOf(value);
    return first === index ? [] : [mistake(`${place(index)}.${field}`, `${value} is ${place(first)}, too: remove one`)];
  });
}

/** Fields whose address may occur in other fields, too. */
const TOKENS = /^(wrappedNative|otherWrapped|tokens|knownTokens|stables|pricedAs)\b|\.rewardToken$|\.asset$|\.holder$/;

/** Each contract has one role. */
function roles(chain: ChainFile): Finding[] {
  const fields = listedIn(chain).filter(({ path }) => !TOKENS.test(path) && !path.startsWith("externalVaults"));
  return fields.flatMap(({ path, address }, index) => {
    const first = fields.findIndex((other) => other.address === address);
    const other = fields[first];
    return first === index || other === undefined ? [] : [mistake(path, `${address} is ${other.path}, too`)];
  });
}

/** If one contract holds a token for two vaults, nothing shows whose is whose, and one vault would get all of it. */
function heldForTwo({ externalVaults }: ChainFile): Finding[] {
  const places = externalVaults.flatMap(({ kind, address, holder, asset }, index) => {
    const vault = `externalVaults[${index}]`;
    const own = { vault, address, path: `${vault}.address`, contract: address, asset };
    if (holder === undefined) return [own];
    const held = { ...own, path: `${vault}.holder`, contract: holder };
    return kind === "staking" ? [held] : [own, held];
  });
  return places.flatMap(({ address, path, contract, asset }, index) => {
    const other = places
      .slice(0, index)
      .find((one) => one.contract === contract && one.asset === asset && one.address !== address);
    if (other === undefined) return [];
    return [
      mistake(path, `${contract} holds ${asset} for ${other.vault}, too; nothing shows whose is whose: remove one`),
    ];
  });
}

/** What waits in a queue is with the vault; of what such a vault has elsewhere, nothing shows how much is still its holders'. */
const unusedHolders = ({ externalVaults }: ChainFile): Finding[] =>
  externalVaults.flatMap(({ kind, holder }, index) => {
    if (kind !== "erc4626-queued" || holder === undefined) return [];
    return [notice(`externalVaults[${index}].holder`, `is not used: a vault of kind ${kind} has what it holds itself`)];
  });

function pricedAsItself({ pricedAs, stables }: ChainFile): Finding[] {
  return Object.entries(pricedAs).flatMap(([token, as]) => {
    const path = `pricedAs.${token}`;
    if (token === as) return [mistake(path, "is priced as itself: remove it")];
    if (as in pricedAs) return [mistake(path, `is priced as ${as}, which is priced as another token itself`)];
    const stable = stables.findIndex(({ address }) => address === token);
    return stable < 0 ? [] : [mistake(path, `has a price already, in stables[${stable}]: remove one`)];
  });
}
