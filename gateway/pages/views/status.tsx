// Status: how far the index is, and what went wrong with what, each with what to do.
import { type Status, status } from "../../questions/status.ts";
import { AddressLink } from "../parts/address.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { Count, Unknown } from "../parts/shown-number.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { ShownTime } from "../parts/shown-time.tsx";
import type { View, ViewRequest } from "../view.ts";

/** What to do about each state of an index. */
const ADVICE: Readonly<Record<Status["state"], string>> = {
  ready: "Nothing to do: the head can be answered, and every part works.",
  starting: "Wait: the first blocks are being read. Asking again in a few seconds is enough.",
  backfilling: "Wait: older blocks are answered already, newer ones follow. Ask for a block up to the last synced one.",
  folding: "Wait: the index is being made. Until it is there nothing is answered, or the index before it answers.",
  failing: "Operators: look into the log of the part named above. Blocks that are there are still answered.",
  unknown:
    "Operators: the node does not answer, or lacks blocks; check RPC_URL and the node. Blocks that are there are still answered.",
  stalled: "Operators: the node has newer blocks and none is indexed; look into the logs of Ponder and of the fold.",
  incomplete: "Operators: set an earlier startBlock in the chain file and index anew.",
  stopped: "Operators: the chain replaced final blocks; `npm run reset` and index anew.",
};

export async function statusView(request: ViewRequest): Promise<View> {
  const { ask, chain, url } = request;
  const now = await ask(status, {});
  const contractsThatWait = now.waiting.filter(({ address }) => address !== null).length;
  const main = (
    <>
      <h1>Status of {chain.name}</h1>
      <p>
        <span class={now.state === "ready" ? "badge" : "badge is-bad"}>{now.state}</span>{" "}
        {now.reason ?? "the head can be answered"}
      </p>
      <p>{ADVICE[now.state]}</p>
      <Progress now={now} />
      <MadeBy
        id="status"
        title="status"
        url={url}
        rest={`/status?chainId=${chain.chainId}`}
        graphql={`{ status(chainId: ${chain.chainId}) { state reason lastSyncedBlock chainHead lag } }`}
        note="The parts write this about themselves into the database; /ready answers 200 or 503 by it."
      />

      <h2>Parts</h2>
      <Parts now={now} />

      <h2>Waiting</h2>
      <p class="quiet">
        What could not be read from the chain yet. Answers leave it out and say so; it is tried again by itself. If it
        stays: give the node archive access, or another node.
      </p>
      <DataTable
        caption="What waits to be read"
        columns={[
          { head: "What" },
          { head: "Contract" },
          { head: "From block", isNumber: true },
          { head: "Why" },
          { head: "Since" },
        ]}
        rows={now.waiting.map(({ step, address, block, reason, since }) => [
          step,
          address === null ? (
            "the whole fold"
          ) : (
            <AddressLink address={address} href={request.links.of("account", address)} />
          ),
          <Count count={block} />,
          <ShownText text={reason} most={200} />,
          <ShownTime seconds={Math.floor(Date.parse(since) / 1_000)} />,
        ])}
        empty="Nothing waits."
      />
      <Unlisted listed={contractsThatWait} of={now.waitingContractsCount} />

      <h2>Stopped</h2>
      <p class="quiet">
        Contracts whose events contradict themselves. What they hold is shown as unattributed from the block on. Nothing
        to do where the contract is at fault; else report it with the reason.
      </p>
      <DataTable
        caption="What has stopped"
        columns={[{ head: "Contract" }, { head: "Kind" }, { head: "From block", isNumber: true }, { head: "Why" }]}
        rows={now.stopped.map(({ kind, address, block, reason }) => [
          <AddressLink address={address} href={request.links.of(kind === "v3-pool" ? "pool" : "account", address)} />,
          kind,
          <Count count={block} />,
          <ShownText text={reason} most={200} />,
        ])}
        empty="Nothing has stopped."
      />
      <Unlisted listed={now.stopped.length} of={now.stoppedCounts.reduce((sum, { count }) => sum + count, 0)} />

      <Tokens now={now} request={request} />
    </>
  );
  return { title: "Status", main, head: now.lastSyncedBlock ?? undefined };
}

