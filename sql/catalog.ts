// The views and table macros that statements see, made from the declarations of the datasets.
import { histories, holdings } from "../core/history/histories.ts";
import type { History } from "../core/history/history.ts";
import { type Dataset, FROM_BLOCK, type HistoryDatasets, historyDatasets, TO_BLOCK } from "../core/lake/datasets.ts";
import { literal } from "../core/sql-literal.ts";
import { ZERO_ADDRESS } from "../core/zero-address.ts";
import { listedNames, named } from "../lake/duck.ts";
import type { Manifest } from "../lake/manifest.ts";
import { factViews, type View } from "./fact-views.ts";
import { filesOfDataset, filesText, lookThroughAmounts, shown, unionOf } from "./tables.ts";

export interface CatalogPlace {
  manifest: Manifest | undefined;
  /** Absolute: that of the chain, `<lake>/<chain id>`. */
  folder: string;
  facts: readonly Dataset[];
  /** Absolute path of a file without rows, with the dataset's columns. */
  stub: (dataset: string) => string;
}

/** The view's name of a history's intervals. */
const intervalsName = ({ name }: History): string => `${name}s`;

export interface Macro {
  name: string;
  /** `token` and `account`: an address; `block`, `from`, `to`: a block that is answered. */
  parameters: readonly ("token" | "account" | "block" | "from" | "to")[];
}

/** Functions that take the place of a table. */
export const macros: readonly Macro[] = [
  { name: "holders", parameters: ["token", "block"] },
  { name: "balances_at", parameters: ["account", "block"] },
  { name: "holdings", parameters: ["token", "from", "to"] },
  { name: "look_through", parameters: ["token", "block"] },
  { name: "supplies_at", parameters: ["block"] },
  ...histories.map((history): Macro => ({ name: `${intervalsName(history)}_at`, parameters: ["block"] })),
];

/** Statements that make all of it, in place of what was there. */
export const catalogTexts = (place: CatalogPlace): string[] => [
  `create or replace macro inside.slot(at_block) as len(list_filter(getvariable('segment_firsts'), first -> first <= at_block))`,
  ...historyDatasets.flatMap((one) => historyTexts(one, place)),
  ...holdingTexts(),
  ...[...factViews(place), ...lakeViews(place)].map(
    ({ name, text }) => `create or replace view main.${named(name)} as ${text}`,
  ),
  "create or replace macro main.head() as getvariable('head')",
];

/** Names that a statement may read from. */
export const viewNames = (place: CatalogPlace): string[] => [
  ...histories.map(intervalsName),
  ...["balances", "supplies"],
  ...[...factViews(place), ...lakeViews(place)].map(({ name }) => name),
];

/** Variables of every connection that statements run on: the files of each segment, in the order of segments. */
export function variableTexts(
  { manifest, folder, stub }: CatalogPlace,
  head: { block: number; finalized: number },
): string[] {
  const segments = manifest?.segments ?? [];
  const lists = historyDatasets.flatMap(({ closed, open }) =>
    [closed, open].map(({ name }) => {
      const paths = segments.map(({ files }) => {
        const path = files.find(({ dataset }) => dataset === name)?.path;
        return path === undefined ? stub(name) : `${folder}/${path}`;
      });
      // what is newer than the lake is not in the last one either, but a function needs a file
      return `set variable ${name} = [${(paths.length > 0 ? paths : [stub(name)]).map(literal).join(", ")}]`;
    }),
  );
  return [
    ...lists,
    `set variable segment_firsts = [${segments.map(({ first }) => first).join(", ")}]::INTEGER[]`,
    `set variable lake_last = ${segments.at(-1)?.last ?? -1}`,
    `set variable head = ${head.block}`,
    `set variable finalized = ${head.finalized}`,
    `set variable no_holding = ${literal(stub("holding_closed"))}`,
  ];
}

const IS_PAST = "at_block <= getvariable('lake_last')";
const IS_TAIL = "at_block > getvariable('lake_last')";

