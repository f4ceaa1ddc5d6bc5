// What was traded on a launch curve in USD, and what of it is missing there.
import type { LaunchAt } from "../../questions/launches.ts";
import { Amount, Unknown, Usd } from "./shown-number.tsx";
import { ShownText } from "./shown-text.tsx";

export function LaunchVolume({ launch: { volume, base }, made }: { launch: LaunchAt; made: string }) {
  const { usd, unpriced } = volume;
  if (usd === undefined)
    return <Unknown why="prices of old trades are still worked out, or the base token had none: load the page again" />;
  return (
    <>
      <Usd usd={usd} made={made} />
      {unpriced > 0n && (
        <span class="quiet">
          {" "}
          without <Amount raw={unpriced} decimals={base.metadata?.decimals} made={made} />{" "}
          <ShownText text={base.metadata?.symbol} most={12} fallback="base tokens" />, which had no price then
        </span>
      )}
    </>
  );
}
