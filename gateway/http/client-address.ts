// The client, as far as the network shows it: the other end of the socket, or the address that the operator's proxy passed on.
import { isIPv6 } from "node:net";
import type { Context } from "hono";
import { nodeRequest, requestHeader } from "./node-request.ts";

/**
 * The client's network: an IPv4 address, or the first 64 bits of an IPv6 one, which is what one customer is given.
 * `header` is believed, so it must be one that the proxy in front always writes itself; of a list the last item counts,
 * because the nearest proxy has added it.
 */
export function clientNetwork(c: Context, header: string | undefined): string {
  const forwarded =
    header === undefined ? undefined : requestHeader(c, header.toLowerCase())?.split(",").at(-1)?.trim();
  const socket = nodeRequest(c).incoming?.socket.remoteAddress;
  return networkOf(forwarded || socket || "unknown");
}

/** `::ffff:192.0.2.1` is the IPv4 address; brackets, a zone and the port that some proxies add are left out. */
export function networkOf(text: string): string {
  const address = text
    .replace(/^\[|\](?::\d+)?$/g, "")
    .replace(/(\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "")
    .toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address.slice(0, 64);
  const [front = "", back] = address.split("::");
  const [head, tail] = [front, back ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = back === undefined ? 0 : 8 - (head?.length ?? 0) - (tail?.length ?? 0);
  const groups = [...(head ?? []), ...Array.from({ length: Math.max(zeros, 0) }, () => "0"), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
