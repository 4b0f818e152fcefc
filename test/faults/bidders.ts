/**
 * The bidders of a fault run: each bids on one of the hot lots, waits for the answer, and sends a bid whose answer it
 * did not get again under the same key, to another process. Every try is recorded with the moments between which
 * it happened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { usFromIso } from '../../engine/time.ts';
import { below, type Dice } from '../history/random-histories.ts';
import type { NamedStanding, Operation, OperationAnswer } from '../history/terms.ts';
import { type HotLot, type Offer, Offers } from './offers.ts';

export interface Try extends Operation {
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  /** Which web process was asked. */
  readonly slot: number;
}

export interface Person {
  readonly userId: number;
  readonly token: string;
}

export interface Crowd {
  readonly tries: readonly Try[];
  /** Answers that make no sense, at most a few. */
  readonly oddities: readonly string[];
  /** No request is sent from now on; resolves when all are answered. */
  pause(): Promise<void>;
  goOn(): void;
  /** Resolves when every bid in hand is settled or given up. */
  stop(): Promise<void>;
}

export interface CrowdSettings {
  readonly people: readonly Person[];
  /** Addresses of the web processes, as clients know them. */
  readonly urls: readonly string[];
  readonly dice: Dice;
  /** The lots that are bid on now. */
  readonly lots: () => readonly HotLot[];
  readonly nowUs: () => number;
  /** Between two bids of one person, at most. */
  readonly thinkMs: number;
  /** Counts bidders from here, so that people who bid in an earlier crowd have other keys; default 0. */
  readonly firstNumber?: number;
}

const ANSWER_WITHIN_MS = 4_000;
/** A bid is tried again for so long, and for less when the run ends. */
const PATIENCE_US = 45_000_000;
const LAST_PATIENCE_US = 8_000_000;

export function startCrowd(settings: CrowdSettings): Crowd {
  const crowd = new BiddingCrowd(settings);
  const done = Promise.all(
    settings.people.map((person, at) => crowd.bidder(person, (settings.firstNumber ?? 0) + at)),
  );
  return {
    tries: crowd.tries,
    oddities: crowd.oddities,
    async pause() {
      crowd.paused = true;
      while (crowd.inFlight > 0) await sleep(20);
    },
    goOn() {
      crowd.paused = false;
    },
    async stop() {
      crowd.paused = false;
      crowd.running = false;
      crowd.stoppedUs = settings.nowUs();
      await done;
      await crowd.close();
    },
  };
}

interface Bid {
  readonly lot: HotLot;
  readonly person: Person;
  readonly offer: Offer;
  readonly key: string;
}

class BiddingCrowd {
  readonly tries: Try[] = [];
  readonly oddities: string[] = [];
  running = true;
  paused = false;
  /** Requests without an answer yet. */
  inFlight = 0;
  stoppedUs = Number.POSITIVE_INFINITY;
  readonly #settings: CrowdSettings;
  readonly #pools: readonly Pool[];

  constructor(settings: CrowdSettings) {
    this.#settings = settings;
    const limits = {
      connections: 256,
      pipelining: 1,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
    };
    this.#pools = settings.urls.map((url) => new Pool(url, limits));
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  async bidder(person: Person, number: number): Promise<void> {
    const { dice, lots, thinkMs } = this.#settings;
    const offers = new Offers(dice);
    for (let count = 0; this.running; count += 1) {
      await sleep(dice() * thinkMs);
      const open = lots();
      const lot = open[below(dice, open.length)];
      if (lot === undefined || !this.running) continue;
      // Bidders who find a lot over occasionally bid once more: refusals after the close are checked too.
      if (lot.over && dice() < 0.9) continue;
      const key = `${number}-${count}`;
      await this.#settle(
        { lot, person, offer: offers.next(lot), key },
        (number + count) % this.#pools.length,
      );
    }
  }

