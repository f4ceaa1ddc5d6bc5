// When a request has taken all the time that it may.
import { UnavailableError } from "../errors.ts";

export interface Deadline {
  /** By `performance.now()`: nothing is begun after it. */
  until?: number;
}

/** For operations of many steps, between them. @throws RequestTooLongError */
export function requireTime({ until }: Deadline): void {
  if (until !== undefined && performance.now() > until) throw new RequestTooLongError();
}

/** 503 `TIMEOUT`: what one request asks, all of it together, takes too long. */
export class RequestTooLongError extends UnavailableError {
  override name = "RequestTooLongError";

  constructor() {
    super("TIMEOUT", "The request has taken all the time that it may. Ask for less at once, or retry later.");
  }
}
