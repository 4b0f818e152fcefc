/**
 * Eighty lots end within the same ten seconds while web and worker processes are killed at random: each is sold
 * once, at its end by the clock, to whoever was told that they lead, and has its invoice, once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { aLot, anAuction, aTeam, aToken, aUser } from '../../../support/builders.ts';
import {
  isoIn,
  type Market,
  openMarket,
  type WebProcess,
  type WorkerProcess,
} from '../../../support/market.ts';

const LOTS = 80;
const AUCTIONS = 8;
/** The first auction ends so long after it is published, the others one after the other within the ten seconds. */
const SOON_MS = 3_500;
const APART_MS = 900;

interface Bidder {
  readonly userId: number;
  readonly token: string;
}

/** A bidder's standing, as reported to them. */
interface Taken {
  readonly userId: number;
  readonly cents: number;
}

describe('invoices of lots that close while web and worker processes are killed', () => {
  let market: Market;
  let bidders: Bidder[];

  before(async () => {
    market = await openMarket();
    const { db } = market;
    bidders = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const user = await aUser(db);
        return { userId: user.id, token: (await aToken(db, { user, abilities: ['write'] })).token };
      }),
    );
  });

  after(async () => {
    await market.close();
  });

  it(`are ${LOTS}, one for each sale, with numbers without a gap`, async () => {
    const { db } = market;
    const [herd, lots] = await Promise.all([startHerd(market), manyLots(market)]);
    const taken = new Map<number, Taken[]>(lots.map((id) => [id, []]));
    const bid = async (lotId: number, at: number, cents: number) => {
      const bidder = bidders[at % bidders.length]!;
      const committed = await untilAnswered(herd, lotId, bidder, cents);
      if (committed) taken.get(lotId)!.push({ userId: bidder.userId, cents });
      return committed;
    };
    await putUp(market, lots);
    const until = Date.now() + SOON_MS + AUCTIONS * APART_MS;
    const killing = killAtRandom(market, herd);
    await inTurns(lots, 40, async (id, at) => {
      const { userId } = bidders[at % bidders.length]!;
      expect(await market.bid(id, userId, 10_000 + at)).to.include({ kind: 'bid' });
      taken.get(id)!.push({ userId, cents: 10_000 + at });
    });
    // Bids continue until the very end of each lot, from whichever process is up.
    await inTurns(lots, 40, async (id, at) => {
      for (let step = 1; Date.now() < until; step += 1) {
        await sleep(500 + Math.random() * 1_500);
        if (!(await bid(id, at + step, 10_000 + at + step * 50_000))) return;
      }
    });
    await killing;
    await untilSettled(market, lots.length);
    const invoices: Invoice[] = await db.knex('invoices').where('kind', 'winner').orderBy('id');
    expect(invoices).to.have.length(LOTS);
    const byLot = new Map(invoices.map((invoice) => [invoice.lot_id, invoice]));
    expect(byLot.size).to.equal(LOTS);
    for (const id of lots) {
      const { userId, cents } = taken.get(id)!.at(-1)!;
      const due = cents + Math.floor(cents / 10 + 0.5);
      expect(byLot.get(id), `lot ${id}`).to.include({ amount_due_cents: due, user_id: userId });
    }
    const numbers: string[] = await db.knex('invoices').orderBy('invoice_number').pluck('invoice_number');
    expect(numbers.map((number) => Number(number.slice(9)))).to.deep.equal(numbers.map((_, at) => at + 1));
    const sold = await db.knex('events').where('type', 'lot.sold');
    expect(sold).to.have.length(LOTS);
    for (const event of sold) {
      expect(event.data.invoice_number).to.equal(byLot.get(event.lot_id)!.invoice_number);
    }
    const closes = await db
      .knex('journal_entries')
      .whereRaw('public_text LIKE \'%"lot_closed"%\'')
      .where('public_text', 'like', '%"reason":"time"%');
    expect(closes, 'closed by the clock').to.have.length(LOTS);
    expect(await db.knex('settlements')).to.have.length(AUCTIONS);
    expect(await db.knex('invoices').where('kind', 'platform_fee')).to.have.length(AUCTIONS);
  });
});

