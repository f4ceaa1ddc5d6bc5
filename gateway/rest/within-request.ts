import type { Context } from "hono";
import { RequestScope, type Service } from "../context.ts";
import { clientGone } from "../http/node-request.ts";

/** What `use` asks through a scope of its own, which ends with the answer or when the client leaves. */
export async function withinRequest<T>(
  service: Service,
  c: Context,
  use: (scope: RequestScope) => Promise<T>,
): Promise<T> {
  const scope = new RequestScope(service, clientGone(c));
  try {
    return await use(scope);
  } finally {
    // the answer need not wait for it, and it never fails
    void scope.close();
  }
}
