// Facts of v3 written into the tables that Ponder would have written them to.
import type { Sql } from "postgres";
import type { V3PoolCreatedRow } from "../../core/v3/fact-rows.ts";
import type { V3Fact } from "../../core/v3/facts.ts";
import { timestampOf } from "../support/index-fixture.ts";

/** A fact and the contract that logged it. */
export interface LoggedFact {
  contract: string;
  fact: V3Fact;
}

type Row = Record<string, string | number | null>;

export const NOBODY = "0x00000000000000000000000000000000000000ee";

export function tableAndRow(fact: V3Fact, contract: string): [table: string, row: Row] {
  const amounts = "amount0" in fact ? { amount0: `${fact.amount0}`, amount1: `${fact.amount1}` } : {};
  const range = "tickLower" in fact ? { tick_lower: fact.tickLower, tick_upper: fact.tickUpper } : {};
  switch (fact.kind) {
    case "initialize":
      return ["v3_initialize", { sqrt_price_x96: `${fact.sqrtPriceX96}`, tick: fact.tick }];
    case "swap": {
      const end = { sqrt_price_x96: `${fact.sqrtPriceX96}`, liquidity: `${fact.liquidity}`, tick: fact.tick };
      return ["v3_swap", { sender: NOBODY, recipient: NOBODY, ...amounts, ...end }];
    }
    case "mint":
    case "burn":
    case "collect": {
      const liquidity = fact.kind === "collect" ? "0" : `${fact.amount}`;
      const sender = fact.kind === "mint" ? fact.sender : null;
      return ["v3_liquidity", { kind: fact.kind, sender, owner: fact.owner, liquidity, ...range, ...amounts }];
    }
    case "flash": {
      const paid = { paid0: `${fact.paid0}`, paid1: `${fact.paid1}` };
      return ["v3_flash", { sender: NOBODY, recipient: NOBODY, amount0: "0", amount1: "0", ...paid }];
    }
    case "setFeeProtocol":
      return [
        "v3_protocol_fee",
        {
          kind: "set",
          fee_protocol0_old: fact.feeProtocol0Old,
          fee_protocol1_old: fact.feeProtocol1Old,
          fee_protocol0_new: fact.feeProtocol0New,
          fee_protocol1_new: fact.feeProtocol1New,
        },
      ];
    case "collectProtocol":
      return ["v3_protocol_fee", { kind: "collect", sender: NOBODY, recipient: NOBODY, ...amounts }];
    case "protocolFeesEarned":
      return ["v3_protocol_fee", { kind: "earned", ...amounts }];
    case "transferToken":
      return ["v3_nft", { ...idOf(fact, contract), kind: "transfer", from: fact.from, to: fact.to }];
    case "increaseLiquidity":
    case "decreaseLiquidity": {
      const kind = fact.kind === "increaseLiquidity" ? "increase" : "decrease";
      return ["v3_nft", { ...idOf(fact, contract), kind, liquidity: `${fact.liquidity}`, ...amounts }];
    }
    case "collectToken":
      return ["v3_nft", { ...idOf(fact, contract), kind: "collect", recipient: NOBODY, ...amounts }];
  }
}

const idOf = (fact: { tokenId: bigint }, manager: string) => ({ manager, token_id: `${fact.tokenId}` });

const placeOf = ({ block, logIndex, txIndex }: { block: number; logIndex: number; txIndex: number }) => ({
  block,
  log_index: logIndex,
  tx_index: txIndex,
  timestamp: timestampOf(block),
});

/** The fact's table, and the row as it is there. */
export function storedFact({ fact, contract }: LoggedFact): [table: string, row: Row] {
  const [table, values] = tableAndRow(fact, contract);
  return [table, { ...placeOf(fact), ...("pool" in fact ? { pool: fact.pool } : {}), ...values }];
}

export async function insertV3Facts(sql: Sql, schema: string, facts: readonly LoggedFact[]): Promise<void> {
  const groups = new Map<string, Row[]>();
  for (const logged of facts) {
    const [table, row] = storedFact(logged);
    const group = `${table}\n${Object.keys(row).join()}`;
    const rows = groups.get(group) ?? [];
    groups.set(group, rows);
    rows.push(row);
  }
  for (const [group, rows] of groups) {
    const table = group.split("\n")[0] ?? "";
    for (let from = 0; from < rows.length; from += 3_000)
      await sql`insert into ${sql(schema)}.${sql(table)} ${sql(rows.slice(from, from + 3_000))}`;
  }
}

export async function insertV3Pools(sql: Sql, schema: string, pools: readonly V3PoolCreatedRow[]): Promise<void> {
  for (const pool of pools) {
    const row = { ...pool, tx_index: 0, timestamp: timestampOf(pool.block) };
    await sql`insert into ${sql(schema)}.v3_pool_created ${sql(row)}`;
  }
}
