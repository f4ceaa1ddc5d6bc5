// How long a body may be, for every route that takes one.
import { bodyLimit } from "hono/body-limit";
import { GatewayError } from "../errors.ts";

/** 10,000 addresses as JSON are 450 kB. */
export const MOST_BODY_BYTES = 1024 * 1024;

/** 413 `BODY_TOO_LARGE`; a body of unknown length is read no further than that. */
export const limitBody = bodyLimit({
  maxSize: MOST_BODY_BYTES,
  onError: () => {
    throw new GatewayError(`The body is larger than ${MOST_BODY_BYTES} bytes.`, {
      code: "BODY_TOO_LARGE",
      status: 413,
    });
  },
});
