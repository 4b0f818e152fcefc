/**
 * Where the passwords of strangers are hashed. An account that nobody guesses at has its hashes made at the process's
 * own priority; those of accounts that somebody does guess at wait in their own queue, for a thread of low
 * priority, and so does everybody once somebody guesses at all accounts one after the other; except who has signed in
 * from there before, as long as not much is tried from there. In that queue comes first who tried least, and who was
 * sent away and returns: an owner retries from one address, a flood from thousands returns to each of them seldom. Used
 * by passwords.
 */
import { networkOf } from '../../../adapters/http/client-address.ts';
import type { Derivation } from './derivation.ts';
import { FadingCounts } from './fading-counts.ts';
import { HashQueue } from './hash-queue.ts';
import { NetworkTries } from './network-tries.ts';

export interface UnknownClient {
  readonly known: false;
  /** What is tried: the account. */
  readonly group: string;
  readonly ip: string;
  /** Whether the account was signed in to from there before; read only if the account is under attack. */
  readonly isFamiliar?: () => Promise<boolean>;
}

export type Derive = (wanted: Derivation) => Promise<Uint8Array>;

/** So many tries within about a minute are nobody's typing errors. */
const CALM_TRIES = 5;
const TRIES_HALF_LIFE_MS = 60_000;
/** Who was sent away returns sooner than this. */
const RETURN_HALF_LIFE_MS = 20_000;
const MAX_KEYS = 50_000;
/** So many tries make a familiar place a strange one. */
const FAMILIAR_TRIES = 30;

export class StrangersQueues {
  readonly #derive: Derive;
  readonly #deriveLater: Derive;
  readonly #calm = new HashQueue();
  readonly #guessed = new HashQueue();
  readonly #accounts = new FadingCounts(TRIES_HALF_LIFE_MS, MAX_KEYS);
  readonly #networks = new NetworkTries();
  readonly #sentAway = new FadingCounts(RETURN_HALF_LIFE_MS, MAX_KEYS);

  /** `deriveLater` leaves the processor to the rest. */
  constructor(derive: Derive, deriveLater: Derive) {
    this.#derive = derive;
    this.#deriveLater = deriveLater;
  }

  /** Whether what is derived is what was wanted, as `isRight` says. Throws 503 `overloaded` where too many wait. */
  async verify(
    client: UnknownClient,
    wanted: Derivation,
    isRight: (key: Uint8Array) => boolean,
  ): Promise<boolean> {
    const { group, ip } = client;
    const tried = this.#accounts.add(group, performance.now());
    const isCalm = (tried < CALM_TRIES && !this.#calm.isAttacked) || (await this.#isFromHome(client));
    const key = isCalm
      ? await this.#calm.run(() => this.#derive(wanted), { group, caller: networkOf(ip), suspicion: 0 })
      : await this.derive(client, wanted);
    if (!isRight(key)) {
      (isCalm ? this.#calm : this.#guessed).noteWrong();
      if (isCalm) this.#networks.note(ip, performance.now());
      return false;
    }
    this.#accounts.add(group, performance.now(), -1);
    if (!isCalm) this.#networks.takeBack(ip, performance.now());
    return true;
  }

  async #isFromHome({ ip, isFamiliar }: UnknownClient): Promise<boolean> {
    if (isFamiliar === undefined || this.#networks.read(ip, performance.now()) >= FAMILIAR_TRIES)
      return false;
    return isFamiliar();
  }

  /** Derives with those who are guessed at. Throws 503 `overloaded` where too many wait. */
  async derive({ group, ip }: UnknownClient, wanted: Derivation): Promise<Uint8Array> {
    const caller = networkOf(ip);
    const nowMs = performance.now();
    const returning = `${group}|${caller}`;
    const suspicion = this.#networks.note(ip, nowMs) - this.#sentAway.read(returning, nowMs);
    let isTaken = false;
    const work = () => {
      isTaken = true;
      this.#sentAway.forget(returning);
      return this.#deriveLater(wanted);
    };
    try {
      return await this.#guessed.run(work, { group, caller, suspicion });
    } catch (error) {
      if (!isTaken) {
        this.#networks.takeBack(ip, performance.now());
        this.#sentAway.add(returning, performance.now());
      }
      throw error;
    }
  }
}
