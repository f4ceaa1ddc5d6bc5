// Reads what is known about tokens, from the cache as long as nothing changes it.
import type { ChainFile } from "../../chains/chain-file.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";
import { placeOfThings } from "./as-of.ts";
import type { Quarantine, TokenState } from "./token-state.ts";

const tokenStates = question<TokenState>("token-states", {
  // without metadata it is worth another try
  isLasting: ({ metadata }) => metadata !== undefined,
});

type TokenContext = { chain: Pick<ChainFile, "chainId">; snapshot: Snapshot };

/**
 * The states of `addresses`, in their order: those of the index as it is now, whichever block the request names, as a token's
 * first block may be taken back. The snapshot must have a state.
 */
export function readTokens(context: TokenContext, addresses: readonly Address[]): Promise<TokenState[]> {
  const { cache, state } = context.snapshot;
  const { head, lastSyncedHash, finalized, changes, revision } = state;
  const now = { block: head, hash: lastSyncedHash, finalized, changes };
  const placeOf = (address: Address) => ({
    ...placeOfThings(now, address, [changing.asset({ kind: "erc20", key: address })]),
    revision,
  });
  return cache.ofEach(tokenStates, { items: addresses, placeOf }, (missing) => readRows(context, missing));
}

async function readRows({ chain, snapshot }: TokenContext, addresses: readonly Address[]): Promise<TokenState[]> {
  const rows = await snapshot.prepared<TokenRow>(
    `select ${tokenColumns}
       from (select place, decode(substr(address, 3), 'hex') as key, ${chain.chainId}::int8 as chain_id
               from unnest(string_to_array($1, ',')) with ordinality as u(address, place)) k
       ${tokenJoins(snapshot.fold)} order by k.place`,
    [addresses.join(",")],
  );
  return rows.map(toTokenState);
}

interface TokenRow {
  address: Address;
  asset_id: number | null;
  first_block: number | null;
  q_block: number | null;
  q_log: number | null;
  q_account: Address | null;
  q_reason: string | null;
  /** Of an account that had received nothing before: the first indexed block. */
  q_begins: number | null;
  has_metadata: boolean;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  problem: string | null;
  flags: string[];
}

/** FROM and SELECT of token states for `k.key` (bytea) of a caller's relation `k`. */
const tokenColumns = `
  '0x' || encode(k.key, 'hex') as address, a.id as asset_id, a.first_block, q.block as q_block, q.log_index as q_log,
  '0x' || encode(q.account, 'hex') as q_account, q.reason as q_reason, q.begins as q_begins, t.address is not null as has_metadata,
  t.name, t.symbol, t.decimals, t.problem,
  (select coalesce(json_agg(flag order by flag), '[]') from tidemark.token_flag f
    where f.chain_id = k.chain_id and f.token = k.key) as flags`;

const tokenJoins = (fold: string): string => `
  left join ${fold}.asset a on a.kind = 'erc20' and a.key = k.key
  left join lateral (select quarantined.*, case when is_unfounded then m.first_block end as begins
                       from ${fold}.quarantine quarantined cross join ${fold}.meta m where asset = a.id) q on true
  left join ${fold}.token t on t.address = k.key`;

const toTokenState = (row: TokenRow): TokenState => ({
  address: row.address,
  assetId: row.asset_id ?? undefined,
  firstBlock: row.first_block ?? undefined,
  quarantine: quarantineOf(row),
  metadata: row.has_metadata
    ? {
        name: row.name ?? undefined,
        symbol: row.symbol ?? undefined,
        decimals: row.decimals ?? undefined,
        problem: row.problem ?? undefined,
      }
    : undefined,
  flags: row.flags,
});

function quarantineOf({ q_block, q_log, q_account, q_reason, q_begins }: TokenRow): Quarantine | undefined {
  if (q_block === null) return undefined;
  const quarantine = { block: q_block, logIndex: q_log ?? 0, account: q_account ?? "0x", reason: q_reason ?? "" };
  return q_begins === null ? quarantine : { ...quarantine, mayBeginBefore: q_begins };
}
