/**
 * Where somebody goes on to after signing in or up: a path of ours, with the amount that they had typed on it. Forms
 * carry it whole as `next`; addresses name the amount beside it, and lead back to it whatever comes between.
 */

/** What fits into `next`, in characters. */
export const MAX_NEXT = 500;

/** A path of our own to go to after signing in; anything else is the start page. */
export function localPath(text: string | undefined): string {
  return text !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,500}$/.test(text) ? text : '/';
}

interface Onward {
  readonly next?: string | undefined;
  readonly amount?: string | null | undefined;
}

/** What an address says. */
export function onwardOf({ next, amount }: Onward): string {
  const path = localPath(next);
  if (amount == null || amount === '' || path === '/' || path.includes('?')) return path;
  return `${path}?amount=${encodeURIComponent(amount)}`;
}

/** The same for an address. */
export function onwardQuery(path: string): string {
  const [, page, amount] = /^([^?#]*)\?amount=([^&#]*)$/.exec(path) ?? [];
  return page === undefined
    ? `next=${encodeURIComponent(path)}`
    : `next=${encodeURIComponent(page)}&amount=${amount}`;
}

/** Behind an address that may lead on: nothing where it leads nowhere else than it would. */
export function onwardSuffix(path: string): string {
  return path === '/' ? '' : `?${onwardQuery(path)}`;
}
