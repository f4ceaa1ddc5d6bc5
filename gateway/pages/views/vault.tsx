// One vault at a block: what it is, what stands behind its shares level by level, what it earns and pays.
import { sumIfComplete } from "../../../core/amounts.ts";
import { type Address, address, parseInput } from "../../parameters.ts";
import { type VaultAt, vaultAt } from "../../questions/vaults.ts";
import { FieldErrors } from "../field-errors.ts";
import { hasPage } from "../known-tokens.ts";
import { AddressLink, shortAddress } from "../parts/address.tsx";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { FilterForm, TextField } from "../parts/form-field.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { NestedShares } from "../parts/nested-shares.tsx";
import { Fee } from "../parts/pool-table.tsx";
import { Amount, Percent, ShownNumber, Unknown } from "../parts/shown-number.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { ShownDay } from "../parts/shown-time.tsx";
import { BaultTable, StakeTable } from "../parts/stake-tables.tsx";
import { Apr, VaultUsd } from "../parts/vault-numbers.tsx";
import { Marks, PairText } from "../parts/vault-table.tsx";
import { withQuery } from "../place.ts";
import { type Behind, behindVault, partsByUsd, TokenLabel } from "../vault-behind.tsx";
import { INCOMPLETE, type ShownRecord, symbolIn, whyUnknown } from "../vault-words.ts";
import type { View, ViewRequest } from "../view.ts";

export async function vault(request: ViewRequest): Promise<View> {
  const { ask, block, param, query } = request;
  const id = parseInput(address, param("address"), "address");
  const errors = new FieldErrors({ user: "user" });
  const text = query("user");
  const user = text === undefined ? undefined : await errors.of(() => parseInput(address, text, "user"));
  const found = await ask(vaultAt, { id, block, user });
  const at = found.point;
  const pinned = request.isNewest ? undefined : at.block;
  const behind = await behindVault(request, at, found);
  const marks = await readMarks(request);
  const { tokens, vault: record } = found;
  const shown = { request, vault: record, setting: found, block: pinned, made: "vault" };
  const name = `${symbolIn(tokens, record.token0)} / ${symbolIn(tokens, record.token1)}`;
  const main = (
    <>
      <h1>
        <PairText vault={record} tokens={tokens} />
      </h1>
      <p class="lead">
        <What request={request} found={found} pinned={pinned} /> <Marks vault={record} />
      </p>
      {record.incomplete && <p class="problem">{INCOMPLETE[record.incomplete]}</p>}
      <BlockBar request={request} at={at} marks={marks} />
      <Numbers found={found} />

      <h2>What stands behind its shares</h2>
      <BehindSection request={request} found={found} behind={behind} pinned={pinned} />

      <h2>Who has its shares</h2>
      <p>
        {hasPage(tokens.get(id)) ? (
          <>
            <a href={request.links.of("token", id, { block: pinned })}>Holders of the share</a>, with what they have
            staked.
          </>
        ) : (
          "Nobody: there have been no shares yet."
        )}
      </p>
      <UserForm request={request} errors={errors} />
      {user !== undefined && <Held found={found} user={user} request={request} pinned={pinned} />}

      <h2>Staked in</h2>
      <StakeTable {...shown} />

      <h2>Baults</h2>
      <BaultTable {...shown} />

      <MadeBy
        id="vault"
        title="this vault"
        url={request.url}
        rest={withQuery(`/vaults/${id}`, { blockNumber: at.block, user, chainId: request.chain.chainId })}
        graphql={graphqlOf(request, { id, user, block: at.block })}
        verify="--vaults --samples 1"
        note="What the vault holds, its supply and its stakes are compared with the contracts; prices and APRs follow from events alone. The levels below the first are what /vaults/<share> says of each share, times the part that is held, rounded down."
      />
    </>
  );
  return { title: `Vault ${name}`, main, at, status: errors.areThere ? 400 : undefined };
}

