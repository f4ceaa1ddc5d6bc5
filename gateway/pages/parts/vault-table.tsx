// Vaults in a table: islands and v2 pairs, what they hold, earn and pay.
import type { VaultsPage } from "../../questions/vaults.ts";
import { INCOMPLETE, KINDS, type ShownRecord, symbolIn, type Tokens, whyUnknown } from "../vault-words.ts";
import type { ViewRequest } from "../view.ts";
import { shortAddress } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Fee } from "./pool-table.tsx";
import { Apr, VaultUsd } from "./vault-numbers.tsx";

/** `HONEY / WBERA`, in this order whatever the direction of their letters. */
export function PairText({ vault, tokens }: { vault: Pick<ShownRecord, "token0" | "token1">; tokens: Tokens }) {
  return (
    <>
      <bdi>{symbolIn(tokens, vault.token0)}</bdi> / <bdi>{symbolIn(tokens, vault.token1)}</bdi>
    </>
  );
}

/** What it is known for, in a word each. */
export function Marks({ vault }: { vault: ShownRecord }) {
  const marks = [
    ...(vault.isRewardVault ? [{ word: "reward vault", title: "its shares can be staked in a reward vault" }] : []),
    ...(vault.isSweetened
      ? [{ word: "sweetened", title: "a farm pays, or incentives are left for its emissions" }]
      : []),
    ...(vault.baults.length > 0 ? [{ word: "bault", title: "a bault is over its shares" }] : []),
    vault.isVolatile
      ? { word: "volatile", title: "its tokens are not pegged to the same thing" }
      : { word: "pegged", title: "both tokens are pegged to the same thing" },
  ];
  return (
    <>
      {vault.incomplete && (
        <span class="badge is-bad" title={INCOMPLETE[vault.incomplete]}>
          {vault.incomplete}
        </span>
      )}{" "}
      {marks.map(({ word, title }) => (
        <>
          <span class="badge" title={title}>
            {word}
          </span>{" "}
        </>
      ))}
    </>
  );
}

interface VaultTableProps {
  request: ViewRequest;
  page: VaultsPage;
  made: string;
}

export function VaultTable({ request, page, made }: VaultTableProps) {
  const { tokens, point, user } = page;
  const block = request.isNewest ? undefined : point.block;
  const columns = [
    { head: "Vault" },
    ...(user === undefined
      ? []
      : [
          { head: "Has", isNumber: true },
          { head: "of it staked", isNumber: true },
        ]),
    { head: "TVL", isNumber: true },
    { head: "Staked", isNumber: true },
    { head: "LP APR", isNumber: true },
    { head: "Farm APR", isNumber: true },
    { head: "Total APR", isNumber: true },
    { head: "Fees, 7 days", isNumber: true },
    { head: "Swap fee", isNumber: true },
    { head: "Marks" },
  ];
  const rows = page.entries.map(({ vault }) => {
    const why = whyUnknown(vault, tokens);
    const usd = (amount: bigint | undefined) => <VaultUsd usd={amount} made={made} why={why} />;
    const apr = (percent: bigint | undefined) => <Apr percent={percent} made={made} why={why} />;
    return [
      <a class="name" href={request.links.of("vault", vault.address, { block, user })} title={vault.address}>
        <PairText vault={vault} tokens={tokens} /> <code class="address quiet">{shortAddress(vault.address)}</code>{" "}
        <span class="below">{KINDS[vault.provider]}</span>
      </a>,
      ...(user === undefined ? [] : [usd(vault.held?.balance), usd(vault.held?.farmBalance)]),
      usd(vault.tvl),
      usd(vault.farmTvl),
      apr(vault.apr),
      apr(vault.farmApr),
      apr(vault.totalApr),
      usd(vault.weeklyFees),
      <Fee fee={vault.feeTier} />,
      <>
        <Marks vault={vault} />
        {why !== undefined && !vault.incomplete && <span class="quiet">{why}</span>}
      </>,
    ];
  });
  return (
    <DataTable
      columns={columns}
      rows={rows}
      caption="Vaults: islands and v2 pairs"
      empty="No vault is left by these filters at this block. Leave one of them out."
    />
  );
}
