// Why a subscription ends that its subscriber did not end. Sent as the last event, before the stream closes.
import { GatewayError } from "../errors.ts";

/** What the subscriber has received so far is complete and in order; it misses what came after. */
export class SubscriberTooSlowError extends GatewayError {
  override name = "SubscriberTooSlowError";

  constructor(most: number) {
    super(
      `More events came while ${most} or more were waiting to be read. Subscribe again, and read what has happened since by a query.`,
      { code: "SUBSCRIBER_TOO_SLOW", status: 503, details: { mostWaiting: most }, retryAfterSeconds: 2 },
    );
  }
}

export class BlocksSkippedError extends GatewayError {
  override name = "BlocksSkippedError";

  constructor(range: { announced: number; lastSynced: number }) {
    const { announced, lastSynced } = range;
    super(
      `Too many blocks came at once, ${announced + 1} to ${lastSynced}. Subscribe again, and read what has happened since by a query.`,
      { code: "BLOCKS_SKIPPED", status: 503, details: { ...range }, retryAfterSeconds: 2 },
    );
  }
}

export class ServerStoppingError extends GatewayError {
  override name = "ServerStoppingError";

  constructor() {
    super("The server is stopping. Subscribe again in a few seconds.", {
      code: "SERVER_STOPPING",
      status: 503,
      retryAfterSeconds: 2,
    });
  }
}
