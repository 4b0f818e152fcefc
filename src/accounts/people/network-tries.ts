/**
 * How much has been tried lately from an address and from the networks around it, in this process. It refuses nobody:
 * it orders those who wait, so that somebody who comes for the first time is not behind a flood that comes from
 * thousands of addresses. Used by the queues of strangers' passwords.
 */
import ipaddr from 'ipaddr.js';
import { FadingCounts } from './fading-counts.ts';

const HALF_LIFE_MS = 600_000;
const MAX_NETWORKS = 50_000;
/** Octets of an IPv4 address, groups of an IPv6 address: the address (IPv6: its /64) and two networks around it. */
const PARTS = [4, 3, 2];
/** Of these the network of a house or a company: a /24, or a /48. */
const NEIGHBOURHOOD = 1;

export class NetworkTries {
  readonly #counts = new FadingCounts(HALF_LIFE_MS, MAX_NETWORKS);

  /** Counts one try; how much was tried before from there, each network around the address counting once more. */
  note(address: string, nowMs: number): number {
    return networksOf(address).reduce((sum, network) => sum + this.#counts.add(network, nowMs), 0);
  }

  /** The same without counting one. */
  read(address: string, nowMs: number): number {
    return networksOf(address).reduce((sum, network) => sum + this.#counts.read(network, nowMs), 0);
  }

  /** Takes one try back: it was none, or a right one. */
  takeBack(address: string, nowMs: number): void {
    for (const network of networksOf(address)) this.#counts.add(network, nowMs, -1);
  }
}

/** Whether two addresses are of one house or company, as far as that can be told. */
export function areNeighbours(one: string, other: string): boolean {
  const network = networksOf(one)[NEIGHBOURHOOD];
  return network === undefined ? one === other : network === networksOf(other)[NEIGHBOURHOOD];
}

function networksOf(address: string): string[] {
  if (ipaddr.IPv4.isValid(address)) {
    const octets = address.split('.');
    return PARTS.map((length) => octets.slice(0, length).join('.'));
  }
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const groups = ipaddr.IPv6.parse(address).parts;
  return PARTS.map((length) => groups.slice(0, length).join(':'));
}
