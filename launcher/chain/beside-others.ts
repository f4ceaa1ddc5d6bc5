// What happens to a run of several chains when one of them cannot be served any more.
import type { ServedChain } from "../environment.ts";
import type { Surroundings } from "../surroundings.ts";

/** The run ends only when the last chain cannot be served any more. */
export function besideOthers({ chain }: ServedChain, around: Surroundings, lost: Set<number>): Surroundings {
  const fail = (message: string) => {
    const isNews = !lost.has(chain.chainId);
    lost.add(chain.chainId);
    around.aside.set(chain.chainId, message);
    if (lost.size === around.environment.chains.length) around.fail(message);
    else if (isNews)
      around.view.say(
        `${chain.name} is given up, the other chains are served: ${message}\n  fix that, then stop and start again`,
      );
  };
  return { ...around, fail };
}
