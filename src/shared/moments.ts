/**
 * Which times are accepted: from 1970 on, and starts and ends at most ten years ahead. Then no stagger, soft close or
 * pause that is added to them exceeds the four-digit years that everything downstream supports.
 */
const YEARS_AHEAD = 10;

/** What is wrong with a start or an end, or null. `us` is in microseconds since 1970, `nowMs` in milliseconds. */
export function wrongMoment(us: number, nowMs: number): string | null {
  if (us < 0) return 'must not be before 1970-01-01';
  const latest = new Date(nowMs);
  latest.setUTCFullYear(latest.getUTCFullYear() + YEARS_AHEAD);
  return us > latest.getTime() * 1_000 ? `must be at most ${YEARS_AHEAD} years ahead` : null;
}
