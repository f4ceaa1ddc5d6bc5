// Holders of several tokens at once, as Home shows them, against the lists that /balances gives and each count alone.
import { afterAll, beforeAll, expect, it } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import type { Address } from "../../gateway/parameters.ts";
import { holdersCounts } from "../../gateway/questions/holders-count.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded } from "./seeded-index.ts";

let gateway: TestGateway;
/** Remembers nothing of what the first one has answered. */
let other: TestGateway;
let tokens: Address[];
beforeAll(async () => {
  gateway = openSeededGateway();
  other = openSeededGateway();
  const { data } = await gateway.graphql("{ tokens(first: 100) { nodes { address } } }");
  tokens = (data as { tokens: { nodes: { address: Address }[] } }).tokens.nodes.map(({ address }) => address);
});
afterAll(() => Promise.all([gateway.close(), other.close()]));

async function countsAt({ service }: TestGateway, number: number): Promise<(number | undefined)[]> {
  const scope = new RequestScope(service);
  try {
    const block = blockNumbered(number);
    return (await scope.run(holdersCounts, { tokens, block })).map((counted) => counted?.holders);
  } finally {
    await scope.close();
  }
}

it("counts of holders are as many as /balances lists, and unknown where balances are unknown", async () => {
  const { head, finalized } = seeded;
  for (const block of [head, finalized - 3, Math.floor(finalized * 0.7)]) {
    const listed: (number | undefined)[] = [];
    for (const token of tokens) {
      const { status, body } = await gateway.get(`/balances/${token}?blockNumber=${block}`);
      // without decimals there is no list, but a count
      const alone = await gateway.get(`/balances/${token}/holders-count?blockNumber=${block}`);
      expect([200, 409]).toContain(status);
      expect([200, 409]).toContain(alone.status);
      if (status === 200) expect(alone.body.holders).toBe((body.results as unknown[]).length);
      listed.push(alone.status === 200 ? (alone.body.holders as number) : undefined);
    }
    expect(listed.filter((count) => (count ?? 0) > 0).length).toBeGreaterThan(5);
    expect(listed).toContain(undefined);
    expect(await countsAt(other, block), `block ${block}`).toEqual(listed);
    expect(await countsAt(other, block), `block ${block}, remembered`).toEqual(listed);
  }
});
