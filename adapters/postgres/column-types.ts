/**
 * How Postgres' text forms become JavaScript values on our connections. Kept per connection rather than set on the
 * driver as a whole, so that another user of the driver in the same process is not touched.
 */
import pg from 'pg';

const INT8 = 20;
const TEXT_ARRAY = 1009;
const INT8_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const TIMESTAMPTZ_ARRAY = 1185;

type Parser = (text: string) => unknown;

/**
 * `2026-07-12 10:00:00.12+00` as Postgres prints it in a UTC session → `2026-07-12T10:00:00.120000Z`. Anything else
 * (`infinity`) is returned unchanged.
 */
export function readTimestamp(text: string): string {
  if (!text.endsWith('+00') || text.length < 22) return text;
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`;
}

const parserOfOid: <T>(oid: number, format: 'text' | 'binary') => (text: string) => T =
  pg.types.getTypeParser;
const parseTextArray = parserOfOid<(string | null)[]>(TEXT_ARRAY, 'text');

const arrayOf =
  (parse: (text: string) => unknown): Parser =>
  (text) =>
    parseTextArray(text).map((item) => (item === null ? null : parse(item)));

/** What a number cannot represent exactly is a `bigint`, which throws if code mixes it with numbers. */
function wholeNumber(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const asText: Parser = (text) => text;

const PARSERS = new Map<number, Parser>([
  [INT8, wholeNumber],
  [INT8_ARRAY, arrayOf(wholeNumber)],
  [DATE, asText],
  [TIMESTAMP, asText],
  [TIMESTAMPTZ, (text) => readTimestamp(text)],
  [TIMESTAMPTZ_ARRAY, arrayOf(readTimestamp)],
]);

/** The driver's lookup: ours where we have one, the driver's own otherwise. */
export function typeParserOf(oid: number, format?: string): Parser {
  if (format === 'binary') return parserOfOid(oid, 'binary');
  return PARSERS.get(oid) ?? parserOfOid(oid, 'text');
}