/** The file of a dataset that has the state at the end of a block: that of the segment around it. */
const fileAt = (dataset: string): string =>
  `read_parquet(getvariable('${dataset}')[greatest(inside.slot(at_block), 1)])`;

function historyTexts({ history, key, closed, open }: HistoryDatasets, place: CatalogPlace): string[] {
  const { name } = history;
  const rows = listedNames(closed.columns);
  const openRows = listedNames(open.columns);
  const closedFiles = filesOfDataset(place.manifest, place.folder, closed.name);
  const last = place.manifest?.segments.at(-1)?.last;
  const openNow = filesOfDataset(place.manifest, place.folder, open.name).filter((file) => file.last === last);
  const keys = listedNames([...key, FROM_BLOCK]);
  const openParts = [
    ...openNow.map(({ path }) => `select ${openRows} from ${filesText([path])}`),
    `select ${openRows} from tail.${name}_begun`,
  ];
  const closedParts =
    closedFiles.length === 0 ? [] : [`select ${rows} from ${filesText(closedFiles.map(({ path }) => path))}`];
  const endedParts = [`tail.${name}_ended`, `near.${name}_rows`];
  const listedShown = (columns: Dataset["columns"]) => columns.map(shown).join(", ");
  const isHoldings = history === holdings;
  return [
    // what still holds: what held at the end of the lake, or began since, without what has ended since
    `create or replace view inside.${name}_present as select ${openRows} from (${unionOf(openParts)})
      anti join (${unionOf(endedParts.map((table) => `select ${keys} from ${table}`))}) using (${keys})`,
    `create or replace view inside.${name}_rows as ${unionOf([
      ...closedParts,
      ...endedParts.map((table) => `select ${rows} from ${table}`),
      `select ${openRows}, null::INTEGER as ${TO_BLOCK.name} from inside.${name}_present`,
    ])}`,
    `create or replace view main.${intervalsName(history)} as
      select ${listedShown(closed.columns)} from inside.${name}_rows h ${isHoldings ? WITHOUT_QUARANTINED : ""}`,
    `create or replace macro inside.${name}_at(at_block) as table select ${openRows} from (${unionOf([
      `select ${openRows} from ${fileAt(closed.name)} where ${IS_PAST} and from_block <= at_block and to_block > at_block`,
      `select ${openRows} from ${fileAt(open.name)} where ${IS_PAST} and from_block <= at_block`,
      `select ${openRows} from tail.${name}_ended where ${IS_TAIL} and from_block <= at_block and to_block > at_block`,
      `select ${openRows} from near.${name}_rows where ${IS_TAIL} and from_block <= at_block and (to_block is null or to_block > at_block)`,
      `select ${openRows} from inside.${name}_present where ${IS_TAIL} and from_block <= at_block`,
    ])}) h ${isHoldings ? withoutBroken("at_block") : ""}`,
    `create or replace macro main.${intervalsName(history)}_at(block) as table select ${listedShown(open.columns)} from inside.${name}_at(block)`,
  ];
}

/** Leaves out tokens with unknown balances, and their supplies. */
const WITHOUT_QUARANTINED = `anti join inside.quarantine q
  on q.ledger = (case when h.ledger = 'supply' then 'erc20' else h.ledger end)
 and q.token = (case when h.ledger = 'supply' then h.account else h.token end)`;

/** The same at one block, as /balances refuses tokens there: those that broke after both the block and the last final one stay. */
const withoutBroken = (block: string): string =>
  `${WITHOUT_QUARANTINED} and q.block <= greatest(${block}, getvariable('finalized'))`;

const AMOUNT = "amount::BIGNUM as amount";

/** Lists of holders are without it, as those of /balances are. */
const IS_SOMEBODY = `account <> ${literal(ZERO_ADDRESS)}`;