async function manyLots(market: Market): Promise<number[]> {
  const { db } = market;
  const team = await aTeam(db);
  const lots: number[] = [];
  for (let at = 0; at < AUCTIONS; at += 1) {
    const auction = await anAuction(db, {
      team_id: team.id,
      // A worker that is up already must not publish it before its end is known.
      status: 'draft',
      buyer_premium_bps: 1_000,
      soft_close_window_seconds: 0,
    });
    const made = await Promise.all(
      Array.from({ length: LOTS / AUCTIONS }, (_, n) =>
        aLot(db, { auction_id: auction.id, lot_number: n + 1, starting_bid_cents: 10_000 }),
      ),
    );
    lots.push(...made.map(({ id }) => id));
  }
  return lots;
}

/** Publishes the auctions of the lots, their ends from a little while on within the ten seconds. */
async function putUp(market: Market, lots: readonly number[]): Promise<void> {
  const ids: number[] = await market
    .knex('lots')
    .whereIn('id', lots)
    .distinct('auction_id')
    .pluck('auction_id');
  for (const [at, id] of ids.entries()) {
    const end_time = isoIn(market, SOON_MS + at * APART_MS);
    await market.knex('auctions').where('id', id).update({ end_time, status: 'active' });
  }
  await Promise.all(ids.map((id) => market.publish(id)));
}

/** The processes of which some are killed now and then. */
interface Herd {
  webs: WebProcess[];
  workers: WorkerProcess[];
}

async function startHerd(market: Market): Promise<Herd> {
  const [first, second, worker] = await Promise.all([
    market.webProcess(),
    market.webProcess(),
    market.worker(),
  ]);
  return { webs: [first, second], workers: [worker] };
}

/** Kills a worker and a web process with SIGKILL and starts others in their places, while the lots end. */
async function killAtRandom(market: Market, herd: Herd): Promise<void> {
  const starting: Promise<unknown>[] = [];
  for (const kind of ['worker', 'web'] as const) {
    await sleep(SOON_MS / 2 + Math.random() * APART_MS * 2);
    if (kind === 'web') {
      const [web] = herd.webs.splice(Math.floor(Math.random() * herd.webs.length), 1);
      await web!.kill('SIGKILL');
      starting.push(market.webProcess().then((next) => herd.webs.push(next)));
    } else {
      // The one before may still be on its way up.
      await Promise.all(starting);
      await herd.workers.shift()!.kill('SIGKILL');
      starting.push(market.worker().then((next) => herd.workers.push(next)));
    }
  }
  await Promise.all(starting);
}

let keys = 0;

/** Sends a bid under one key, to whichever web process is up, until there is an answer; whether the bid stands. */
async function untilAnswered(herd: Herd, lotId: number, { token }: Bidder, cents: number): Promise<boolean> {
  keys += 1;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': `key-${keys}`,
  };
  const body = JSON.stringify({ amount: (cents / 100).toFixed(2) });
  for (let tries = 0; tries < 600; tries += 1) {
    const web = herd.webs[(keys + tries) % herd.webs.length];
    const answer = await fetch(`${web?.url}/api/v1/lots/${lotId}/bids`, {
      method: 'POST',
      headers,
      body,
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (answer != null && text != null && answer.status < 500) {
      if (answer.status === 201) return true;
      expect([answer.status, JSON.parse(text).code], text).to.deep.equal([409, 'lot_closed']);
      return false;
    }
    await sleep(50);
  }
  throw new Error(`no answer to a bid on lot ${lotId}`);
}

/** Runs `work` for every lot, with the given concurrency. */
async function inTurns(
  lots: readonly number[],
  atOnce: number,
  work: (lotId: number, at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < lots.length) {
      const at = next++;
      await work(lots[at]!, at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function untilSettled(market: Market, lots: number): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    const sold = await market.db.knex('lots').where('status', 'sold').count<{ n: number }[]>({ n: '*' });
    const settled = await market.db.knex('settlements').count<{ n: number }[]>({ n: '*' });
    if (Number(sold[0]!.n) === lots && Number(settled[0]!.n) === AUCTIONS) return;
    if (Date.now() > until) throw new Error(`only ${sold[0]!.n} lots are sold, ${settled[0]!.n} settled`);
    await sleep(250);
  }
}
