// Random but possible histories of contracts that hold tokens for others, one within the other: pairs, reward vaults, farms,
// Infrared vaults, baults, listed vaults and a launch pool, which come up one after the other.
import fc from "fast-check";
import { accountOf, tokenOf, ZERO } from "./reference-ledger.ts";
import { Script } from "./scripted-index.ts";

export const TOKENS = [1, 2].map(tokenOf) as [string, string];
const [FIRST, SECOND] = TOKENS;
export const PEOPLE = [1, 2, 3].map(accountOf);
export const DISTRIBUTOR = accountOf(70);
const [STRATEGY, FACTORY, LATE_STRATEGY] = [71, 72, 74].map(accountOf) as [string, string, string];
/** A pair of the tokens; one of the first token and of shares of that pair. */
const [PAIR, PAIR_OF_SHARES] = [101, 102].map(tokenOf) as [string, string];
const [VAULT, SHARE_VAULT, FARM, BAULT_FARM, INFRARED, BAULT] = [111, 112, 113, 114, 115, 116].map(tokenOf) as [
  ...[string, string, string, string, string, string],
];
/**
 * Listed: with assets of its own, with a strategy, one for one over shares of the pair, one with a strategy that is announced as a
 * bault later, and one whose withdrawals wait.
 */
const [PLAIN, MOO, STAKING, LATE_BAULT, QUEUED] = [121, 122, 123, 124, 125].map(tokenOf) as [
  ...[string, string, string, string, string],
];
const LAUNCH = tokenOf(131);
export const CONTRACTS = [
  ...[PAIR, PAIR_OF_SHARES, VAULT, SHARE_VAULT, FARM, BAULT_FARM, INFRARED, BAULT],
  ...[PLAIN, MOO, STRATEGY, STAKING, LATE_BAULT, LATE_STRATEGY, QUEUED, LAUNCH],
];

/** What anybody can hold here. */
const SHARES = [PAIR, PAIR_OF_SHARES, BAULT, PLAIN, MOO, LATE_BAULT, QUEUED];
export const HELD = [...TOKENS, ...SHARES, LAUNCH];
/** Vaults that log stakes, what they take, and under which name. */
const STAKES = [
  { vault: VAULT, protocol: "reward-vault", token: FIRST },
  { vault: SHARE_VAULT, protocol: "reward-vault", token: PAIR },
  { vault: FARM, protocol: "farm", token: FIRST },
  { vault: BAULT_FARM, protocol: "farm", token: BAULT },
  { vault: INFRARED, protocol: "infrared", token: FIRST },
  { vault: STAKING, protocol: "vault", token: PAIR },
  { vault: QUEUED, protocol: "queue", token: FIRST },
] as const;
export const STAKED_IN = STAKES.map(({ vault }) => vault);

const place = (address: string, startBlock = 0) => ({ address, startBlock });

export const vaultSections = {
  v2: { factory: place(FACTORY), router: accountOf(73) },
  rewardVaults: { factory: place(FACTORY), distributor: place(DISTRIBUTOR), beraChef: null, rewardToken: SECOND },
  farms: { factory: place(FACTORY) },
  baults: { factory: place(FACTORY) },
  infrared: { core: place(FACTORY) },
  launch: { factory: place(FACTORY) },
  externalVaults: [
    { ...place(PLAIN, 15), kind: "erc4626", asset: FIRST },
    { ...place(MOO, 22), kind: "beefy", asset: FIRST, holder: STRATEGY },
    { ...place(STAKING, 10), kind: "staking", asset: PAIR },
    { ...place(LATE_BAULT, 5), kind: "erc4626", asset: FIRST, holder: LATE_STRATEGY },
    { ...place(QUEUED, 12), kind: "erc4626-queued", asset: FIRST },
  ],
};

/** Contracts come up in the order of this list. */
const arrivals: readonly ((script: Script) => void)[] = [
  (script) => created(script, { vault: VAULT, kind: "reward-vault", asset: FIRST }),
  (script) => pair(script, PAIR, TOKENS),
  (script) => created(script, { vault: INFRARED, kind: "infrared", asset: FIRST }),
  (script) => created(script, { vault: BAULT, kind: "bault", asset: FIRST }),
  (script) => created(script, { vault: SHARE_VAULT, kind: "reward-vault", asset: PAIR }),
  (script) => created(script, { vault: FARM, kind: "farm", asset: null }),
  (script) => pair(script, PAIR_OF_SHARES, [FIRST, PAIR]),
  (script) => script.tell("launch_pool", { pool: LAUNCH, kind: "initialized", token: LAUNCH, base_token: FIRST }),
  (script) => created(script, { vault: BAULT_FARM, kind: "farm", asset: null }),
  (script) => script.tell("incentive", { vault: VAULT, kind: "whitelisted", token: FIRST }),
  (script) => script.tell("reward", { vault: INFRARED, protocol: "infrared", kind: "added", token: SECOND }),
  (script) => created(script, { vault: LATE_BAULT, kind: "bault", asset: FIRST }),
  (script) => script.tell("reward", { vault: FARM, protocol: "farm", kind: "token_added", token: FIRST }),
  (script) => script.tell("launch_pool", { pool: LAUNCH, kind: "graduated" }),
];

