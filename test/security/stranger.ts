/**
 * The stranger of `guess.ts`, in a process of its own so that its work is not attributed to the service: guesses an
 * account's password over the sign-in form, each address with its own browser in its own network. Reports the outcome
 * of its attempts at the end.
 */
import { setPriority } from 'node:os';
import { BrowserLike } from '../support/browser-like.ts';

export interface Orders {
  readonly url: string;
  readonly email: string;
  readonly tries: number;
  readonly addresses: number;
  readonly atOnce: number;
}

async function guessOnce(browser: BrowserLike, email: string, password: string): Promise<number> {
  if (browser.csrfToken === '') await browser.get('/sign-in');
  return (await browser.post('/sign-in', { email, password })).status;
}

async function attack({ url, email, tries, addresses, atOnce }: Orders): Promise<Record<string, number>> {
  const became: Record<string, number> = {};
  const browsers = Array.from(
    { length: addresses },
    (_, index) => new BrowserLike(url, { 'x-forwarded-for': `${20 + (index >> 8)}.${index & 255}.9.9` }),
  );
  let next = 0;
  const guesser = async () => {
    while (next < tries) {
      const n = next++;
      const status = await guessOnce(browsers[n % addresses]!, email, `guess ${n}`).catch(() => 'cut');
      became[status] = (became[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, guesser));
  return became;
}

// Elsewhere in truth: what the stranger's own machine does must not be what slows the service down.
setPriority(10);
process.once('message', (orders: Orders) => {
  void attack(orders).then((became) => process.send?.(became));
});
process.on('disconnect', () => process.exit(0));
