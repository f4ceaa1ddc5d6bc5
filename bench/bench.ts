// What every benchmark gives to `npm run bench`.
import type { Session } from "./session.ts";

export interface Bench {
  /** One line of the list. */
  summary: string;
  /** What `--help` shows. */
  usage: string;
  /** The options that make every phase as small as it can be, for `--smallest`: seconds, and every answer is still checked. */
  smallest: readonly string[];
  /** @throws Error when an answer is wrong or a phase cannot run; never because something is slow */
  run(args: readonly string[], session: Session): Promise<void>;
}

export interface ListedBench {
  load(): Promise<Bench>;
  /** Installs the packages that it is compared with. @throws Error when the registry does not have them */
  prepare?(): Promise<unknown>;
}
