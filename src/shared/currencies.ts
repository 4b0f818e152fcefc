/**
 * The currencies that amounts may be in: the codes of ISO 4217 (list one, 2024), in lower case as we write them.
 * Codes that are no currency (`xxx`, `xts`) are not among them, nor are those that the books cannot hold: with four
 * decimal places, or none that are defined (gold, units of account). Called by everything that accepts a currency:
 * auctions and plans.
 */

const CODES: ReadonlySet<string> = new Set(
  `
  aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf
  che chf chw clp cny cop cou crc cuc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd
  gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr
  lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn nio nok npr nzd omr pab pen pgk
  php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd
  top try ttd twd tzs uah ugx usd usn uyi uyu uzs ved ves vnd vuv wst xaf xcd xof xpf yer zar zmw zwg
`
    .trim()
    .split(/\s+/),
);

/** Whether it is a currency, in whichever case it is written. */
export function isCurrency(code: string): boolean {
  return CODES.has(code.toLowerCase());
}

/** All of them, by their codes. */
export const currencyCodes = (): readonly string[] => [...CODES];

/** What is said of a code that is none. */
export const NO_CURRENCY = 'must be an ISO 4217 currency code such as "usd"';

/** Codes of ISO 4217 with four decimal places, or none that are defined. */
const NOT_HELD: ReadonlySet<string> = new Set(
  'clf uyw xag xau xba xbb xbc xbd xdr xpd xpt xsu xua'.split(' '),
);

/**
 * What is wrong with the currency of an auction; null: nothing. `taken` says whether the payment provider takes it.
 */
export function wrongCurrency(code: string, taken: (currency: string) => boolean): string | null {
  const currency = code.toLowerCase();
  if (NOT_HELD.has(currency)) return 'must be a currency with at most three decimal places';
  if (!isCurrency(currency)) return NO_CURRENCY;
  return taken(currency) ? null : 'must be a currency that the payment provider takes';
}
