// POST /rewards: a campaign in, who gets how much out. No rules here.
import type { Context } from "hono";
import { LONGEST_RANGE_MS, type Service } from "../context.ts";
import { type Campaign, canonicalJson, parseCampaign } from "../questions/campaign.ts";
import { type RewardRow, type Rewards, rewardsRows } from "../questions/rewards.ts";
import type { Column } from "./answer-format.ts";
import { answerWithin } from "./answer-table.ts";
import { jsonBody } from "./json-body.ts";

const columns: Column<RewardRow>[] = [
  { name: "account", read: ({ account }) => account },
  { name: "averageRoundedDown", read: ({ averageRoundedDown }) => String(averageRoundedDown) },
  { name: "points", read: ({ points }) => points },
  { name: "shareRoundedDown", read: ({ shareRoundedDown }) => shareRoundedDown },
  { name: "amount", read: ({ amount }) => String(amount) },
];

const blockOf = ({ block, hash, timestamp }: Rewards["range"]["to"]) => ({
  number: block,
  hash: hash ?? null,
  timestamp: timestamp ?? null,
});

const headingOf = ({ campaign, range: { from, to }, weightTotal, sum, ...rewards }: Rewards) => ({
  campaign,
  from: blockOf(from),
  to: blockOf(to),
  isFinal: to.block <= to.finalized,
  weightTotal: String(weightTotal),
  ...{ points: rewards.points, qualified: rewards.qualified, accounts: rewards.accounts },
  sum: String(sum),
  incomplete: rewards.incomplete,
});

const campaignOf = async (c: Context): Promise<Campaign> =>
  parseCampaign(await jsonBody(c, "must be a campaign as JSON; docs/rewards.md shows one"), "body");

export const postRewards = (service: Service) => (c: Context) =>
  answerWithin({ service, longestMs: LONGEST_RANGE_MS }, c, async (scope) => {
    const campaign = await campaignOf(c);
    const { batches, ...rewards } = await scope.run(rewardsRows, { campaign }, campaign.chainId);
    const { located, to } = rewards.range;
    return {
      // an answer to POST has no validators but its block
      subject: {
        located,
        blocks: [{ choice: { kind: "latest" }, block: to.block }],
        question: [canonicalJson(campaign)],
      },
      table: { columns, batches, heading: headingOf(rewards) },
      incomplete: rewards.incomplete,
      chainId: campaign.chainId,
    };
  });
