/**
 * Stripe's API over plain HTTP: a checkout session for an open invoice, and refunds. The invoice's number travels as
 * metadata of the payment, so that the events that Stripe signs name it. Every call carries an idempotency key and
 * ends within ten seconds.
 */
import { objectIn } from '../../../engine/objects.ts';
import { type Checkout, type Payable, type PaymentProvider, RefundRefused } from './provider.ts';

export interface StripeOptions {
  readonly secretKey: string;
  /** `https://api.stripe.com`, or what imitates it. */
  readonly apiUrl: string;
}

/** Stripe refused the request. */
class StripeError extends Error {
  override readonly name = 'StripeError';
  /** Whether it has done nothing for certain: not where it was busy, or failed. */
  readonly isRefusal: boolean;

  constructor(message: string, status = 500) {
    super(message);
    this.isRefusal = status < 500 && ![408, 409, 429].includes(status);
  }
}

const TIMEOUT_MS = 10_000;

/**
 * The currencies that Stripe takes to every amount that we may ask for. Not among them are those with three decimal
 * decimals, of which it takes tens of the smallest unit only: an invoice of 1.234 could never be paid.
 */
const TAKEN: ReadonlySet<string> = new Set(
  `
  aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop
  crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jpy
  kes kgs khr kmf krw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok
  npr nzd pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs top try
  ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw
`
    .trim()
    .split(/\s+/),
);

/** Stripe counts these, which have no smaller unit, in hundredths, and takes whole ones only. */
const IN_HUNDREDTHS: ReadonlySet<string> = new Set(['isk', 'ugx']);

/** What Stripe calls an amount. */
function stripeAmount(cents: number, currency: string): number {
  return IN_HUNDREDTHS.has(currency) ? cents * 100 : cents;
}

export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly #options: StripeOptions;

  constructor(options: StripeOptions) {
    this.#options = options;
  }

  takesCurrency(currency: string): boolean {
    return TAKEN.has(currency);
  }

  amountFrom(amount: number, currency: string): number {
    return IN_HUNDREDTHS.has(currency) ? Math.floor(amount / 100) : amount;
  }

  async checkout(payable: Payable, baseUrl: string): Promise<Checkout> {
    const { key: payableKey, currency, amountCents, description, email } = payable;
    const page = `${baseUrl}${payable.page}`;
    const metadata = Object.entries(payable.metadata).flatMap(([name, value]) => [
      [`metadata[${name}]`, value],
      [`payment_intent_data[metadata][${name}]`, value],
    ]);
    const fields = {
      mode: 'payment',
      client_reference_id: payableKey,
      customer_email: email,
      success_url: page,
      cancel_url: page,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': currency,
      'line_items[0][price_data][unit_amount]': String(stripeAmount(amountCents, currency)),
      'line_items[0][price_data][product_data][name]': payable.name,
      'line_items[0][price_data][product_data][description]': description.slice(0, 500),
      ...Object.fromEntries(metadata),
    };
    // A session lives for a day and leads back to one address: both are part of the key, so that the next day and
    // another address get sessions of their own.
    const day = new Date().toISOString().slice(0, 10);
    const key = `checkout-${payableKey}-${amountCents}-${day}-${new URL(baseUrl).host}`;
    const session = await this.#post('/v1/checkout/sessions', fields, key);
    const { url, expires_at } = session;
    if (typeof url !== 'string' || !/^https?:\/\//.test(url))
      throw new StripeError('Stripe gave no checkout address');
    return { url, expiresAtMs: typeof expires_at === 'number' ? expires_at * 1_000 : null };
  }

  async refund(paymentId: string, amountCents: number, currency: string, key: string): Promise<void> {
    const amount = String(stripeAmount(amountCents, currency));
    const sent = this.#post('/v1/refunds', { payment_intent: paymentId, amount }, key);
    await sent.catch((error: unknown) => {
      if (error instanceof StripeError && error.isRefusal) throw new RefundRefused(error.message);
      throw error;
    });
  }

  async #post(
    path: string,
    fields: Record<string, string>,
    key: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { apiUrl, secretKey } = this.#options;
    const response = await fetch(`${apiUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': key,
      },
      body: new URLSearchParams(fields).toString(),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = objectIn(await response.json().catch(() => null));
    if (response.ok) return answer;
    const { message } = objectIn(answer['error']);
    throw new StripeError(
      `Stripe answered ${response.status}${typeof message === 'string' ? `: ${message}` : ''}`,
      response.status,
    );
  }
}
