/**
 * Looking a name up for a connection that may only lead to public addresses, whatever the name resolved to a moment
 * ago, and fetching over such connections what others have named: small answers, in good time, without redirects.
 */
import type { LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import {
  dnsResolve,
  type GuardOptions,
  isPublicAddress,
  NOT_PUBLIC,
  type Resolve,
  urlFault,
} from './address-guard.ts';

/** The address that was dialled is not a public one. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_024 * 1_024;

/** `fetch` that reaches public addresses alone, over TLS; it rejects for all others. */
export function guardedFetch({
  allowLoopback,
  resolve = dnsResolve(),
}: GuardOptions & { readonly resolve?: Resolve }): typeof fetch {
  const agent = new Agent({
    connect: { lookup: guardedLookup(resolve), timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: MAX_BYTES,
  });
  const guarded = async (url: string, options: Parameters<typeof undiciFetch>[1]) => {
    const fault = urlFault(String(url), { allowLoopback });
    if (fault !== null) throw new TypeError(`the URL ${fault}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return undiciFetch(url, { ...options, redirect: 'manual', signal, dispatcher: agent });
  };
  // Cast: the package's own types of requests and answers are those of Node, under other names.
  return guarded as unknown as typeof fetch;
}

/** For the connections of an agent. */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const wanted = found.filter(({ family }) => !options.family || family === options.family);
        const open = wanted.filter(({ address }) => isPublicAddress(address));
        const [first] = open;
        if (first !== undefined) {
          if (options.all) done(null, open);
          else done(null, first.address, first.family);
        } else done(wanted.length === 0 ? new Error(`${name} has no address`) : refused(name), '', 4);
      },
      (error: Error) => done(error, '', 4),
    );
  };
}

function refused(name: string): AddressRefused {
  return new AddressRefused(`the URL ${NOT_PUBLIC}, and ${name} does not`);
}
