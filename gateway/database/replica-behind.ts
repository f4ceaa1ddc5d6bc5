// A block that a replica does not have yet may be on the primary, and another gateway may have shown it.
import { UnavailableError } from "../errors.ts";

/** 503 `CATCHING_UP`, sent where no other server is left. */
export class ReplicaBehindError extends UnavailableError {
  override name = "ReplicaBehindError";

  constructor() {
    super("CATCHING_UP", "This block has not reached the database server that is left. Retry in a few seconds.");
  }
}
