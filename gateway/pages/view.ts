// What a page is made from, and what it makes.
import type { Child } from "hono/jsx";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Operation } from "../context.ts";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import type { Links } from "./place.ts";

/** The block that a page answers for. */
export interface ShownBlock {
  block: number;
  hash: string | undefined;
  /** Unix seconds. */
  timestamp: number | undefined;
  lastSynced: number;
  finalized: number;
  rewinds: number;
  withoutHistory: number;
}

/** Every further question of a page is about the block that its first one has answered for. */
export const atBlock = ({ block }: Pick<ShownBlock, "block">) => blockNumbered(block);

/** One request for one view. */
export interface ViewRequest {
  /** The chain file as the index that has answered has it: parts that depend on the index must be read after the first answer. */
  chain: ChainFile;
  links: Links;
  /** The block that the URL names; reading it throws InvalidInputError where that is no block. Once one question has answered, all others are asked for `at.block`. */
  block: BlockChoice;
  /** The URL names no block: the page follows the head. */
  isNewest: boolean;
  url: URL;
  /** A part of the path, e.g. `address`; empty where the path has none. */
  param(name: string): string;
  /** A parameter of the query; undefined where it is absent or empty. */
  query(name: string): string | undefined;
  /** Runs a public question of the chain; all questions of one page see the same index. @throws what the question throws */
  ask<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
}

export interface View {
  /** Without the product's name. */
  title: string;
  main: Child;
  /** What the page answers for; undefined where nothing in it depends on a block. */
  at?: ShownBlock | undefined;
  /** 200 without it; another one where the page itself says in words what is wrong or missing. */
  status?: 200 | 400 | 404 | 502 | undefined;
  /** The newest block, for pages without `at` that know it. */
  head?: number | undefined;
  /** Ask for somewhere else instead of showing this. */
  redirect?: string;
}

export type Page = (request: ViewRequest) => Promise<View> | View;
