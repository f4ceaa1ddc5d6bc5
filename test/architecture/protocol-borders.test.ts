// Protocols know nothing of each other, in whatever folder they live.
import { describe, expect, it } from "vitest";
import { violationsOf } from "./laws.ts";
import { protocolCrossings, protocolsIn } from "./protocol-borders.ts";
import { projectTree, treeOf } from "./source-tree.ts";

const protocols = {
  "src/protocols/v3/index.ts": "",
  "src/protocols/island/index.ts": "",
  "src/protocols/block/index.ts": "",
  "gateway/protocols/infrared/backing.ts": "",
};

describe("The law that one protocol never imports another", () => {
  it.each([
    ["src/protocols/island/handlers.ts", "src/protocols/v3/handlers.ts"],
    ["core/island/facts.ts", "core/v3/facts.ts"],
    ["fold/island/step.ts", "fold/v3/step.ts"],
    ["gateway/protocols/island/backing.ts", "gateway/protocols/v3/pool.ts"],
    ["gateway/protocols/island/backing.ts", "gateway/protocols/v3/pool.ts"],
    ["gateway/island/shares/parts.ts", "gateway/protocols/v3/pool.ts"],
    ["gateway/protocols/island/backing.ts", "core/v3/rows.ts"],
    ["gateway/infrared/stakes.ts", "gateway/v3/ticks/tick.ts"],
  ])("finds %s importing %s, a type as well as a value", (from, to) => {
    const up = "../".repeat(from.split("/").length - 1);
    for (const text of [`import { x } from "${up}${to}";`, `import type { X } from "${up}${to}";`])
      expect(protocolCrossings(treeOf({ ...protocols, [to]: "", [from]: text }))).toEqual([`${from} imports v3`]);
  });

  it("lets a protocol import itself across parts, and what all share", () => {
    const tree = treeOf({
      ...protocols,
      "core/v3/rows.ts": "",
      "core/math/tick.ts": "",
      "gateway/prices/price.ts": 'import "../v3/pool.ts"; import "../island/island.ts";',
      "gateway/protocols/island/island.ts":
        'import "../../core/math/tick.ts"; import "../../src/protocols/block/index.ts";',
      "gateway/protocols/v3/pool.ts": 'import "../../core/v3/rows.ts"; import "../../core/math/tick.ts";',
    });
    expect(protocolCrossings(tree)).toEqual([]);
  });

  it("knows the project's protocols by their facts, or by what they say is behind a share", () => {
    expect([...protocolsIn(treeOf(protocols))].sort()).toEqual(["infrared", "island", "v3"]);
    expect([...protocolsIn(projectTree())].sort()).toEqual(
      ["erc20", "farm", "infrared", "island", "launch", "reward-vault", "v2", "v3", "vault"].sort(),
    );
  });

  it("is broken by no protocol of the project", () => {
    expect(violationsOf("protocol-borders")).toEqual([]);
  });
});
