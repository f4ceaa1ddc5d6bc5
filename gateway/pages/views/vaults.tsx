// Vaults: islands and v2 pairs, by all filters and orders of GET /vaults, page by page.
import { vaultOrders } from "../../../core/vaults/vault-list.ts";
import { address, parseInput } from "../../parameters.ts";
import {
  FIRST_PAGE,
  leastUsd,
  searchText,
  type VaultsInput,
  type VaultsPage,
  vaultPage,
  vaultsPage,
} from "../../questions/vaults.ts";
import { FieldErrors } from "../field-errors.ts";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { Pager } from "../parts/data-table.tsx";
import { ChoiceField, FilterForm, LimitField, TextField } from "../parts/form-field.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { VaultTable } from "../parts/vault-table.tsx";
import { withQuery } from "../place.ts";
import { flagIn, integerIn } from "../typed.ts";
import type { View, ViewRequest } from "../view.ts";

const FIELDS = ["search", "user", "minimumTvl", "rewardVault", "sweetened", "volatile", "orderBy", "orderDirection"];
const PAGED = ["limit", "offset"];

const ORDERS: Readonly<Record<(typeof vaultOrders)[number], string>> = {
  tvl: "TVL",
  farmTvl: "staked",
  apr: "LP APR",
  farmApr: "farm APR",
  totalApr: "total APR",
  balance: "what the account has",
  farmBalance: "what it has staked",
  vaultBalance: "what is in its wallet",
};

/** What is asked, as far as it is right. */
async function inputOf(request: ViewRequest, errors: FieldErrors): Promise<Omit<VaultsInput, "block">> {
  const { query } = request;
  const user = query("user");
  const page = await errors.of(() =>
    parseInput(vaultPage, {
      limit: integerIn(request, "limit", FIRST_PAGE.limit),
      offset: integerIn(request, "offset", FIRST_PAGE.offset),
      orderBy: query("orderBy") ?? FIRST_PAGE.orderBy,
      orderDirection: query("orderDirection") ?? FIRST_PAGE.orderDirection,
    }),
  );
  return {
    user: user === undefined ? undefined : await errors.of(() => parseInput(address, user, "user")),
    filter: {
      search: await errors.of(() => parseInput(searchText, query("search"), "search")),
      rewardVault: await errors.of(() => flagIn(request, "rewardVault")),
      sweetened: await errors.of(() => flagIn(request, "sweetened")),
      volatile: await errors.of(() => flagIn(request, "volatile")),
      minimumTvl: await errors.of(() => parseInput(leastUsd, query("minimumTvl"), "minimumTvl")),
    },
    page: page ?? FIRST_PAGE,
  };
}

export async function vaults(request: ViewRequest): Promise<View> {
  const { ask, block } = request;
  const fields = Object.fromEntries([...FIELDS, ...PAGED].map((name) => [name, name === "offset" ? "limit" : name]));
  const errors = new FieldErrors(fields);
  const input = await inputOf(request, errors);
  const page = errors.areThere ? undefined : await errors.of(() => ask(vaultsPage, { ...input, block }));
  const intro = (
    <>
      <h1>Vaults</h1>
      <p class="quiet lead">
        Pools that issue shares: islands (managed positions in a v3 pool) and v2 pairs. LP APR: fees of the last seven
        days; farm APR: what reward vaults and farms pay on top.
      </p>
    </>
  );
  if (page === undefined)
    return {
      title: "Vaults",
      status: 400,
      main: (
        <>
          {intro}
          <VaultFilters request={request} errors={errors} />
          <p class="problem">Nothing is listed: one of the fields above is not right.</p>
        </>
      ),
    };
  const at = page.point;
  const marks = await readMarks(request);
  const main = (
    <>
      {intro}
      <BlockBar request={request} at={at} marks={marks} />
      <VaultFilters request={request} errors={errors} />
      <VaultTable request={request} page={page} made="vaults" />
      <Pages request={request} page={page} shown={input.page} />
      <MadeBy
        id="vaults"
        title="vaults"
        url={request.url}
        rest={withQuery("/vaults", { ...typed(request), chainId: request.chain.chainId, blockNumber: at.block })}
        graphql={`{ vaults(${argumentsOf(request, input, at.block)}) { count nodes { id tvl farmTvl apr farmApr totalApr weeklyFeesEarnedUSD incomplete unpriced userBalance { balanceUSD farmBalanceUSD } } } }`}
        verify="--vaults --samples 1"
        note="What each vault holds and who has its shares is compared with the contracts; prices and APRs follow from events alone. The API writes these numbers as doubles, this page all of their digits."
      />
    </>
  );
  return { title: "Vaults", main, at };
}

