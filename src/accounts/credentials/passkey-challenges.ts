/**
 * Challenges that passkeys sign: made and checked without being kept, like the session's CSRF token. Each holds when it
 * was made and a signature under APP_SECRET over the session, what it is for and whose, and is taken once.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AttemptCounter } from '../sessions/sign-in-guard.ts';

/** What a passkey is used for; a challenge for one is none for another. */
export type PasskeyPurpose = 'register' | 'sign_in' | 'second_factor' | 'prove';

export interface PasskeyUse {
  readonly purpose: PasskeyPurpose;
  readonly sessionId: string;
  /** Null: whoever it turns out to be. */
  readonly userId: number | null;
}

const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const LENGTH = RANDOM_BYTES + TIME_BYTES + 32;
/** As long as a page may be open before its button is pressed. */
export const CHALLENGE_LIVES_S = 3_600;

export class PasskeyChallenges {
  readonly #secrets: readonly [string, ...string[]];
  readonly #taken: AttemptCounter;

  /** `taken` counts one for each challenge in the time that it lives. */
  constructor(secrets: readonly [string, ...string[]], taken: AttemptCounter) {
    this.#secrets = secrets;
    this.#taken = taken;
  }

  /** In base64url, as browsers take it. */
  issue(use: PasskeyUse): string {
    const head = Buffer.concat([randomBytes(RANDOM_BYTES), Buffer.alloc(TIME_BYTES)]);
    head.writeUIntBE(Math.floor(Date.now() / 1000), RANDOM_BYTES, TIME_BYTES);
    return Buffer.concat([head, sign(this.#secrets[0], head, use)]).toString('base64url');
  }

  /** What authenticators know a person by who has no passkey yet: it names nobody to others. */
  handleOf(userId: number): string {
    return createHmac('sha256', this.#secrets[0]).update(`passkey user:${userId}`).digest('base64url');
  }

  /** Whether it was issued for this use, lately, and was not taken before. */
  async take(challenge: string, use: PasskeyUse): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== LENGTH) return false;
    const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
    const signature = bytes.subarray(head.length);
    if (!this.#secrets.some((secret) => timingSafeEqual(sign(secret, head, use), signature))) return false;
    const ageS = Date.now() / 1000 - head.readUIntBE(RANDOM_BYTES, TIME_BYTES);
    return ageS < CHALLENGE_LIVES_S && (await this.#taken.take(bytes.toString('base64url'))) === null;
  }
}

function sign(secret: string, head: Buffer, { purpose, sessionId, userId }: PasskeyUse): Buffer {
  return createHmac('sha256', secret)
    .update(`passkey:${purpose}:${userId ?? ''}:${sessionId}:`)
    .update(head)
    .digest();
}
