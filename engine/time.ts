/**
 * Moments as integer microseconds since the Unix epoch (`…Us`), exact in a JS number until the year 2255. This module
 * only converts; it never reads a clock. The journal's clock does (see `journal.ts`).
 */

const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

/** 9999-12-31T23:59:59Z: whatever is added to a moment, it never comes to lie behind this one. */
export const LAST_US = 253_402_300_799 * US_PER_SECOND;

/** Seconds that were formatted lately: bids and ends of lots fall into the same few seconds again and again. */
const KEPT = 64;
const keptSeconds = new Array<number>(KEPT).fill(Number.NaN);
const keptPrefixes = new Array<string>(KEPT).fill('');

/** Formats a moment as ISO 8601 UTC with microseconds: `2026-07-12T10:00:00.123456Z`. Throws where it is no date. */
export function isoFromUs(us: number): string {
  const second = Math.floor(us / US_PER_SECOND);
  const slot = Math.abs(second % KEPT);
  if (keptSeconds[slot] !== second) {
    // Before anything is kept: it throws for a moment that is no date, the second time too.
    const prefix = new Date(second * 1000).toISOString().slice(0, 19);
    keptSeconds[slot] = second;
    keptPrefixes[slot] = prefix;
  }
  return `${keptPrefixes[slot]}.${String(us - second * US_PER_SECOND).padStart(6, '0')}Z`;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** In UTC, whatever the offset says: databases have no year 0, and a fifth digit does not print. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Reads an ISO 8601 moment with an offset, to the microsecond, in the years 1 to 9999. Returns null when it is none.
 */
export function usFromIso(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, day, minutes, seconds = '00', fraction = '', offset = 'Z'] = match;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const ms = Date.parse(`${day}T${minutes}:${seconds}${zone}`);
  if (Number.isNaN(ms) || ms < FIRST_MS || ms > LAST_MS) return null;
  if (!String(day).endsWith(new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().slice(8, 10))) return null;
  return ms * US_PER_MS + Number(fraction.padEnd(6, '0').slice(0, 6));
}
