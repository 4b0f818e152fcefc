/**
 * Which provider takes the money: read from the environment once, by the configuration. A further provider is a file
 * alongside this one and its lines here; nothing outside of billing knows one from another.
 */
import type { PaymentProvider } from './provider.ts';
import { SandboxProvider } from './sandbox-provider.ts';
import { type StripeOptions, StripeProvider } from './stripe-provider.ts';

/** Reads variables of the environment; each bad one ends the start with a sentence. */
export interface SettingsReader {
  text(name: string): string | null;
  flag(name: string): boolean;
  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T;
  address(name: string, schemes: readonly string[], example: string): string | null;
}

const DISPUTE_BEARERS = ['platform', 'seller'] as const;
export type DisputesBorneBy = (typeof DISPUTE_BEARERS)[number];

export interface PaymentSettings {
  /** Stripe's API, where there is a key for it; null: payments are requested some other way. */
  readonly stripe: StripeOptions | null;
  /** Who loses what a payer wins back of a sale: the house, or its seller. */
  readonly disputesBorneBy: DisputesBorneBy;
  /** A page of ours pays invoices with play money. */
  readonly paymentSandbox: boolean;
}

/** `STRIPE_SECRET_KEY` (and `STRIPE_API_URL`, for what imitates Stripe), `DISPUTES_BORNE_BY` and `PAYMENT_SANDBOX`. */
export function readPaymentSettings(read: SettingsReader): PaymentSettings {
  const secretKey = read.text('STRIPE_SECRET_KEY');
  const apiUrl = read.address('STRIPE_API_URL', ['http:', 'https:'], 'https://api.stripe.com');
  const stripe =
    secretKey === null
      ? null
      : { secretKey, apiUrl: (apiUrl ?? 'https://api.stripe.com').replace(/\/+$/, '') };
  const disputesBorneBy = read.oneOf('DISPUTES_BORNE_BY', DISPUTE_BEARERS, 'platform');
  return { stripe, disputesBorneBy, paymentSandbox: read.flag('PAYMENT_SANDBOX') };
}

/** The same environment with play money, where nothing in it says who takes the money. */
export function withPlayMoney(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const isSaid = ['STRIPE_SECRET_KEY', 'PAYMENT_SANDBOX'].some((name) => env[name]?.trim());
  return isSaid ? env : { ...env, PAYMENT_SANDBOX: '1' };
}

/** Who takes the money; null: nobody that we know of. */
export function openProvider({
  stripe,
  paymentSandbox,
}: Pick<PaymentSettings, 'stripe' | 'paymentSandbox'>): PaymentProvider | null {
  if (stripe !== null) return new StripeProvider(stripe);
  return paymentSandbox ? new SandboxProvider() : null;
}