const created = (script: Script, { vault, kind, asset }: { vault: string; kind: string; asset: string | null }): void =>
  script.tell("vault_created", { factory: FACTORY, vault, kind, asset });

function pair(script: Script, address: string, tokens: readonly [string, string]): void {
  const [token0, token1] = [...tokens].sort();
  script.tell("v2_pair_created", {
    factory: FACTORY,
    pair: address,
    token0: token0 ?? "",
    token1: token1 ?? "",
    ordinal: 1,
  });
}

interface Act {
  gap: number;
  kind: number;
  what: number;
  from: number;
  to: number;
  share: number;
}

export const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    gap: fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 0, max: 2 })),
    kind: fc.integer({ min: 0, max: 11 }),
    ...{ what: fc.nat(99), from: fc.nat(99), to: fc.nat(99) },
    share: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: 60, maxLength: 110 },
);

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const HOLDERS = [...PEOPLE, ...CONTRACTS, DISTRIBUTOR];

/** Who has what by now, so that nobody spends more than they have. */
class Amounts {
  readonly #amounts = new Map<string, bigint>();
  of = (what: string, account: string): bigint => this.#amounts.get(`${what} ${account}`) ?? 0n;
  add(what: string, account: string, amount: bigint): void {
    this.#amounts.set(`${what} ${account}`, this.of(what, account) + amount);
  }
}

/** All of it, written act by act. */
class Story {
  readonly script = new Script();
  readonly #held = new Amounts();
  readonly #staked = new Amounts();
  readonly #arriving = [...arrivals];

  constructor() {
    for (const token of TOKENS) for (const to of PEOPLE) this.#move({ token, from: ZERO, to, amount: 1_000_000n });
  }

  tell(act: Act): void {
    for (let i = 0; i < act.gap; i++) this.script.nextBlock();
    if (act.kind <= 1) this.#arriving.shift()?.(this.script);
    else if (act.kind <= 7) this.#transfer(act);
    else this.#stake(act);
  }

  #transfer({ kind, what, from: giver, to: taker, share }: Act): void {
    const [token, from, to] = [pick(HELD, what), pick(HOLDERS, giver), pick(HOLDERS, taker)];
    const part = partOf(this.#held.of(token, from), share);
    if (kind <= 3) this.#move({ token, from: ZERO, to, amount: BigInt(share) ** 3n });
    else if (kind === 7) this.#move({ token, from, to: ZERO, amount: part });
    else if (from !== to) this.#move({ token, from, to, amount: part });
  }

  /** In, or out again; what is owed may not be there any more. */
  #stake({ kind, what, from, share }: Act): void {
    const { vault, protocol, token } = pick(STAKES, what);
    // vaults stake what was staked in them on
    const account = pick(kind === 11 ? [INFRARED, BAULT, STRATEGY, STAKING, LATE_BAULT] : HOLDERS, from);
    const isIn = kind !== 10;
    const amount = partOf(isIn ? this.#held.of(token, account) : this.#staked.of(vault, account), share);
    if (amount === 0n || account === vault) return;
    if (isIn) this.#move({ token, from: account, to: vault, amount });
    else this.#move({ token, from: vault, to: account, amount: least(amount, this.#held.of(token, vault)) });
    if (protocol === "queue") {
      const kind = isIn ? "withdrawal_requested" : "withdrawal_completed";
      this.script.tell("vault_flow", { vault, kind, owner: account, assets: `${amount}` });
    } else {
      const stake = {
        vault,
        protocol,
        kind: isIn ? "stake" : "withdraw",
        account,
        amount: `${amount}`,
        delegate: null,
      };
      this.script.tell("stake", stake);
    }
    this.#staked.add(vault, account, isIn ? amount : -amount);
  }

  #move({ token, from, to, amount }: { token: string; from: string; to: string; amount: bigint }): void {
    if (amount === 0n) return;
    this.script.nextTransaction();
    this.script.move(token, { from, to, amount });
    if (from !== ZERO) this.#held.add(token, from, -amount);
    if (to !== ZERO) this.#held.add(token, to, amount);
  }
}

const partOf = (amount: bigint, share: number): bigint => (amount * BigInt(share)) / 100n;
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** A listed vault holds some since block 6, more since 7, and is announced as a bault in block 9, where nothing moves; up to block 12. */
export function tellLateBault(): Script {
  const script = new Script();
  const blocks: Partial<Record<number, () => void>> = {
    6: () => script.mint(FIRST, LATE_BAULT, 100n),
    7: () => script.mint(FIRST, LATE_BAULT, 20n),
    9: () => created(script, { vault: LATE_BAULT, kind: "bault", asset: FIRST }),
  };
  script.mint(LATE_BAULT, accountOf(1), 10n);
  while (script.block < 12) blocks[script.nextBlock()]?.();
  return script;
}

export function tellVaults(list: readonly Act[]): Script {
  const story = new Story();
  for (const act of list) story.tell(act);
  return story.script;
}