function graphqlOf(
  { chain }: ViewRequest,
  { id, user, block }: { id: Address; user: Address | undefined; block: number },
) {
  const who = user === undefined ? "" : `user: "${user}", `;
  const token = "{ address symbol priceUSD }";
  return `{ vault(id: "${id}", ${who}block: { number: ${block} }, chainId: ${chain.chainId}) {
    tvl farmTvl apr farmApr totalApr weeklyFeesEarnedUSD totalSupplyDecimal amount0Decimal amount1Decimal lowerTick upperTick currentTick
    feeTier managerFeeBps managerTreasury incomplete stopped unpriced unread token0 ${token} token1 ${token} tokenLp ${token}
    farms { address stakedDecimal stakedUSD apr periodFinish rewards { rate token { symbol } } }
    baults { token ${token} totalAssetsDecimal totalSupplyDecimal apy }
    userBalance { balanceDecimal balanceUSD farmBalanceDecimal farmBalanceUSD } } }`;
}

interface FoundProps {
  request: ViewRequest;
  found: VaultAt;
  pinned: number | undefined;
}

/** A sentence. */
function What({ request: { links }, found: { vault: record, tokens }, pinned }: FoundProps) {
  const { provider, pool, managerTreasury } = record;
  const share = <ShownText text={tokens.get(record.address)?.metadata?.symbol} most={24} fallback="no symbol" />;
  const inPool = <AddressLink address={pool} href={links.of("pool", pool, { block: pinned })} />;
  if (provider === "v2")
    return (
      <>
        A v2 pair: its share {share} stands for a part of both reserves. Pool {inPool}.
      </>
    );
  return (
    <>
      An island: a position in the v3 pool {inPool} that all holders of its share {share} have together
      <Manager treasury={managerTreasury} links={links} pinned={pinned} />
    </>
  );
}

interface ManagerProps extends Pick<ViewRequest, "links"> {
  /** Null where it is not known, undefined where nobody manages the island. */
  treasury: ShownRecord["managerTreasury"];
  pinned: number | undefined;
}

function Manager({ treasury, links, pinned }: ManagerProps) {
  if (treasury === undefined) return <>; nobody manages it.</>;
  if (treasury === null) return <>; who manages it, if anybody, is not known at this block.</>;
  return (
    <>
      , managed for <AddressLink address={treasury} href={links.of("account", treasury, { block: pinned })} />.
    </>
  );
}

function Numbers({ found }: { found: VaultAt }) {
  const { vault: record, tokens, prices } = found;
  const why = whyUnknown(record, tokens);
  const made = "vault";
  const usd = (amount: bigint | undefined) => <VaultUsd usd={amount} made={made} why={why} />;
  const apr = (percent: bigint | undefined) => <Apr percent={percent} made={made} why={why} />;
  const facts = [
    ["TVL", usd(record.tvl)],
    ["Of it staked", usd(record.farmTvl)],
    ["LP APR", apr(record.apr)],
    ["Farm APR", apr(record.farmApr)],
    ["Total APR", apr(record.totalApr)],
    ["LP fees, 7 days", usd(record.weeklyFees)],
    ["Shares", <Amount raw={record.supply} decimals={tokens.get(record.address)?.metadata?.decimals} made={made} />],
    ["Price of a share", usd(prices.get(record.address)?.usd)],
    ["Swap fee", <Fee fee={record.feeTier} />],
    ...(record.provider === "kodiak"
      ? ([
          ["Manager's part of fees", <BasisPoints bps={record.managerFeeBps} why={why} />],
          ["Range, in ticks", <Range found={found} />],
        ] as const)
      : []),
    ["Since", <ShownDay seconds={record.createdAt} />],
  ] as const;
  return <FactList facts={facts} />;
}

const PERCENT_OF_BPS = 100;

function BasisPoints({ bps, why }: { bps: number | undefined; why: string | undefined }) {
  if (bps === undefined) return <Unknown why={why ?? "unknown"} />;
  return <ShownNumber exact={String(bps / PERCENT_OF_BPS)} suffix="%" />;
}

