/**
 * Facts that share a row: each is found, listed and said by an id of its own, alongside rows of one fact.
 */
import { expect } from 'chai';
import { type BidRun, factsOf, MAX_BIDS, rowOfRun } from '../../../src/events/bid-runs.ts';
import { JOINED_EVENT, type JoinedEvent, joinEvent, textOfJoined } from '../../../src/events/joined-event.ts';
import { appendEvents } from '../../../src/events/outbox.ts';
import { FIRST_POSITION, positionOfEvent, readTeamEvents } from '../../../src/events/read-events.ts';
import { auctionFact, bidFact } from '../../support/facts.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

const TEAM = 77;

const run = (lotId: number, first: number, count: number): BidRun => ({
  type: 'lot.bid_placed',
  teamId: TEAM,
  auctionId: 1,
  lotId,
  lotNumber: 9,
  decimals: 2,
  units: null,
  leaders: new Set([7]),
  bids: Array.from({ length: count }, (_, at) => ({
    bidId: `bid-${lotId}-${first + at}`,
    sequence: first + at,
    amountCents: 100 * (first + at),
    currentCents: 100 * (first + at) - 1,
    channel: 'online',
  })),
});

describe('bids that share a row', () => {
  let database: MigratedDatabase;
  let keys: string[];

  before(async () => {
    database = await migratedDatabase();
    const append = (facts: Parameters<typeof appendEvents>[1]) =>
      database.db.knex.transaction((trx) => appendEvents(trx, facts));
    await append([bidFact(TEAM, 1, 1)]);
    await append([run(1, 2, MAX_BIDS), auctionFact(TEAM, 1), run(2, 1, 1)]);
    await append([run(1, 2 + MAX_BIDS, 5)]);
    keys = (await all()).map(({ data_text }) => JSON.parse(data_text).event_key);
  });

  after(() => database.drop());

  const query = { types: ['lot.bid_placed', 'auction.published'] as const, limit: 1_000 };
  const all = () => readTeamEvents(database.db.knex, TEAM, { ...query, after: FIRST_POSITION });

  it('are events of their own, in order, with ids that rise and are never reused', async () => {
    const facts = await all();
    const sequences = facts
      .filter(({ lot_id }) => lot_id === 1)
      .map((fact) => JSON.parse(fact.data_text).sequence);
    expect(sequences).to.deep.equal(Array.from({ length: MAX_BIDS + 6 }, (_, at) => at + 1));
    const ids = facts.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].toSorted((a, b) => a - b));
    expect(new Set(keys).size).to.equal(facts.length);
  });

  it('are read on from behind any of them, in pages of any size', async () => {
    for (const limit of [1, 7, MAX_BIDS, MAX_BIDS + 1]) {
      const read: string[] = [];
      for (let after = FIRST_POSITION; ; ) {
        const page = await readTeamEvents(database.db.knex, TEAM, { ...query, after, limit });
        expect(page).to.have.length.at.most(limit);
        read.push(...page.map(({ data_text }) => JSON.parse(data_text).event_key));
        const last = page.at(-1);
        if (last === undefined) break;
        after = { tx: last.tx, id: last.id };
      }
      expect(read).to.deep.equal(keys);
    }
  });

  it('are found by their ids, and an unused id finds nothing', async () => {
    const { knex } = database.db;
    const facts = await all();
    const ids = new Set(facts.map(({ id }) => id));
    for (let id = 1; id <= Math.max(...ids) + 2; id += 1) {
      const { rows } = await knex.raw<{ rows: JoinedEvent[] }>(
        `SELECT ${JOINED_EVENT} FROM (SELECT ${id}::bigint AS id) own ${joinEvent('own.id')}`,
      );
      const fact = facts.find((one) => one.id === id);
      expect(textOfJoined(rows[0]!, id)?.data_text, String(id)).to.equal(fact?.data_text);
      expect(await positionOfEvent(knex, id), String(id)).to.deep.equal(
        fact === undefined ? null : { id, tx: fact.tx },
      );
    }
  });

  it('read exactly as events that have a row each', () => {
    const { id: _id, ...row } = { ...rowOfRun(run(3, 4, 1)), id: 5 };
    const [fact] = factsOf({ ...row, id: 5, trace: null, data_text: JSON.stringify(row.data) });
    expect(JSON.parse(fact!.data_text)).to.deep.equal({
      event_key: 'lot-3-bid-4',
      lot_id: 3,
      auction_id: 1,
      lot_number: 9,
      bid_id: 'bid-3-4',
      amount: '4.00',
      current_bid: '3.99',
      sequence: 4,
      channel: 'online',
    });
  });
});
