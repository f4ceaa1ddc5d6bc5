// Views over facts: every table under its own name, and views that combine several of them.
import type { Dataset } from "../core/lake/datasets.ts";
import { literal } from "../core/sql-literal.ts";
import { ZERO_ADDRESS } from "../core/zero-address.ts";
import { listedNames, named } from "../lake/duck.ts";
import type { Manifest } from "../lake/manifest.ts";
import { filesOfDataset, filesText, shown, tokensDataset, unionOf } from "./tables.ts";

export interface View {
  name: string;
  text: string;
}

interface Place {
  manifest: Manifest | undefined;
  folder: string;
  facts: readonly Dataset[];
}

/** SELECT text of everything of a dataset: in the lake, and newer. */
function wholeText(dataset: Dataset, { manifest, folder }: Place): string {
  const { name, columns } = dataset;
  const files = filesOfDataset(manifest, folder, name).map(({ path }) => path);
  const rows = listedNames(columns);
  const parts = [
    ...(files.length === 0 ? [] : [`select ${rows} from ${filesText(files)}`]),
    `select ${rows} from tail.${named(name)}`,
    `select ${rows} from near.${named(name)}`,
  ];
  return `select ${columns.map(shown).join(", ")} from (${unionOf(parts)})`;
}

const ZERO = literal(ZERO_ADDRESS);
const PLACE = 'block, log_index, tx_index, "timestamp"';

const together: readonly { name: string; of: readonly string[]; text: string }[] = [
  { name: "blocks", of: ["block"], text: "select * from main.block" },
  {
    name: "transfers",
    of: ["erc20_transfer", "weth9_deposit", "weth9_withdrawal"],
    text: unionOf([
      `select 'transfer' as kind, ${PLACE}, token, "from", "to", amount from main.erc20_transfer`,
      `select 'deposit', ${PLACE}, token, ${ZERO}, account, amount from main.weth9_deposit`,
      `select 'withdrawal', ${PLACE}, token, account, ${ZERO}, amount from main.weth9_withdrawal`,
    ]),
  },
  {
    name: "pools",
    of: ["v3_pool_created", "v2_pair_created", "launch_pool"],
    text: unionOf([
      `select 'v3' as protocol, ${PLACE}, pool, factory, token0, token1, fee, tick_spacing from main.v3_pool_created`,
      `select 'v2', ${PLACE}, pair, factory, token0, token1, null, null from main.v2_pair_created`,
      `select 'launch', ${PLACE}, pool, factory, token, base_token, null, null from main.launch_pool where kind = 'initialized'`,
    ]),
  },
  {
    name: "swaps",
    of: ["v3_swap", "v2_swap", "launch_swap"],
    text: unionOf([
      `select 'v3' as protocol, ${PLACE}, pool, sender, recipient, amount0, amount1 from main.v3_swap`,
      `select 'v2', ${PLACE}, pair, sender, "to", amount0_in - amount0_out, amount1_in - amount1_out from main.v2_swap`,
      `select 'launch', ${PLACE}, pool, sender, "to", token_in - token_out, base_in - base_out from main.launch_swap`,
    ]),
  },
  {
    name: "liquidity",
    of: ["v3_liquidity", "v2_liquidity", "launch_pool"],
    text: unionOf([
      `select 'v3' as protocol, ${PLACE}, pool, kind, sender, owner, recipient, tick_lower, tick_upper, liquidity, amount0, amount1 from main.v3_liquidity`,
      `select 'v2', ${PLACE}, pair, kind, sender, null, "to", null, null, null, amount0, amount1 from main.v2_liquidity`,
      `select 'launch', ${PLACE}, pool, kind, null, null, null, null, null, null, token_amount, base_amount from main.launch_pool where kind = 'graduated'`,
    ]),
  },
  { name: "vaults", of: ["vault_created"], text: "select * from main.vault_created" },
  { name: "launches", of: ["launch_pool"], text: "select * from main.launch_pool" },
];

/** In the order in which they are to be made: later ones read earlier ones. */
export function factViews(place: Place): View[] {
  const own = place.facts.map((dataset) => ({ name: dataset.name, text: wholeText(dataset, place) }));
  const names = new Set(own.map(({ name }) => name));
  const tokens = tokensDataset
    ? `select t.*, n.name, n.symbol, n.decimals from (${wholeText(tokensDataset, place)}) t left join inside.names n using (token)`
    : undefined;
  return [
    ...own,
    ...together.filter(({ of }) => of.every((table) => names.has(table))),
    ...(tokens === undefined ? [] : [{ name: "tokens", text: tokens }]),
    { name: "quarantine", text: "select * from inside.quarantine" },
  ];
}
