/** Brings auctions and lots that were inserted as rows under the engine, and into the states that only it gives. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { RecordSale } from '../../engine/lot/commands.ts';
import { changeAuction } from '../../src/selling/auctions/seller-auctions.ts';
import { newSalt } from '../../src/shared/node-crypto.ts';
import { aUser } from '../support/builders.ts';
import { projectionOf } from '../support/projection.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import { each } from './each.ts';

interface SomeAuctions {
  readonly team_id: number;
  readonly status: string;
  readonly title: string;
  readonly privacy_setting: string;
  readonly start_time: string;
  /** Of the one lot that each has. */
  readonly lotStatus: string;
  readonly lot?: object;
  readonly simulcast_platforms?: readonly string[];
}

let made = 0;

/** This many auctions with a lot each, in two statements. */
export async function someAuctions(
  { database: { knex } }: Service,
  count: number,
  { lotStatus, lot = {}, ...auction }: SomeAuctions,
): Promise<{ id: number; lot: number }[]> {
  const numbers = Array.from({ length: count }, () => ++made);
  const terms = { end_time: hours(24), buyer_premium_bps: 1_000 };
  const auctions: { id: number }[] = await knex('auctions')
    .insert(numbers.map((n) => ({ ...terms, ...auction, slug: `cells-${n}` })))
    .returning('id');
  const lots: { id: number; auction_id: number }[] = await knex('lots')
    .insert(
      auctions.map(({ id }) => ({
        ...{ auction_id: id, lot_number: 1, title: 'A lot', slug: `cells-${id}`, starting_bid_cents: 10_000 },
        ...{ status: lotStatus, ...lot },
      })),
    )
    .returning(['id', 'auction_id']);
  return lots.map(({ id, auction_id }) => ({ id: auction_id, lot: id }));
}

interface Wanted {
  /** Lots that get a bid. */
  readonly contested: readonly number[];
  /** Auctions that are paused. */
  readonly paused: readonly number[];
  /** Lots that the floor closes. */
  readonly closed?: readonly { readonly lot: number; readonly result: 'sold' | 'passed' | 'unsold' }[];
}

const closing = (result: 'sold' | 'passed' | 'unsold'): RecordSale => ({
  ...{ type: 'record_sale', bidId: randomUUID(), salt: newSalt(), result, currency: null, auctionRuns: true },
  ...(result === 'sold'
    ? { hammerCents: 20_000, winner: { key: 'f:hall:b-1', userId: null, paddle: '7' } }
    : { hammerCents: null, winner: null }),
  floor: { platform: 'hall', sequence: 1 },
});

/** Returns once Postgres has it all; nothing is projected afterwards. */
export async function bringUp(
  service: Service,
  live: readonly { readonly id: number }[],
  { contested, paused, closed = [] }: Wanted,
): Promise<void> {
  await service.publish();
  const token = await service.tokenFor(await aUser(service.database));
  await each(contested, async (lot) => {
    const bid = await service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body: { amount: '200.00' } });
    expect(bid.status, bid.text).to.equal(201);
  });
  await each(closed, async ({ lot, result }) => {
    const done = await service.backends.engine.submit(lot, closing(result));
    expect(done).to.include({ kind: 'answer' });
  });
  const { knex } = service.database;
  await each(paused, async (id) => {
    const { team_id: teamId } = await knex('auctions').where({ id }).first('team_id');
    await changeAuction(
      { ...service.backends, takesCurrency: () => true },
      { teamId, userId: null, isStaff: true },
      id,
      { status: 'paused' },
    );
  });
  const projection = await projectionOf(service.backends);
  try {
    await each(live, ({ id }) => projected(service, id));
  } finally {
    await projection.close();
  }
}

async function projected({ backends, database }: Service, id: number): Promise<void> {
  const record = await backends.journal.loadRecord(id);
  if (record === null) return;
  for (let tries = 0; tries < 400; tries++) {
    const row = await database.knex('auctions').where({ id }).first('record_version');
    const lots = await database.knex('lots').where('auction_id', id).select('id', 'sequence');
    const states = await Promise.all(lots.map((lot) => backends.journal.load(id, lot.id)));
    const behind = lots.some(({ sequence }, at) => sequence < (states[at]?.sequence ?? 0));
    if (row.record_version >= record.version && !behind) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`auction ${id} is not projected`);
}

/** Everything about an auction and its lots that a request can change: rows and journal. */
export async function digestOf({ backends, database }: Service, id: number): Promise<string> {
  const { knex } = database;
  const [auction, lots, media] = await Promise.all([
    knex('auctions').where({ id }).first(),
    knex('lots').where('auction_id', id).orderBy('id'),
    knex('media')
      .where('auction_id', id)
      .orWhereIn('lot_id', knex('lots').where('auction_id', id).select('id')),
  ]);
  const record = await backends.journal.loadRecord(id);
  const states = await Promise.all(lots.map((lot) => backends.journal.load(id, lot.id)));
  return JSON.stringify([auction, lots, media, record?.version, states.map((state) => state?.sequence)]);
}
