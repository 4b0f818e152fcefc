/**
 * Who sent a request, and as what they addressed us. `X-Forwarded-For` and `X-Forwarded-Proto` are believed from the
 * named proxies only; from anybody else they are just text. The pipeline calls it for every request, the server for
 * every connection.
 */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

export interface Origin {
  ip(request: IncomingMessage): string;
  /** Whether it came over TLS, to us or to a trusted proxy, or the public address is https, whatever a proxy says. */
  isSecure(request: IncomingMessage): boolean;
  /** `https://host[:port]` without a slash at the end. */
  baseUrl(request: IncomingMessage): string;
}

/** Whether an address is one of these proxies: addresses and CIDR ranges. Throws on one that is neither. */
export function proxyTrust(trusted: readonly string[]): (address: string) => boolean {
  const trusts = proxyAddr.compile([...trusted]);
  return (address) => trusts(address, 0);
}

/** `trusted`: as for `proxyTrust`. `publicUrl` fixes the base address instead of taking it from each request. */
export function originReader(trusted: readonly string[], publicUrl?: string): Origin {
  const isTrusted = proxyTrust(trusted);
  const fixed = publicUrl?.replace(/\/+$/, '');
  const isFixedSecure = fixed?.startsWith('https:') === true;
  return {
    ip(request) {
      const peer = request.socket.remoteAddress ?? '';
      if (trusted.length === 0) return plainAddress(peer);
      // From the peer to the farthest that a trusted proxy names; what is no address is ignored.
      const hops = proxyAddr.all(request, isTrusted).filter((hop) => ipaddr.isValid(hop));
      return plainAddress(hops.at(-1) ?? peer);
    },
    isSecure: (request) => isFixedSecure || schemeOf(request, isTrusted) === 'https',
    baseUrl(request) {
      if (fixed !== undefined) return fixed;
      const host = request.headers.host ?? '';
      return `${schemeOf(request, isTrusted)}://${HOST.test(host) ? host : 'localhost'}`;
    },
  };
}

/** What an address counts as where callers are counted: itself, or its /64 where it is IPv6. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  const groups = ipaddr.IPv6.parse(plain).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

const HOST = /^[A-Za-z0-9._-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

function schemeOf({ socket, headers }: IncomingMessage, isTrusted: (address: string) => boolean): string {
  if (socket instanceof TLSSocket) return 'https';
  const named = headers['x-forwarded-proto'];
  if (named === undefined || !isTrusted(socket.remoteAddress ?? '')) return 'http';
  return String(named).split(',')[0]?.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

/** `::ffff:192.0.2.1` is 192.0.2.1, whichever way the socket was opened; zones are dropped. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.split('%')[0] ?? address;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : bare;
}
