/**
 * Which addresses webhooks may be sent to: https only, and only global unicast addresses, so that nobody makes the
 * service talk to its own network. The address of a subscription is checked when it is stored; the address that is
 * actually contacted is checked at every attempt, since a name may resolve differently each time.
 */
import { Resolver as DnsResolver, lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Name → addresses; throws or returns none where the name does not resolve. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

export interface GuardOptions {
  /** `http://127.0.0.1` and `https://127.0.0.1`, written so, are taken too: for tests and development. */
  readonly allowLoopback: boolean;
}

const LOOPBACK = '127.0.0.1';
const MAX_CHARACTERS = 2_000;

/**
 * What is wrong with a URL, as a sentence that follows on "url", or null. Names are not looked up here:
 * `isPublicAddress` judges the address that they encode.
 */
export function urlFault(text: string, { allowLoopback }: GuardOptions): string | null {
  if (text.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  // Blanks and control characters would be dropped without a word.
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text))
    return 'must be a URL such as https://example.com/hooks';
  const url = new URL(text);
  if (allowLoopback && isLoopbackUrl(url)) return url.username || url.password ? NO_CREDENTIALS : null;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return NO_CREDENTIALS;
  return leadsHome(url) ? NOT_PUBLIC : null;
}

/** Whether the host, by itself, is an address that is not public or a name of this machine. */
function leadsHome(url: URL): boolean {
  const literal = literalOf(url);
  if (literal !== null) return !isPublicAddress(literal);
  const name = url.hostname.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}

export const NOT_PUBLIC = 'must lead to a public address';
const NO_CREDENTIALS = 'must not hold a user name or password';

function isLoopbackUrl(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname === LOOPBACK;
}

/**
 * The host as an address, where it is written as one. The URL parser has turned every disguise of IPv4 into its plain
 * form.
 */
export function literalOf({ hostname }: URL): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is a global unicast one. Mapped, translated and tunnelled IPv4 is not, whatever it leads to. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

const DNS_TIMEOUT_MS = 3_000;

/** Queries name servers without the thread pool, which slow ones would delay for the whole process. */
export function dnsResolve(): Resolve {
  const resolver = new DnsResolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  return async (name) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found: ResolvedAddress[] = [];
    if (four.status === 'fulfilled')
      found.push(...four.value.map((address) => ({ address, family: 4 as const })));
    if (six.status === 'fulfilled')
      found.push(...six.value.map((address) => ({ address, family: 6 as const })));
    if (found.length === 0 && four.status === 'rejected') throw four.reason;
    return found;
  };
}

/**
 * As this machine itself resolves names, hosts file included: what an owner's URL is judged by when it is written
 * down.
 */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));
