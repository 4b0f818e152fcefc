/**
 * Who sent a request, and as what they addressed us. `X-Forwarded-For` and `X-Forwarded-Proto` are believed from the
 * named proxies only; from anybody else they are just text. The pipeline asks for every request.
 */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

export interface Origin {
  ip(request: IncomingMessage): string;
  /** Whether the request came over TLS, to us or to a trusted proxy. */
  isSecure(request: IncomingMessage): boolean;
  /** `https://host[:port]` without a slash at the end. */
  baseUrl(request: IncomingMessage): string;
}

/**
 * `trusted`: addresses and CIDR ranges of proxies; throws on one that is neither. `publicUrl` fixes the base address
 * instead of taking it from each request.
 */
export function originReader(trusted: readonly string[], publicUrl?: string): Origin {
  const ranges = trusted.map(parseRange);
  const fixed = publicUrl?.replace(/\/+$/, '');
  const isTrusted = (address: string): boolean => ranges.length > 0 && inRanges(address, ranges);
  return {
    ip(request) {
      const peer = plainAddress(request.socket.remoteAddress ?? '');
      if (ranges.length === 0 || !isTrusted(peer)) return peer;
      return farthestUntrusted(peer, request.headers['x-forwarded-for'], isTrusted);
    },
    isSecure: (request) => schemeOf(request, isTrusted) === 'https',
    baseUrl(request) {
      if (fixed !== undefined) return fixed;
      const host = request.headers.host ?? '';
      return `${schemeOf(request, isTrusted)}://${HOST.test(host) ? host : 'localhost'}`;
    },
  };
}

const HOST = /^[A-Za-z0-9._-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

function schemeOf(request: IncomingMessage, isTrusted: (address: string) => boolean): string {
  if ((request.socket as Partial<TLSSocket>).encrypted === true) return 'https';
  const named = request.headers['x-forwarded-proto'];
  if (named === undefined || !isTrusted(plainAddress(request.socket.remoteAddress ?? ''))) return 'http';
  return String(named).split(',')[0]?.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

/** Walks the list from its right end, where the nearest proxy wrote, past the proxies we trust. */
function farthestUntrusted(
  peer: string,
  header: string | string[] | undefined,
  isTrusted: (address: string) => boolean,
): string {
  const hops = String(header ?? '').split(',');
  let address = peer;
  for (let at = hops.length - 1; at >= 0; at -= 1) {
    const hop = plainAddress((hops[at] ?? '').trim());
    if (!ipaddr.isValid(hop)) return address;
    address = hop;
    if (!isTrusted(hop)) return hop;
  }
  return address;
}

/** `::ffff:192.0.2.1` is 192.0.2.1, whichever way the socket was opened; zones are dropped. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.split('%')[0] ?? address;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : bare;
}

function parseRange(text: string): Range {
  const value = text.trim();
  if (ipaddr.isValidCIDR(value)) return ipaddr.parseCIDR(value) as Range;
  if (!ipaddr.isValid(value)) throw new TypeError(`not an address or a range of addresses: ${text}`);
  const address = ipaddr.process(value);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function inRanges(address: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([network, bits]) => {
    if (network.kind() !== parsed.kind()) return false;
    return (parsed as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);
  });
}
