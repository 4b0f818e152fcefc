/** Spans of time as sentences say them. */
import { itemAt } from '../../engine/first-of.ts';

/** `4 minutes 58 seconds`, `0.25 seconds`: two units at most. */
export function spanText(us: number): string {
  const seconds = Math.max(0, us) / 1_000_000;
  if (seconds < 10) return counted(Math.floor(seconds * 100) / 100, 'second');
  const whole = Math.floor(seconds);
  const [large, small] = UNITS.find(([size]) => whole >= size.seconds) ?? itemAt(UNITS, -1);
  const count = Math.floor(whole / large.seconds);
  const rest = small === null ? 0 : Math.floor((whole % large.seconds) / small.seconds);
  const first = counted(count, large.name);
  return rest === 0 || small === null ? first : `${first} ${counted(rest, small.name)}`;
}

interface Unit {
  readonly name: string;
  readonly seconds: number;
}

const DAY: Unit = { name: 'day', seconds: 86_400 };
const HOUR: Unit = { name: 'hour', seconds: 3_600 };
const MINUTE: Unit = { name: 'minute', seconds: 60 };
const SECOND: Unit = { name: 'second', seconds: 1 };
const UNITS: readonly (readonly [Unit, Unit | null])[] = [
  [DAY, HOUR],
  [HOUR, MINUTE],
  [MINUTE, SECOND],
  [SECOND, null],
];

const counted = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`;
