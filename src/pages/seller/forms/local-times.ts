/**
 * Moments as forms have them: the wall clock of a time zone, without an offset. The forms of the desk read and fill
 * `datetime-local` fields with these.
 */

const FORMATS = new Map<string, Intl.DateTimeFormat>();
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?$/;

/** The zone, or UTC where the name is none. */
export function knownZone(name: string | null | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name ?? 'UTC' }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** `2026-07-12T10:00` where clocks of the zone say so at this moment; with seconds where there are any. */
export function localText(iso: string, zone: string): string {
  const text = new Date(wallMs(Date.parse(iso), zone)).toISOString();
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19);
}

/**
 * The moment at which clocks of the zone say this, as ISO 8601; other texts are returned unchanged. A time that a clock
 * change skips is shifted by that change.
 */
export function isoOfLocal(text: string, zone: string): string {
  const match = LOCAL.exec(text);
  if (match === null) return text;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part)));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!Number.isFinite(wall) || new Date(wall).getUTCDate() !== day) return text;
  const first = wall - (wallMs(wall, zone) - wall);
  return new Date(wall - (wallMs(first, zone) - first)).toISOString();
}

/** What the zone's clocks say at a moment, as if it were UTC. */
function wallMs(ms: number, zone: string): number {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    FORMATS.set(zone, format);
  }
  const parts = new Map<string, number>(
    format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: string) => parts.get(type) ?? 0;
  return Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as const),
    ...([part('hour'), part('minute'), part('second')] as const),
  );
}
