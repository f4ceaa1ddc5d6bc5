// Where a vault's shares are staked, and the baults over them.
import type { VaultSetting } from "../../questions/vaults.ts";
import { TokenCell } from "../vault-behind.tsx";
import type { BaultRecord, ShownRecord, StakeRecord } from "../vault-words.ts";
import { symbolIn, whyUnknown } from "../vault-words.ts";
import type { ViewRequest } from "../view.ts";
import { AddressLink } from "./address.tsx";
import { DataTable } from "./data-table.tsx";
import { Amount, Unknown } from "./shown-number.tsx";
import { ShownDay } from "./shown-time.tsx";
import { Apr, Apy, VaultUsd } from "./vault-numbers.tsx";

interface TablesProps {
  request: ViewRequest;
  vault: ShownRecord;
  setting: VaultSetting;
  block: number | undefined;
  made: string;
}

const STAKES: Readonly<Record<StakeRecord["kind"], string>> = { "reward-vault": "reward vault", farm: "farm" };

const decimalsOf = ({ tokens }: Pick<VaultSetting, "tokens">, token: BaultRecord["asset"]) =>
  tokens.get(token)?.metadata?.decimals;

export function StakeTable({ request, vault, setting, block, made }: TablesProps) {
  const { tokens } = setting;
  const columns = [
    { head: "Contract" },
    { head: "Kind" },
    { head: "Takes" },
    { head: "Staked", isNumber: true },
    { head: "Worth", isNumber: true },
    { head: "APR", isNumber: true },
    { head: "Pays" },
    { head: "Until" },
  ];
  const rows = vault.farms.map((farm) => {
    const why = whyUnknown(vault, tokens);
    return [
      <AddressLink address={farm.address} href={request.links.of("account", farm.address, { block })} />,
      STAKES[farm.kind],
      <TokenCell token={farm.stakingToken} tokens={tokens} request={request} block={block} />,
      <Amount raw={farm.staked} decimals={decimalsOf(setting, farm.stakingToken)} made={made} />,
      <VaultUsd usd={farm.tvl} made={made} why={why} />,
      <Apr percent={farm.apr} made={made} why={why} />,
      <Paid farm={farm} setting={setting} />,
      <Until farm={farm} now={setting.point.timestamp} />,
    ];
  });
  return (
    <DataTable
      columns={columns}
      rows={rows}
      caption="Reward vaults and farms that take these shares"
      empty="No reward vault and no farm takes these shares at this block."
    />
  );
}

function Paid({ farm, setting }: { farm: StakeRecord; setting: VaultSetting }) {
  if (farm.pays === undefined) return <Unknown why="what it pays has not been read from the chain yet" />;
  if (farm.pays.length === 0) return <>nothing</>;
  return (
    <>
      {farm.pays.map(({ token, rate }, i) => (
        <>
          {i > 0 && ", "}
          <Amount raw={rate} decimals={decimalsOf(setting, token)} /> <bdi>{symbolIn(setting.tokens, token)}</bdi> a
          second
          {farm.unpriced.includes(token) && <span class="quiet"> (without a price, so not in the APR)</span>}
        </>
      ))}
    </>
  );
}

function Until({ farm: { kind, periodFinish }, now }: { farm: StakeRecord; now: number | undefined }) {
  if (kind === "reward-vault") return <span class="quiet">as emissions go</span>;
  if (periodFinish === undefined) return <Unknown why="has not been read from the chain yet" />;
  if (periodFinish === 0n) return <>not begun</>;
  const seconds = Number(periodFinish);
  return (
    <>
      <ShownDay seconds={seconds} />
      {now !== undefined && seconds <= now && " (over)"}
    </>
  );
}

export function BaultTable({ request, vault, setting, block, made }: TablesProps) {
  const columns = [
    { head: "Bault" },
    { head: "Vault shares in it", isNumber: true },
    { head: "Its own shares", isNumber: true },
    { head: "Price of one", isNumber: true },
    { head: "APY", isNumber: true },
  ];
  const why = whyUnknown(vault, setting.tokens);
  const rows = vault.baults.map(({ bault, asset, totalAssets, totalSupply, apy }) => [
    <TokenCell token={bault} tokens={setting.tokens} request={request} block={block} />,
    <Amount raw={totalAssets} decimals={decimalsOf(setting, asset)} made={made} />,
    <Amount raw={totalSupply} decimals={decimalsOf(setting, bault)} made={made} />,
    <VaultUsd usd={setting.prices.get(bault)?.usd} made={made} why={why} />,
    <Apy apy={apy} made={made} why={totalAssets === undefined || totalSupply === undefined ? why : undefined} />,
  ]);
  return (
    <DataTable
      columns={columns}
      rows={rows}
      caption="Baults over these shares"
      empty="No bault is over these shares at this block."
    />
  );
}
