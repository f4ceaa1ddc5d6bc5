// A list of GraphQL walked to its end, page by page, as a client does.
import { expect } from "vitest";
import type { TestGateway } from "./gateway-fixture.ts";
import { sized } from "./sized.ts";

/** Longer lists are not walked by pages of one. */
const MOST_SINGLE_PAGES = sized({ some: 12, whole: 1_000 });

export interface Walk {
  /** The list's field. */
  field: string;
  /** Its arguments besides size and cursor. */
  with?: string;
  /** What is selected of a node. */
  node: string;
  pageSize: number;
  /** What the list calls a page's size and how many it has. */
  size?: "first" | "limit";
  total?: "totalCount" | "count";
  /** What happens between the first page and the second. */
  between?: () => Promise<void>;
}

interface Page<Node> {
  nodes: Node[];
  totalCount?: number;
  count?: number;
  block: { number: number };
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Walked<Node> {
  nodes: Node[];
  pages: number;
}

/** All nodes. Every page has its size, the block and the number of all that the first one has. */
export async function walkPages<Node>(gateway: Pick<TestGateway, "graphql">, walk: Walk): Promise<Walked<Node>> {
  const { field, node, pageSize, size = "first", total = "totalCount" } = walk;
  const found: Node[] = [];
  const said = new Set<string>();
  let pages = 0;
  for (let after = "", hasNextPage = true; hasNextPage; pages += 1) {
    const given = [walk.with, `${size}: ${pageSize}`, after].filter(Boolean).join(", ");
    const { data, errors } = await gateway.graphql(
      `{ ${field}(${given}) { ${total} block { number } pageInfo { hasNextPage endCursor } nodes { ${node} } } }`,
    );
    expect(errors).toBeUndefined();
    const page = (data as Record<string, Page<Node>>)[field] as Page<Node>;
    found.push(...page.nodes);
    said.add(`${page[total]} at block ${page.block.number}`);
    ({ hasNextPage } = page.pageInfo);
    if (hasNextPage) expect(page.nodes).toHaveLength(pageSize);
    after = `after: "${page.pageInfo.endCursor}"`;
    if (pages === 0) await walk.between?.();
  }
  expect([...said]).toEqual([expect.stringMatching(new RegExp(`^${found.length} at block `))]);
  return { nodes: found, pages };
}

/** The same nodes in the same order by pages of 1 (unless these are many), of 7 and of the most, none of them twice. */
export async function walkInAllSizes<Node>(
  gateway: Pick<TestGateway, "graphql">,
  walk: Omit<Walk, "pageSize">,
): Promise<Node[]> {
  const { nodes } = await walkPages<Node>(gateway, { ...walk, pageSize: 1_000 });
  expect(new Set(nodes.map((node) => JSON.stringify(node))).size).toBe(nodes.length);
  for (const pageSize of nodes.length > MOST_SINGLE_PAGES ? [7] : [1, 7])
    expect((await walkPages<Node>(gateway, { ...walk, pageSize })).nodes).toEqual(nodes);
  return nodes;
}
