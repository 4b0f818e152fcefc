/**
 * Checking who somebody is: password first, then the second factor, each under a guard that bounds guesses. An address
 * without an account gets the same answer, after the same time, as a wrong password.
 */
import type { Knex } from 'knex';
import { Counter, type Registry } from 'prom-client';
import { type NewActivity, recordActivity } from '../activity/activity.ts';
import { findUser, normalizeEmail } from '../people/accounts.ts';
import { verifyPassword } from '../people/password.ts';
import type { BrowserSessions, Visit } from '../sessions/browser-sessions.ts';
import type { AttemptCounter, SignInGuard } from '../sessions/sign-in-guard.ts';
import { inEvenTime } from './even-time.ts';
import { RefusalPace } from './refusal-pace.ts';
import type { SignInLocations } from './sign-in-locations.ts';
import { checkSecondFactor, isShortCode } from './two-factor.ts';

export interface SignInChecks {
  readonly knex: Knex;
  readonly sessions: Pick<BrowserSessions, 'known'>;
  readonly secrets: readonly [string, ...string[]];
  readonly locations: SignInLocations;
  readonly passwords: SignInGuard;
  readonly codes: SignInGuard;
  /** Six digits that were tried in a day on an account, in browsers that have never signed in to it. */
  readonly codesPerDay: AttemptCounter;
  /** Counts the outcome. */
  readonly count: (result: SignInResult) => void;
}

export type SignInResult = 'signed_in' | 'second_factor_asked' | 'wrong_password' | 'wrong_code' | 'refused';

/** `refused`: seconds until the next guess. */
export type Checked =
  | { readonly refused: number }
  | { readonly refused: null; readonly userId: number | null };

/** Longer than one row takes to be written, alongside a hash. */
const EVEN_MS = 15;
/** No user has this id: unknown accounts cause the same queries as known ones, so that both take as long. */
const NOBODY = 0;

/** Who has this address and this password; null where nobody does. */
export async function checkPassword(
  checks: SignInChecks,
  visit: Visit,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Checked> {
  const { knex, passwords, sessions } = checks;
  const account = normalizeEmail(email) ?? 'nobody';
  const { headers, secure } = visit;
  // Guesses that are refused cost no query, unless the browser may be one that is not a stranger.
  const candidate = sessions.known.isCandidate(headers.cookie, secure) ? await findUser(knex, account) : null;
  const knownBrowser =
    candidate === null ? null : sessions.known.idAtPassword(candidate.id, headers.cookie, secure);
  const admission = await passwords.admit({ account, ip: visit.ip, knownBrowser });
  if (admission.refused !== null) return refusedFor(checks, admission.refused);
  const user = candidate ?? (await findUser(knex, account));
  const startedAtMs = performance.now();
  const isRight = await verifyPassword(
    password,
    user?.password_hash ?? null,
    knownBrowser === null
      ? {
          ...{ known: false, group: account, ip: visit.ip },
          isFamiliar: () =>
            checks.locations.include({ email: account, userId: user?.id ?? NOBODY }, visit.ip),
        }
      : { known: true, group: account, caller: knownBrowser },
  ).catch((error: unknown) => refuseLater(error, admission, startedAtMs));
  if (user !== null && isRight) {
    await admission.takeBack();
    return { refused: null, userId: user.id };
  }
  checks.count('wrong_password');
  // A flood of guesses is recorded by its first ones; the record is not the stranger's to fill.
  await inEvenTime(EVEN_MS, async () => {
    if (user === null || admission.accountSpent) return;
    await recordActivity(knex, failedSignIn('wrong_password', user.id, visit.ip));
  });
  return { refused: null, userId: null };
}

/** Whether a code is the user's second factor at this moment, or one of their recovery codes. */
export async function checkCode(
  checks: SignInChecks,
  visit: Visit,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<Checked> {
  const { knex, codes, sessions, secrets } = checks;
  const knownBrowser = sessions.known.idFor(userId, visit.headers.cookie, visit.secure);
  const admission = await codes.admit({ account: String(userId), ip: visit.ip, knownBrowser });
  if (admission.refused !== null) return refusedFor(checks, admission.refused);
  // From thousands of addresses six digits can be guessed by anyone who has the password; a recovery code still works.
  const perDay = knownBrowser === null && isShortCode(code) ? checks.codesPerDay : null;
  const waitS = (await perDay?.take(String(userId))) ?? null;
  if (waitS !== null) return refusedFor(checks, waitS);
  if (await checkSecondFactor(knex, userId, code, secrets)) {
    await admission.takeBack();
    await perDay?.giveBack(String(userId));
    return { refused: null, userId };
  }
  checks.count('wrong_code');
  if (!admission.accountSpent) {
    await recordActivity(knex, failedSignIn('wrong_code', userId, visit.ip));
  }
  return { refused: null, userId: null };
}

/** The figure `rostrum_signins_total`. */
export function countingSignIns(registry: Registry): (result: SignInResult) => void {
  const counter = new Counter({
    name: 'rostrum_signins_total',
    help: 'Sign-ins by result.',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  return (result) => counter.inc({ result });
}

/** Of this process. */
const pace = new RefusalPace();

async function refusedFor(checks: SignInChecks, refused: number): Promise<Checked> {
  checks.count('refused');
  await pace.wait();
  return { refused };
}

/** The line of hashes is full: that is a refusal too. Nothing was checked, so it was no guess. */
async function refuseLater(
  error: unknown,
  admission: { readonly takeBack: () => Promise<void> },
  startedAtMs: number,
): Promise<never> {
  await admission.takeBack();
  await pace.wait(performance.now() - startedAtMs);
  throw error;
}

function failedSignIn(action: string, aboutUserId: number, ip: string): NewActivity {
  return { action, via: 'page', userId: null, aboutUserId, ip };
}
