// What every chain of a run shares.

import type { ProcessIdentity } from "../machine/processes.ts";
import type { LauncherEnvironment } from "./environment.ts";
import type { Shutdown } from "./process/shutdown.ts";
import type { Programs } from "./programs.ts";
import type { ProgressView } from "./terminal/progress-view.ts";

export interface Surroundings {
  environment: LauncherEnvironment;
  programs: Programs;
  shutdown: Shutdown;
  view: ProgressView;
  note: (name: string, identity: ProcessIdentity | undefined) => void;
  /** The chain cannot be served in this run: the run ends with this message, or goes on with the other chains. */
  fail: (message: string) => void;
  /** By chain id, why a chain must not be waited for: its node is away, or it was given up. */
  aside: Map<number, string>;
}