function Range({ found: { vault: record, tokens } }: { found: VaultAt }) {
  const { lowerTick, upperTick, currentTick } = record;
  if (lowerTick === undefined || upperTick === undefined)
    return <Unknown why={whyUnknown(record, tokens) ?? "its range is not known"} />;
  const tick = (value: number) => <data value={String(value)}>{value.toLocaleString("en").replace("-", "−")}</data>;
  const isWithin = currentTick !== undefined && currentTick >= lowerTick && currentTick < upperTick;
  return (
    <>
      {tick(lowerTick)} to {tick(upperTick)}
      <br />
      <span class="quiet">
        {currentTick === undefined ? (
          record.incomplete ? (
            "the pool's price is not known"
          ) : (
            "the pool has no price"
          )
        ) : (
          <>
            price at {tick(currentTick)}, {isWithin ? "within" : "outside"}
          </>
        )}
      </span>
    </>
  );
}

function BehindSection({ request, found, behind, pinned }: FoundProps & { behind: readonly Behind[] | undefined }) {
  const { vault: record, tokens } = found;
  const why = whyUnknown(record, tokens);
  if (behind === undefined)
    return <p class="empty">{record.supply === 0n ? "There are no shares at this block." : `Not known: ${why}`}</p>;
  const parts = partsByUsd(behind, { request, block: pinned });
  const isDrawn = parts !== undefined && record.tvl !== undefined && record.tvl > 0n;
  return (
    <>
      {isDrawn ? (
        <NestedShares
          whole={record.tvl ?? 0n}
          caption="By worth; a share can be opened to what stands behind it"
          parts={parts}
        />
      ) : (
        <p class="empty">Not drawn by worth: {why ?? "nothing in it has a price"}.</p>
      )}
      <DataTable
        caption="Tokens behind all shares"
        columns={[
          { head: "Token" },
          { head: "Amount", isNumber: true },
          { head: "Price", isNumber: true },
          { head: "Worth", isNumber: true },
          { head: "Part of TVL", isNumber: true },
        ]}
        rows={behind.map((one) => [
          <TokenLabel one={one} request={request} block={pinned} />,
          <Amount raw={one.amount} decimals={one.decimals} made="vault" />,
          <VaultUsd usd={found.prices.get(one.token)?.usd} made="vault" why="no price at this block" />,
          <VaultUsd usd={one.usd} made="vault" why="no price at this block" />,
          one.usd === undefined ? (
            <Unknown why="no price at this block" />
          ) : (
            <Percent part={one.usd} whole={record.tvl} />
          ),
        ])}
        empty="Nothing stands behind its shares at this block."
      />
    </>
  );
}

function UserForm({ request, errors }: { request: ViewRequest; errors: FieldErrors }) {
  const { url, query } = request;
  return (
    <FilterForm request={request} action={url.pathname} label="What an account has of it">
      <TextField
        errors={errors}
        value={query("user")}
        name="user"
        label="What an account has of it"
        placeholder="0x…"
        isWide
      />
    </FilterForm>
  );
}

function Held({ found, user, request, pinned }: FoundProps & { user: Address }) {
  const { vault: record, holding, tokens } = found;
  const who = <AddressLink address={user} href={request.links.of("account", user, { block: pinned })} />;
  if (holding === undefined || (holding.inWallet === 0n && holding.staked === 0n))
    return <p class="empty">{shortAddress(user)} has nothing of it at this block, staked or not.</p>;
  const decimals = tokens.get(record.address)?.metadata?.decimals;
  const why = whyUnknown(record, tokens);
  const { held } = record;
  const row = (where: string, raw: bigint | undefined, usd: bigint | undefined) => [
    where,
    <Amount raw={raw} decimals={decimals} made="vault" />,
    <VaultUsd usd={usd} why={why} made="vault" />,
  ];
  return (
    <>
      <p>Of {who}:</p>
      <DataTable
        caption="What the account has of the vault"
        columns={[{ head: "Where" }, { head: "Shares", isNumber: true }, { head: "Worth", isNumber: true }]}
        rows={[
          row("in its wallet", holding.inWallet, held?.vaultBalance),
          row("staked, to any depth", holding.staked, held?.farmBalance),
          row("together", sumIfComplete([holding.inWallet, holding.staked]), held?.balance),
        ]}
        empty=""
      />
    </>
  );
}