  /**
   * Sends a bid until somebody answers it; some are let go after one lost answer, and some are sent twice on purpose.
   */
  async #settle(bid: Bid, first: number): Promise<void> {
    const { dice, nowUs } = this.#settings;
    const slots = this.#pools.length;
    const beganUs = nowUs();
    const givesUp = dice() < 0.1;
    if (dice() < 0.03) {
      await Promise.all([this.#send(bid, first), this.#send(bid, (first + 1) % slots)]);
      return;
    }
    for (let at = first; ; at = (at + 1) % slots) {
      const { kind } = await this.#send(bid, at);
      if (kind === 'accepted' || kind === 'refused') {
        if (dice() < 0.02) await this.#send(bid, (at + 1) % slots);
        return;
      }
      const waitedUs = nowUs() - beganUs;
      const patienceUs = this.running ? PATIENCE_US : LAST_PATIENCE_US;
      if (givesUp || waitedUs > PATIENCE_US || nowUs() - this.stoppedUs > patienceUs) return;
      // The answer asks for a second; some are less patient.
      await sleep(200 + dice() * 800);
    }
  }

  async #send({ lot, person, offer, key }: Bid, slot: number): Promise<OperationAnswer> {
    const { nowUs } = this.#settings;
    while (this.paused) await sleep(20);
    const invokedUs = nowUs();
    this.inFlight += 1;
    const { status, text } = await this.#post(lot, person, offer, key, slot);
    this.inFlight -= 1;
    const returnedUs = nowUs();
    const { answer, code } = this.#read(status, text, lot);
    this.tries.push({
      lotId: lot.lotId,
      bidder: String(person.userId),
      straightCents: offer.straightCents,
      ceilingCents: Math.max(offer.straightCents ?? 0, offer.ceilingCents ?? 0),
      key,
      invokedUs,
      returnedUs,
      answer,
      status,
      code,
      slot,
    });
    return answer;
  }

  async #post(
    lot: HotLot,
    person: Person,
    { straightCents, ceilingCents }: Offer,
    key: string,
    slot: number,
  ): Promise<{ status: number; text: string }> {
    try {
      const { statusCode, body } = await this.#pools[slot]!.request({
        method: 'POST',
        path: `/api/v1/lots/${lot.lotId}/bids`,
        headers: {
          authorization: `Bearer ${person.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({
          ...(straightCents === null ? {} : { amount: (straightCents / 100).toFixed(2) }),
          ...(ceilingCents === null ? {} : { max_amount: (ceilingCents / 100).toFixed(2) }),
        }),
      });
      return { status: statusCode, text: await body.text() };
    } catch {
      return { status: 0, text: '' };
    }
  }

  #read(status: number, text: string, lot: HotLot): { answer: OperationAnswer; code: string } {
    if (status === 0) return { answer: { kind: 'unknown' }, code: 'no answer' };
    // A load balancer that got no answer itself has nothing to say.
    const { code = '', data } = (text === '' ? {} : JSON.parse(text)) as Body;
    if (status === 201 && data?.sequence !== undefined) {
      this.#hear(lot, data.lot ?? {});
      const { sequence, id = '', outcome = '' } = data;
      return { answer: { kind: 'accepted', sequence, bidId: id, outcome }, code: '201' };
    }
    if (status === 503 && code === 'overloaded') return { answer: { kind: 'nothing_recorded' }, code };
    if (status >= 500) return { answer: { kind: 'unknown' }, code: code === '' ? String(status) : code };
    if (code === '' || data?.end_time === undefined) this.#odd(`${status} ${text.slice(0, 200)}`);
    const standing = this.#hear(lot, data ?? {});
    if (code === 'lot_closed') lot.over = true;
    return { answer: { kind: 'refused', code, standing }, code };
  }

  #odd(what: string): void {
    if (this.oddities.length < 5) this.oddities.push(what);
  }

  /** Notes the reported state of the lot; older reports are ignored. */
  #hear(lot: HotLot, reported: ReportedStanding): NamedStanding | null {
    if (reported.current_bid === undefined) return null;
    const currentCents = Math.round(Number(reported.current_bid) * 100);
    const minimumNextCents = Math.round(Number(reported.minimum_next_bid) * 100);
    if (currentCents >= lot.currentCents) Object.assign(lot, { currentCents, minimumNextCents });
    return { currentCents, minimumNextCents, endsAtUs: usFromIso(reported.end_time ?? '') ?? 0 };
  }
}

interface ReportedStanding {
  readonly current_bid?: string;
  readonly minimum_next_bid?: string;
  readonly end_time?: string;
}

interface Body {
  readonly code?: string;
  readonly data?: ReportedStanding & {
    readonly sequence?: number;
    readonly id?: string;
    readonly outcome?: string;
    readonly lot?: ReportedStanding;
  };
}
