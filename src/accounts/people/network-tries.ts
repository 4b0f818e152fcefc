/**
 * How much has been tried lately from an address and from the networks around it, in this process. It refuses nobody:
 * it orders those who wait, so that somebody who comes for the first time is not behind a flood that comes from
 * thousands of addresses. Used by the queue of strangers' passwords.
 */
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

interface Tally {
  readonly count: number;
  readonly atMs: number;
}

const HALF_LIFE_MS = 600_000;
const MAX_NETWORKS = 50_000;
/** Octets of an IPv4 address, groups of an IPv6 address: the address (IPv6: its /64) and two networks around it. */
const IPV4_PARTS = [4, 3, 2];
const IPV6_PARTS = [4, 3, 2];

export class NetworkTries {
  readonly #tallies = new LRUCache<string, Tally>({ max: MAX_NETWORKS });

  /** Counts one try; how much was tried before from there, each network around the address counting once more. */
  note(address: string, nowMs: number): number {
    let before = 0;
    for (const network of networksOf(address)) {
      const { count, atMs } = this.#tallies.get(network) ?? { count: 0, atMs: nowMs };
      const left = count * 0.5 ** ((nowMs - atMs) / HALF_LIFE_MS);
      before += left;
      this.#tallies.set(network, { count: left + 1, atMs: nowMs });
    }
    return before;
  }
}

function networksOf(address: string): string[] {
  if (ipaddr.IPv4.isValid(address)) {
    const octets = address.split('.');
    return IPV4_PARTS.map((length) => octets.slice(0, length).join('.'));
  }
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const groups = ipaddr.IPv6.parse(address).parts;
  return IPV6_PARTS.map((length) => groups.slice(0, length).join(':'));
}
