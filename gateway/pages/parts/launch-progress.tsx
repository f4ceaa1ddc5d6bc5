// How far a launch curve is from its graduation.

import type { Address } from "../../parameters.ts";
import type { LaunchAt } from "../../questions/launches.ts";
import type { ShownBlock, ViewRequest } from "../view.ts";
import { AddressLink } from "./address.tsx";
import { FactList } from "./fact-list.tsx";
import { LaunchVolume } from "./launch-volume.tsx";
import { StackedBar } from "./nested-shares.tsx";
import { Amount, Count, Percent } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";
import { ShownTime } from "./shown-time.tsx";

interface LaunchProgressProps {
  request: ViewRequest;
  at: ShownBlock;
  launch: LaunchAt;
}

export function LaunchProgress({ request: { isNewest, links }, at, launch }: LaunchProgressProps) {
  const { curve, token, base, progress, totalRaise, dexPair, holdersCount } = launch;
  const block = isNewest ? undefined : at.block;
  const facts = [
    ["Raised", <AmountOf raw={curve.baseReserve} of={base} />],
    ["To be raised", <AmountOf raw={totalRaise} of={base} />],
    ["Left to sell", <AmountOf raw={curve.tokenReserve} of={token} />],
    ["Traded on the curve", <LaunchVolume launch={launch} made="market" />],
    ["Trades on the curve", <Count count={curve.swapsCount} made="market" />],
    ["Holders", <Count count={holdersCount} made="market" />],
    ["Launched", <ShownTime seconds={curve.created.timestamp} />],
    ["By", <AddressLink address={curve.deployer} href={links.of("account", curve.deployer, { block })} />],
  ] as const;
  return (
    <section>
      <h2>Progress to graduation</h2>
      <figure class="progress">
        <figcaption>
          {curve.graduated === undefined ? (
            <>
              <Percent part={progress.numerator} whole={progress.denominator} made="market" /> raised
            </>
          ) : (
            <>
              Graduated at block <Count count={curve.graduated.block} made="market" />,{" "}
              <ShownTime seconds={curve.graduated.timestamp} />
              {dexPair !== undefined && <Successor pair={dexPair} href={links.of("pool", dexPair, { block })} />}
            </>
          )}
        </figcaption>
        <StackedBar
          whole={progress.denominator}
          parts={[{ kind: "curve", label: "raised", amount: progress.numerator, shown: null }]}
        />
      </figure>
      <FactList facts={facts} />
    </section>
  );
}

function AmountOf({ raw, of: { metadata } }: { raw: bigint; of: LaunchAt["token"] }) {
  return (
    <>
      <Amount raw={raw} decimals={metadata?.decimals} made="market" />{" "}
      <span class="quiet">
        <ShownText text={metadata?.symbol} most={12} fallback="?" />
      </span>
    </>
  );
}

function Successor({ pair, href }: { pair: Address; href: string }) {
  return (
    <>
      {" "}
      into the v2 pair <AddressLink address={pair} href={href} />: it is traded there
    </>
  );
}