/** Lists of the status end somewhere. */
function Unlisted({ listed, of }: { listed: number; of: number }) {
  if (of <= listed) return null;
  return <p class="quiet">{`${listed.toLocaleString("en")} of ${of.toLocaleString("en")} are listed.`}</p>;
}

function Progress({ now }: { now: Status }) {
  const figure = (count: number | null | undefined, why: string) =>
    count === null || count === undefined ? <Unknown why={why} /> : <Count count={count} made="status" />;
  const facts = [
    ["Last synced block", figure(now.lastSyncedBlock, "no block is synced yet")],
    ["Head of the chain", figure(now.chainHead, "the node has not reported its head yet")],
    ["Blocks behind", figure(now.lag, "not known yet")],
    ["Final up to", figure(now.fold?.finalized, "no fold yet")],
    ["Tokens tracked", figure(now.tokens?.tracked, "no index yet")],
    ["Of these with metadata", figure(now.tokens?.withMetadata, "no index yet")],
  ] as const;
  return <FactList facts={facts} />;
}

function Parts({ now: { parts } }: { now: Status }) {
  return (
    <DataTable
      caption="Parts that write the index"
      columns={[
        { head: "Part" },
        { head: "State" },
        { head: "Writes" },
        { head: "Read by gateways" },
        { head: "What it says" },
      ]}
      rows={parts.map(({ part, state, schema, isLive, reason }) => [
        part,
        <span class={state === "working" ? "badge" : "badge is-bad"}>{state}</span>,
        <code>{schema}</code>,
        isLive ? "yes" : "no",
        <ShownText text={reason ?? undefined} most={200} fallback="nothing is wrong" />,
      ])}
      empty="No part has been heard of: start one with npm start."
    />
  );
}

function Tokens({ now, request: { links } }: { now: Status; request: ViewRequest }) {
  const token = (address: string) => <AddressLink address={address} href={links.of("token", address)} />;
  return (
    <>
      <h2>Quarantined tokens</h2>
      <p class="quiet">
        Their events, or their contracts' answers, contradict the standard, so their balances are not shown rather than
        shown wrong. Nothing to do; other tokens are not affected.
      </p>
      <DataTable
        caption="Quarantined tokens"
        columns={[{ head: "Token" }, { head: "Symbol" }, { head: "From block", isNumber: true }, { head: "Why" }]}
        rows={now.quarantined.map(({ token: address, symbol, block, reason }) => [
          token(address),
          <ShownText text={symbol ?? undefined} most={24} fallback="no symbol" />,
          <Count count={block} />,
          <ShownText text={reason} most={200} />,
        ])}
        empty="No token is quarantined."
      />
      <Unlisted listed={now.quarantined.length} of={now.quarantinedCount} />

      <h2>Flagged tokens</h2>
      <p class="quiet">
        Verification found that the contract says something else than its own events: balances are those of the events.
        Compare with the contract before you rely on them:{" "}
        <code>npm run verify -- --token &lt;address&gt; --block &lt;number&gt;</code>.
      </p>
      <DataTable
        caption="Flagged tokens"
        columns={[{ head: "Token" }, { head: "Flag" }, { head: "Found at block", isNumber: true }, { head: "Detail" }]}
        rows={now.flags.map(({ token: address, flag, block, detail }) => [
          token(address),
          flag,
          <Count count={block} />,
          <ShownText text={detail} most={200} />,
        ])}
        empty="No token is flagged."
      />

      <h2>Odd metadata</h2>
      <p class="quiet">
        The contract's name, symbol or decimals cannot be read as they are. Only without decimals is a token not
        answered; those with attempts are read again by themselves.
      </p>
      <DataTable
        caption="Tokens with odd metadata"
        columns={[{ head: "Token" }, { head: "Problem" }, { head: "Attempts", isNumber: true }]}
        rows={now.metadataProblems.map(({ token: address, problem, attempts }) => [
          token(address),
          <ShownText text={problem} most={200} />,
          attempts === null ? <Unknown why="read once, and kept" /> : <Count count={attempts} />,
        ])}
        empty="All metadata can be read."
      />
    </>
  );
}
