/**
 * What an amount is about worth in another currency, for people who think in it. Never what anybody pays: bids,
 * invoices and books know the sale's currency only.
 */
import { decimalsOf } from '../../engine/money.ts';
import { isCurrency } from './currencies.ts';
import { InputError } from './input-error.ts';
import { type Language, LOCALES } from './language.ts';

/** How much of each currency one US dollar buys; the dollar itself is among them where there are any. */
export type ExchangeRates = ReadonlyMap<string, number>;

const NO_RATES: ExchangeRates = new Map();
const LINE = /^([A-Za-z]{3})[\s,;:=]+(\d{1,9}(?:\.\d{1,10})?)$/;
/** A rate is not known better than this. */
const DIGITS = 3;

/**
 * Rates as the operator writes them, a line each: `eur 0.9213`. Throws an `InputError` that quotes the first line which
 * is none.
 */
export function ratesIn(text: string): ExchangeRates {
  const rates = new Map([['usd', 1]]);
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, code = '', rate = ''] = LINE.exec(line) ?? [];
    const currency = code.toLowerCase();
    if (!isCurrency(currency) || Number(rate) <= 0 || (currency === 'usd' && Number(rate) !== 1))
      throw new InputError(`rates: “${line.slice(0, 60)}” must be such as “eur 0.9213”.`);
    rates.set(currency, Number(rate));
  }
  return rates.size === 1 ? NO_RATES : rates;
}

/** Amounts in a currency that a reader has chosen beside the sale's. */
export class AboutMoney {
  readonly currency: string;
  readonly #rates: ExchangeRates;
  readonly #format: Intl.NumberFormat;

  /** `currency` is one of the rates'. */
  constructor(currency: string, rates: ExchangeRates, language: Language) {
    this.currency = currency;
    this.#rates = rates;
    this.#format = new Intl.NumberFormat(LOCALES[language], {
      style: 'currency',
      currency: currency.toUpperCase(),
      maximumSignificantDigits: DIGITS,
    });
  }

  /** What one of a sale's currency is about worth; null where it is the same, or has no rate. */
  rateOf(currency: string): number | null {
    const [from, to] = [this.#rates.get(currency.toLowerCase()), this.#rates.get(this.currency)];
    return from === undefined || to === undefined || from === to ? null : to / from;
  }

  /** `€1,240` for an amount such as "1350.00"; null as above. */
  text(amount: string | number, currency: string): string | null {
    const rate = this.rateOf(currency);
    return rate === null ? null : this.#format.format(Number(amount) * rate);
  }

  /** As `text`, of the currency's smallest unit. */
  cents(cents: number, currency: string): string | null {
    return this.text(cents / 10 ** decimalsOf(currency.toLowerCase()), currency);
  }
}
