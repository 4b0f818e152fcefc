/**
 * A payment provider for development: its checkout is a page of ours that pays or declines an invoice by sending the
 * event that a real provider would send, signed, to the same route. Never on unless it is configured.
 */
import { randomUUID } from 'node:crypto';
import { objectIn } from '../../../engine/objects.ts';
import { signPayment } from './payment-signature.ts';
import type { Checkout, Payable, PaymentProvider } from './provider.ts';

export class SandboxProvider implements PaymentProvider {
  readonly name = 'sandbox';

  takesCurrency(): boolean {
    return true;
  }

  amountFrom(amount: number): number {
    return amount;
  }

  async checkout(payable: Payable, baseUrl: string): Promise<Checkout> {
    return { url: `${baseUrl}/sandbox/pay/${payable.key}`, expiresAtMs: null };
  }

  /** Play money goes back by itself. */
  async refund(): Promise<void> {}
}

export interface SandboxPayment {
  readonly metadata: Payable['metadata'];
  readonly amountCents: number;
  readonly currency: string;
  readonly outcome: 'paid' | 'declined';
}

/**
 * Sends the signed event to the webhook of the process at `ownUrl`. Returns what became of it; throws when it was not
 * taken.
 */
export async function sendSandboxEvent(
  ownUrl: string,
  secret: string,
  payment: SandboxPayment,
): Promise<{ status: string; code?: string }> {
  const now = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({
    id: `evt_sandbox_${randomUUID()}`,
    type: payment.outcome === 'paid' ? 'payment_intent.succeeded' : 'payment_intent.payment_failed',
    created: now,
    data: {
      object: {
        id: `pi_sandbox_${randomUUID()}`,
        amount: payment.amountCents,
        currency: payment.currency,
        metadata: payment.metadata,
      },
    },
  });
  const response = await fetch(`${ownUrl}/webhooks/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': signPayment(body, secret, now) },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
  const { status, code } = objectIn(objectIn(await response.json())['data']);
  return { status: String(status), ...(typeof code === 'string' ? { code } : {}) };
}