function holdingTexts(): string[] {
  return [
    "create or replace view main.balances as select token, account, amount, from_block, to_block from main.holdings where ledger = 'erc20'",
    "create or replace view main.supplies as select account as token, amount, from_block, to_block from main.holdings where ledger = 'supply'",
    `create or replace macro inside.holders_at(at_token, at_block) as table
      select account, ${AMOUNT} from inside.holding_at(at_block) where ledger = 'erc20' and token = lower(at_token) and ${IS_SOMEBODY}`,
    "create or replace macro main.holders(token, block) as table select * from inside.holders_at(token, block)",
    `create or replace macro inside.account_at(at_account, at_block) as table
      select token, ${AMOUNT} from inside.holding_at(at_block) where ledger = 'erc20' and account = lower(at_account)`,
    "create or replace macro main.balances_at(account, block) as table select * from inside.account_at(account, block)",
    `create or replace macro inside.supplies(at_block) as table
      select account as token, ${AMOUNT} from inside.holding_at(at_block) where ledger = 'supply'`,
    "create or replace macro main.supplies_at(block) as table select * from inside.supplies(block)",
    // what held at the end of the range, and what ended in it
    `create or replace macro inside.holdings_over(at_token, first_block, last_block) as table
      select account, ${AMOUNT}, from_block, to_block from (
        select ledger, token, account, amount, from_block, null::INTEGER as to_block from inside.holding_at(last_block)
        union all select ledger, token, account, amount, from_block, to_block
          from read_parquet(list_append(getvariable('holding_closed')[greatest(inside.slot(first_block), 1):inside.slot(last_block)], getvariable('no_holding')))
         where to_block > first_block and to_block <= last_block
        union all select ledger, token, account, amount, from_block, to_block from tail.holding_ended where to_block > first_block and to_block <= last_block
        union all select ledger, token, account, amount, from_block, to_block from near.holding_rows where to_block > first_block and to_block <= last_block
      ) h ${withoutBroken("last_block")} where ledger = 'erc20' and token = lower(at_token) and ${IS_SOMEBODY}`,
    `create or replace macro main.holdings(token, "from", "to") as table select * from inside.holdings_over(token, "from", "to")`,
    `create or replace macro inside.look_through(at_token, at_block) as table
      select account, ${lookThroughAmounts.map((name) => `${name}::BIGNUM as ${name}`).join(", ")}
        from inside.looked_through t where t.token = lower(at_token) and t.block = at_block`,
    "create or replace macro main.look_through(token, block) as table select * from inside.look_through(token, block)",
  ];
}

/** The lake's own datasets that have no better name, as they are. */
function lakeViews({ manifest, folder }: CatalogPlace): View[] {
  const states = historyDatasets.flatMap(({ closed, open }): View[] => [
    { name: closed.name, text: ofFiles(closed, filesOfDataset(manifest, folder, closed.name)) },
    { name: open.name, text: ofFiles(open, filesOfDataset(manifest, folder, open.name), true) },
  ]);
  const others = ["prices", "stopped"].flatMap((name): View[] => {
    const columns = manifest?.schema[name];
    if (columns === undefined) return [];
    return [{ name, text: ofFiles({ name, columns, order: [] }, filesOfDataset(manifest, folder, name)) }];
  });
  return [...states, ...others];
}

/** `withBlock`: rows of several files are distinguished by the segment's last block. */
function ofFiles({ columns }: Dataset, files: readonly { last: number; path: string }[], withBlock = false): string {
  if (files.length === 0) {
    const empty = columns.map(
      ({ name, type, meaning }) => `null::${meaning === "decimal" ? "BIGNUM" : type} as ${named(name)}`,
    );
    return `select ${[...empty, ...(withBlock ? ["null::INTEGER as block"] : [])].join(", ")} where false`;
  }
  if (!withBlock) return `select ${columns.map(shown).join(", ")} from ${filesText(files.map(({ path }) => path))}`;
  return unionOf(
    files.map(
      ({ path, last }) => `select ${columns.map(shown).join(", ")}, ${last} as block from ${filesText([path])}`,
    ),
  );
}
