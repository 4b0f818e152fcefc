/** Attackers without an account who have a secret, which opens one thing and nothing else. */
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import type { Who } from '../../src/shared/policy/who.ts';
import { stripe } from '../support/money.ts';
import type { Attacker } from './attack-world.ts';

interface Secrets {
  /** Of a private link of the victim's, in force. */
  readonly link: string;
  /** Let in by the rival alone. */
  readonly platform: string;
  readonly platformSecret: string;
  readonly providerSecret: string;
}

/** The holder of a consignor's link, a platform that the victim has not let in, and the payment provider. */
export async function signersOf(
  nobody: (name: string, who: Who) => Promise<Attacker>,
  { link, platform, platformSecret, providerSecret }: Secrets,
): Promise<Attacker[]> {
  return [
    {
      ...(await nobody('holder of a consignor’s link', 'holder')),
      headers: { authorization: `Bearer ${link}` },
    },
    {
      ...(await nobody('platform of the rival', 'other_platform')),
      platform,
      proves(payload) {
        const timestamp = Math.floor(Date.now() / 1_000);
        const signature = signSimulcast(platformSecret, timestamp, payload);
        return { 'x-timestamp': String(timestamp), 'x-signature': signature };
      },
    },
    {
      ...(await nobody('provider', 'provider')),
      proves: (payload) => ({
        'payment-signature': stripe.webhooks.generateTestHeaderString({ payload, secret: providerSecret }),
      }),
    },
  ];
}