/** What the form holds, as it stands in the URL. */
const typed = ({ query }: ViewRequest): Record<string, string | undefined> =>
  Object.fromEntries([...FIELDS, ...PAGED].map((name) => [name, query(name)]));

function argumentsOf({ chain }: ViewRequest, input: Omit<VaultsInput, "block">, block: number): string {
  const { filter, user, page } = input;
  // the schema's minimumTvl is a number; what was typed is one already
  const given = {
    search: filter.search,
    user,
    rewardVault: filter.rewardVault,
    sweetened: filter.sweetened,
    volatile: filter.volatile,
    limit: page.limit,
    offset: page.offset,
  };
  const written = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  const least = filter.minimumTvl === undefined ? [] : [`minimumTvl: ${Number(filter.minimumTvl) / 1e36}`];
  const order = [`orderBy: ${page.orderBy}`, `orderDirection: ${page.orderDirection}`];
  return [...written, ...least, ...order, `block: { number: ${block} }`, `chainId: ${chain.chainId}`].join(", ");
}

function Pages({ request, page, shown }: { request: ViewRequest; page: VaultsPage; shown: VaultsInput["page"] }) {
  const { links } = request;
  const to = (offset: number) =>
    links.to("vaults", { ...typed(request), offset: offset || undefined, block: page.point.block });
  const last = shown.offset + page.entries.length;
  const which = page.entries.length === 0 ? "" : `, ${shown.offset + 1} to ${last} shown`;
  return (
    <Pager
      total={`${page.count.toLocaleString("en")} ${page.count === 1 ? "vault" : "vaults"}${which}`}
      first={shown.offset === 0 ? undefined : to(0)}
      next={page.hasNextPage ? to(shown.offset + shown.limit) : undefined}
    />
  );
}

function VaultFilters({ request, errors }: { request: ViewRequest; errors: FieldErrors }) {
  const { links, query } = request;
  const field = (name: string) => ({ name, errors, value: query(name) });
  return (
    <FilterForm request={request} action={links.to("vaults")} label="Filters and order">
      <TextField {...field("search")} label="Name, symbol or address" isWide />
      <TextField {...field("user")} label="Held by account" placeholder="0x…" isWide />
      <TextField {...field("minimumTvl")} label="TVL of at least, USD" inputmode="decimal" />
      <ChoiceField
        {...field("rewardVault")}
        label="Reward vault"
        options={[
          ["", "with or without"],
          ["true", "only with"],
        ]}
      />
      <ChoiceField
        {...field("sweetened")}
        label="Sweetened"
        options={[
          ["", "or not"],
          ["true", "only sweetened"],
        ]}
      />
      <ChoiceField
        {...field("volatile")}
        label="Tokens"
        options={[
          ["", "of any kind"],
          ["true", "volatile"],
          ["false", "pegged alike"],
        ]}
      />
      <ChoiceField
        {...field("orderBy")}
        value={query("orderBy") ?? FIRST_PAGE.orderBy}
        label="By"
        options={vaultOrders.map((order) => [order, ORDERS[order]] as const)}
      />
      <ChoiceField
        {...field("orderDirection")}
        value={query("orderDirection") ?? FIRST_PAGE.orderDirection}
        label="Order"
        options={[
          ["desc", "largest first"],
          ["asc", "smallest first"],
        ]}
      />
      <LimitField request={request} errors={errors} usual={FIRST_PAGE.limit} />
    </FilterForm>
  );
}
