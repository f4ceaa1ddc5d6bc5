// POST /snapshot/score: votes in the shape that Snapshot's `api-post` strategy sends and takes. It divides each score by
// 10^`options.decimals`, by 10^18 where that is left out.
import type { Context } from "hono";
import { z } from "zod";
import type { Service } from "../context.ts";
import { BLOCK_DIGITS, type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import { address, MOST_LISTED, parseInput } from "../parameters.ts";
import { countedSources, scoreDecimals, voteScores } from "../questions/vote-scores.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { jsonBody } from "./json-body.ts";
import { CHAIN_ID_DIGITS, servedChainId } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

const SNAPSHOT_DECIMALS = 18;

/** What we know of a space's options; it has others of its own. */
export const snapshotOptions = z.looseObject({
  token: address,
  sources: countedSources.optional(),
  decimals: scoreDecimals.optional(),
});

const NO_NETWORK = "must be a chain id in digits";
const NO_SNAPSHOT = "must be a block number, or latest";

/** The body. */
export const snapshotBody = z.looseObject({
  options: z.looseObject({}, "is missing; give the strategy's options, with the token at least"),
  network: z.union([z.int(NO_NETWORK).min(1, NO_NETWORK), z.string().regex(CHAIN_ID_DIGITS, NO_NETWORK)], NO_NETWORK),
  addresses: z
    .array(address, "must be a list of addresses")
    .min(1, "must name at least one address")
    .max(MOST_LISTED, `must name at most ${MOST_LISTED} addresses`),
  snapshot: z.union(
    [z.int(NO_SNAPSHOT).min(0, NO_SNAPSHOT), z.string().regex(BLOCK_DIGITS, NO_SNAPSHOT), z.literal("latest")],
    NO_SNAPSHOT,
  ),
});

/** @throws InvalidInputError naming the option as `options.<name>` */
function optionsOf(options: Record<string, unknown>) {
  const { shape } = snapshotOptions;
  return {
    token: parseInput(shape.token, options.token, "options.token"),
    sources: parseInput(shape.sources, options.sources, "options.sources"),
    decimals: parseInput(shape.decimals, options.decimals, "options.decimals") ?? SNAPSHOT_DECIMALS,
  };
}

const blockOf = (snapshot: number | string): BlockChoice =>
  snapshot === "latest" ? { kind: "latest" } : blockNumbered(Number(snapshot), "snapshot");

/** Scores are digits: as JSON numbers they would not be exact. Addresses are given back as they were written. */
export const postSnapshotScore =
  (service: Service) =>
  async (c: Context): Promise<Response> => {
    const json = await jsonBody(
      c,
      'must be JSON, e.g. {"options": {"token": "0x…"}, "network": "80094", "addresses": ["0x…"], "snapshot": 1200}',
    );
    const { options, network, addresses, snapshot } = parseInput(snapshotBody, json, "body");
    const written = (json as { addresses: string[] }).addresses;
    const users = [...new Set(addresses)];
    const input = { ...optionsOf(options), block: blockOf(snapshot), users };
    const chainId = servedChainId(service, String(network), "network");
    const answer = await withinRequest(service, c, (scope) => scope.run(voteScores, input, chainId));
    const { located, scores, incomplete } = answer;
    const scoreOf = new Map(users.map((user, i) => [user, String(scores[i] ?? 0n)]));
    c.header("X-Block-Number", String(located.point.block));
    setIncomplete(c, incomplete);
    return c.json({
      score: addresses.map((user, i) => ({ score: scoreOf.get(user) ?? "0", address: written[i] ?? user })),
    });
  };
