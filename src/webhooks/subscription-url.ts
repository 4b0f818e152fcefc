/**
 * Judges a URL that somebody wants their events sent to. A name that resolves to private addresses is refused at once;
 * one that does not resolve yet is taken, since every attempt resolves it again.
 */

import pTimeout from 'p-timeout';
import {
  dnsResolve,
  isPublicAddress,
  literalOf,
  NOT_PUBLIC,
  type Resolve,
  systemResolve,
  urlFault,
} from '../../adapters/webhooks/address-guard.ts';
import { invalid } from '../shared/refusal.ts';

export interface UrlRules {
  readonly allowLoopback: boolean;
  /** All of these are queried; default: the machine's resolver and its name servers. */
  readonly resolvers?: readonly Resolve[];
}

const PATIENCE_MS = 2_000;

/** Throws 422 where nothing must be sent to this URL; `errors` has it under the name of its field. */
export async function requireUrl(text: string, rules: UrlRules, field = 'url'): Promise<void> {
  const fault = urlFault(text, rules);
  if (fault !== null) throw refusal(field, fault);
  const url = new URL(text);
  if (literalOf(url) !== null) return;
  const resolvers = rules.resolvers ?? [systemResolve, dnsResolve()];
  const found = await Promise.all(resolvers.map((resolve) => addressesOf(resolve, url.hostname)));
  if (found.flat().some((address) => !isPublicAddress(address))) throw refusal(field, NOT_PUBLIC);
}

function refusal(field: string, fault: string) {
  return invalid({ [field]: [`The ${field} ${fault}.`] });
}

/** None where the name does not resolve in good time. */
async function addressesOf(resolve: Resolve, name: string): Promise<string[]> {
  const lookup = resolve(name).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  return pTimeout(lookup, { milliseconds: PATIENCE_MS, fallback: () => [] });
}
