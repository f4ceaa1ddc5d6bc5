// The external providers there are. The own router is not among them: it works inside the gateway.

import type { ChainFile } from "../../chains/chain-file.ts";
import { ChainFileError } from "../../chains/load.ts";
import type { Provider } from "./provider.ts";
import { enso } from "./providers/enso/provider.ts";
import { fly } from "./providers/fly/provider.ts";
import { kyberSwap } from "./providers/kyberswap/provider.ts";
import { oogaBooga } from "./providers/oogabooga/provider.ts";
import { openOcean } from "./providers/openocean/provider.ts";

export const providers: readonly Provider[] = [openOcean, fly, oogaBooga, enso, kyberSwap];

const namesOf = ({ name, aliases }: Provider): string[] => [name, ...aliases].map((one) => one.toLowerCase());

/** The provider that `name` means, in any case; undefined when there is none. */
export const providerNamed = (name: string): Provider | undefined =>
  providers.find((provider) => namesOf(provider).includes(name.trim().toLowerCase()));

/** @throws ChainFileError when a chain file names a provider that does not exist */
export function requireExistingProviders({ name, ownRouterName, providers: listed }: ChainFile): void {
  for (const entry of listed)
    if (entry.name.toLowerCase() !== ownRouterName.toLowerCase() && !providerNamed(entry.name))
      throw new ChainFileError(
        `${name}: providers: "${entry.name}" is no provider; known: ${providers.map((one) => one.name).join(", ")}`,
      );
}
