// What one chain's end means for a run of several.
import type { ServedChain } from "./environment.ts";
import type { Surroundings } from "./surroundings.ts";

/** A chain that cannot be served any more ends the run only with the last one. */
export function besideOthers({ chain }: ServedChain, around: Surroundings, lost: Set<number>): Surroundings {
  const fail = (message: string) => {
    const isNews = !lost.has(chain.chainId);
    lost.add(chain.chainId);
    around.aside.set(chain.chainId, message);
    if (lost.size === around.environment.chains.length) around.fail(message);
    else if (isNews)
      around.view.say(
        `${chain.name} is given up, the other chains are served: ${message}\n  mend that, then stop and start again`,
      );
  };
  return { ...around, fail };
}
