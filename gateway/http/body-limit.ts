// How long a body may be, for every route that takes one.
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { GatewayError } from "../errors.ts";
import { requestHeader } from "./node-request.ts";

/** 10,000 addresses as JSON are 450 kB. */
export const MOST_BODY_BYTES = 1024 * 1024;

function refuse(): never {
  throw new GatewayError(`The body is larger than ${MOST_BODY_BYTES} bytes.`, { code: "BODY_TOO_LARGE", status: 413 });
}

const limitUnknownLength = bodyLimit({ maxSize: MOST_BODY_BYTES, onError: refuse });

/** 413 `BODY_TOO_LARGE`; a body of unknown length is read no further than that. */
export const limitBody: MiddlewareHandler = async (c, next) => {
  const length = requestHeader(c, "content-length");
  if (length === undefined || requestHeader(c, "transfer-encoding") !== undefined) return limitUnknownLength(c, next);
  if (Number.parseInt(length, 10) > MOST_BODY_BYTES) refuse();
  await next();
};
