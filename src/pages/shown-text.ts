/**
 * How templates show money, times and counts: one object for each language and zone, given to every template as
 * `it.show`. The zone is the visitor's, as the browser sent it with a cookie; until it has, times are in UTC and
 * say so.
 */

import { decimalsOf, formatTotal } from '../../engine/money.ts';
import { type Language, LOCALES } from '../shared/language.ts';
import { inLanguage, phrasebook } from '../shared/languages/phrasebook.ts';
import { moneyText } from '../shared/money-text.ts';
import { spanText } from '../shared/span-text.ts';
import { languageShown } from '../shared/translations.ts';
import { fieldAmount } from '../shared/typed-amount.ts';
import { assetUrl, scriptTexts, scriptUrls } from './assets.ts';
import { onwardQuery } from './onward.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const SECOND = ['second', 1] as const;
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const [, , DAY, HOUR, MINUTE] = UNITS;
const COUNTED = [DAY, HOUR, MINUTE] as const;
/** What a countdown says beside a unit. */
const LESSER: Readonly<Partial<Record<string, typeof HOUR | typeof MINUTE>>> = { day: HOUR, hour: MINUTE };
const MAX_ZONES = 100;

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** A length in its largest unit: 59 minutes and 40 seconds are an hour. */
function rounded(seconds: number): readonly [unit: (typeof UNITS)[number][0] | 'second', n: number] {
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[at] ?? SECOND;
  const n = Math.round(seconds / size);
  const above = UNITS[at < 0 ? UNITS.length - 1 : at - 1];
  return above !== undefined && n * size >= above[1] ? [above[0], 1] : [unit, n];
}

class ShownText {
  readonly zone: string;
  readonly asset = assetUrl;
  readonly scripts = scriptUrls;
  readonly language: Language;
  /** As `money`, of the currency's smallest unit; a sum over many amounts is a `bigint`. */
  readonly cents = (cents: number | bigint, currency: string) =>
    this.money(formatTotal(BigInt(cents), decimalsOf(currency.toLowerCase())), currency);
  readonly money = (amount: Parameters<typeof moneyText>[0], currency: string) =>
    moneyText(amount, currency, this.language);
  readonly locale: string;
  readonly #time: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #hours: Intl.DateTimeFormat;
  readonly #month: Intl.DateTimeFormat;
  readonly #dates: Intl.DateTimeFormat;
  readonly #relative: Intl.RelativeTimeFormat;

