// What a protocol contributes to the look-through: which contracts are issuers, what they pass on, and to whom.
import type { Asset, Issuer, UnattributedReason } from "../../core/lookthrough/backing.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import type { Focus } from "./focus.ts";
import type { HeldAs } from "./held-as.ts";
import type { Ledger } from "./ledger.ts";

export interface IssuedAsset extends Asset {
  heldAs: HeldAs;
}

/** Issuers with their backings by some assets, and every asset that these name. */
export interface Issued {
  issuers: readonly Issuer[];
  assets: readonly IssuedAsset[];
}

/** What a contract is there to hold for those who hold what it issued. */
export interface Behind {
  contract: Address;
  /** Ids. */
  assets: readonly string[];
}

/** An account that holds one asset (an id) for others, and anything else for itself. */
export interface Custodian {
  contract: Address;
  asset: string;
  /** What that asset is as long as nobody has claimed it. */
  reason: UnattributedReason;
}

/** With `focus` only what matters to one account is read. */
export interface LookThroughContext extends OperationContext {
  focus?: Focus | undefined;
  /** Read instead of the ledger at the block. */
  ledger?: Ledger | undefined;
}

/** A protocol at one block. */
export interface OpenProtocol {
  /** The ledger that lists its contracts; those are never accounts themselves. */
  issuerKind?: string;
  /** SELECT text of (address bytea) over $1, the block, each once: its contracts that no ledger lists, never accounts either. */
  issuerAddresses?: string | undefined;
  custodians?: readonly Custodian[];
  /**
   * Everyone who is there to hold one of `assets` (ids), whether holding some at the block or not. Called for all protocols
   * at the same time: facts are read earlier, when the protocol is opened.
   * @throws UnavailableError while that is not known yet
   */
  issuedAgainst(assets: readonly string[]): Promise<Issued>;
  /**
   * The way back: what stands behind those of `assets` (ids) that the protocol's contracts issue. Rather too much, held
   * at some other block or not at all, than too little.
   */
  behind(assets: readonly string[]): Promise<readonly Behind[]>;
  /** Ids of what its contracts issued against holdings that may need one of `assets` (ids): `Backing.needs`, the other way. */
  needing?(assets: readonly string[]): Promise<readonly string[]>;
  /** Ids of what `account` holds beyond tokens and stakes. */
  heldBy?(account: Address): Promise<readonly string[]>;
}

export interface Protocol {
  name: string;
  /** Undefined where the chain does not have it. */
  open(context: LookThroughContext, point: BlockPoint): Promise<OpenProtocol | undefined>;
}

/** The id of a token as an asset. */
export const tokenAsset = (token: Address): string => `erc20:${token}`;

/** The contract that issues an asset: the second word of every id. */
export const issuerOfAsset = (asset: string): Address => asset.split(":")[1] as Address;

/** The token that an asset id names, if it names one. */
export const tokenOfAsset = (asset: string): Address | undefined =>
  asset.startsWith("erc20:") ? (asset.slice("erc20:".length) as Address) : undefined;
