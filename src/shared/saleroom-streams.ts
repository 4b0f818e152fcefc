/**
 * Where picture and sound of a saleroom may come from: the hosts of `STREAM_HOSTS`, which auctions may name an address
 * at, and which the page's policy lets frames be of.
 */

/** A host as the setting names it: `player.example.com`, `*.example.com`, either with a port. */
export const STREAM_HOST =
  /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?$/;

const LOOPBACK = /^(localhost|127\.0\.0\.1)(:|$)/;

/** Why an address is none that may be shown, or null. */
export function wrongStream(address: string, hosts: readonly string[]): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.host));
  if (url === null || !isSafe || url.username !== '' || url.password !== '')
    return 'must be an address that begins with https://';
  if (hosts.some((host) => isAt(url, host))) return null;
  if (hosts.length === 0) return 'must be at a host of STREAM_HOSTS, which names none';
  return `must be at one of these hosts: ${hosts.join(', ')}`;
}

/** At another port than the one that is named, or the usual one, the page's policy would show nothing. */
function isAt({ host }: URL, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
}

/** The hosts as sources of a content security policy. */
export function streamSources(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) =>
    LOOPBACK.test(host) ? [`https://${host}`, `http://${host}`] : [`https://${host}`],
  );
}