  constructor(zone: string, language: Language) {
    this.zone = zone;
    this.language = language;
    this.locale = LOCALES[language];
    this.#relative = new Intl.RelativeTimeFormat(this.locale, { numeric: 'auto' });
    this.#month = new Intl.DateTimeFormat(this.locale, { month: 'long', year: 'numeric', timeZone: zone });
    this.#dates = new Intl.DateTimeFormat(this.locale, { dateStyle: 'medium', timeZone: 'UTC' });
    this.#day = new Intl.DateTimeFormat(this.locale, {
      weekday: 'long',
      month: 'long',
      day: 'numeric',
      timeZone: zone,
    });
    this.#hours = new Intl.DateTimeFormat(this.locale, {
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone: zone,
    });
    this.#time = new Intl.DateTimeFormat(this.locale, {
      month: 'short',
      day: 'numeric',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
      timeZone: zone,
    });
  }

  /** The query of an address that leads on to a path of ours, with an amount. */
  onward(path: string): string {
    return onwardQuery(path);
  }

  /** `Sunday, July 12` */
  day(iso: string): string {
    return this.#day.format(new Date(iso));
  }

  /** `3:00 – 3:30 PM EDT` */
  hours(from: string, to: string): string {
    return this.#hours.formatRange(new Date(from), new Date(to));
  }

  /** `Jul 12, 2026, 10:00 AM EDT` */
  time(iso: string): string {
    return this.#time.format(new Date(iso));
  }

  /** Days of the calendar, from one to the other: `Jul 12 – 19, 2026`. */
  days(first: string, last: string): string {
    return this.#dates.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`));
  }

  /** `July 2026` */
  month(iso: string): string {
    return this.#month.format(new Date(iso));
  }

  /**
   * The same as an element that the visitor's browser may write in another zone, and alongside it how far off it is,
   * but where something else on the page says so.
   */
  timeTag(iso: string, relative = true): string {
    const tag = `<time datetime="${escaped(iso)}" data-time>${escaped(this.time(iso))}</time>`;
    return relative ? `${tag} <span class="muted ago">(${this.agoTag(iso)})</span>` : tag;
  }

  /** From one time to another, a day that both share said once: `Jul 12, 2026, 9:00 AM – 3:00 PM EDT`. */
  periodTag(from: string, to: string): string {
    const text = this.#time.formatRange(new Date(from), new Date(to));
    return `<time datetime="${escaped(from)}" data-time data-until="${escaped(to)}">${escaped(text)}</time>`;
  }

  /**
   * An element that counts down by the server's clock where there is JavaScript, and says how long it is where there
   * is none. `attributes` go with it as they are.
   */
  countdownTag(iso: string, over: string, attributes = ''): string {
    const left = this.#left(Date.parse(iso) - Date.now()) ?? this.say(over);
    const time = `datetime="${escaped(iso)}" title="${escaped(this.time(iso))}"`;
    return `<time ${time} data-countdown data-over="${escaped(this.say(over))}"${attributes}>${escaped(left)}</time>`;
  }

  /** `3 minutes ago`, which the script keeps true while the page is open. */
  agoTag(iso: string): string {
    const text = this.#ago(iso, Date.now());
    return `<time datetime="${escaped(iso)}" title="${escaped(this.time(iso))}" data-ago>${escaped(text)}</time>`;
  }

  /** The API's `12500.00` for a field of a form. */
  field(amount: string): string {
    return fieldAmount(amount, this.language);
  }

  /** `5 minutes`, `1 minute 30 seconds` */
  readonly span = (seconds: number) => spanText(seconds * 1_000_000);

  /** `1 lot`, `2 lots` */
  count(n: number, one: string, many = `${one}s`): string {
    return this.say(`${this.number(n)} ${n === 1 ? one : many}`);
  }

  number(n: number): string {
    return n.toLocaleString(this.locale);
  }

  /** What the page's scripts say, as JSON within a page; null in English, which is in them. */
  texts(scripts: readonly string[]): string | null {
    const book = phrasebook(this.language);
    if (book === null) return null;
    const texts = scriptTexts(scripts).filter((text) => book.has(text));
    const translated = Object.fromEntries(texts.map((text) => [text, book.plain(text)]));
    return JSON.stringify(translated).replaceAll('<', String.raw`\u003c`);
  }

  /** The attribute of an element with a seller's own words: none where they are in the page's language. */
  langOf(thing: object, field = 'title'): string {
    const language = languageShown(this.language, thing, field);
    return language === this.language ? '' : ` lang="${language}"`;
  }

  /** A text of ours in the visitor's language; with values those stand in it as they are. */
  say(text: string, ...values: readonly string[]): string {
    return inLanguage(this.language, text, ...values);
  }

  /** `in 3 days`, `2 hours ago`. */
  #ago(iso: string, nowMs: number): string {
    const seconds = (Date.parse(iso) - nowMs) / 1_000;
    const [unit, n] = rounded(Math.abs(seconds));
    return this.#relative.format(Math.sign(seconds) * n, unit);
  }

  /** `2 days 3 hr`, `3 hr 12 min`, `12 min`, `9 sec`: no second unit within the last hour; null once it is over. */
  #left(ms: number): string | null {
    if (ms <= 0) return null;
    const seconds = Math.ceil(ms / 1_000);
    const [large, size] = COUNTED.find(([, size]) => seconds >= size) ?? SECOND;
    const small = LESSER[large];
    const rest = small === undefined ? 0 : Math.floor((seconds % size) / small[1]);
    const first = this.#unit(large, Math.floor(seconds / size));
    return small === undefined || rest === 0 ? first : `${first} ${this.#unit(small[0], rest)}`;
  }

  #unit(unit: string, count: number): string {
    return new Intl.NumberFormat(this.locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
  }

  /** `road_access` → `Road access` */
  label(name: string): string {
    const words = name.replaceAll('_', ' ').trim();
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  /** Text in which backticks mean code, as HTML: escaped here, so templates print it raw. */
  marked(text: string): string {
    return escaped(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/^- /gm, '');
  }
}

const zones = new Map<string, ShownText>();

/** By the language, and the zone that a cookie names; UTC where that is no zone. */
export function shownIn(zone: string | null, language: Language = 'en'): ShownText {
  const key = `${language} ${zone ?? 'UTC'}`;
  const known = zones.get(key);
  if (known !== undefined) return known;
  let made: ShownText;
  try {
    made = new ShownText(zone ?? 'UTC', language);
  } catch {
    return shownIn(null, language);
  }
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(key, made);
  return made;
}

/** The visitor's zone out of the request's cookies, or null. */
export function zoneOf(cookies: string | undefined): string | null {
  const found = /(?:^|;\s*)zone=([A-Za-z0-9_+%/-]{1,60})/.exec(cookies ?? '')?.[1];
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    return null;
  }
}
