// What a campaign gives whom: field -> operation, in the shapes of rewards.graphql.
import { parseCampaign } from "../questions/campaign.ts";
import { type RewardsPage, rewardsPage } from "../questions/rewards.ts";
import { type Context, type PageArguments, pageOf } from "./arguments.ts";
import { blockView, connection } from "./views.ts";

export const rewardsQueries = {
  async rewards(_: unknown, args: { campaign: unknown } & PageArguments, { scope }: Context) {
    const campaign = parseCampaign(withoutNulls(args.campaign), "campaign");
    return rewardsView(await scope.run(rewardsPage, { campaign, ...pageOf(args) }, campaign.chainId));
  },
};

/** In GraphQL a field that may be left out may also be null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)]])),
  );
}

const rewardsView = ({ range: { from, to }, weightTotal, points, qualified, ...page }: RewardsPage) => ({
  ...connection(page, ({ cursor: _, ...row }) => row),
  from: blockView(from),
  to: blockView(to),
  isFinal: to.block <= to.finalized,
  weightTotal,
  points,
  qualified,
  sum: page.sum,
  incomplete: page.incomplete,
});
