/** Notifications call a lot and its sale as their seller does in the language of whom they are for. */
import { expect } from 'chai';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { readInbox } from '../../../src/notifications/inbox/inbox-reading.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const SOON = { end_time: new Date(Date.now() + 1_800_000).toISOString() };

describe('notifications of what is said in several languages', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('call it in the language of each, and as it was said first for others', async () => {
    const { knex } = service.backends;
    const auction = await anAuction(service.database, {
      ...SOON,
      title: 'Sale of tables',
      translations: { de: { title: 'Tische zu Linz' } },
    });
    const translations = { de: { title: 'Ein Eichentisch', description: 'Rund' } };
    const words = { title: 'An oak table', translations };
    const lot = await aLot(service.database, { auction_id: auction.id, ...words });
    const other = await aLot(service.database, { auction_id: auction.id, title: 'A chair' });
    await service.publish();
    await knex('lots').update({ status: 'active', live_end_time: SOON.end_time });
    await knex('auctions').update({ status: 'active' });
    const [german, french] = [
      await aUser(service.database, { language: 'de' }),
      await aUser(service.database, { language: 'fr' }),
    ];
    for (const { id: user_id } of [german, french]) {
      await knex('watchlist').insert([lot, other].map(({ id: lot_id }) => ({ user_id, lot_id })));
      await knex('outbid_notices').insert({ user_id, lot_id: lot.id, current_bid_cents: 100, on_page: true });
    }
    await notifyRows(knex, new Inbox(null, () => ''));
    const dataOf = async (userId: number) => {
      const { rows } = await readInbox(knex, userId, { page: 1, perPage: 10, unreadOnly: false });
      return Object.fromEntries(rows.map(({ kind, data }) => [kind, data as Record<string, unknown>]));
    };
    const inGerman = await dataOf(german.id);
    expect(inGerman['outbid']).to.include({ title: 'Ein Eichentisch' });
    expect(inGerman['ending_soon'])
      .to.have.all.keys('title', 'lots')
      .and.include({ title: 'Tische zu Linz' });
    const titlesIn = (data: unknown) =>
      (data as { lots: { title: string }[] }).lots.map(({ title }) => title);
    expect(titlesIn(inGerman['ending_soon'])).to.have.members(['Ein Eichentisch', 'A chair']);
    const inFrench = await dataOf(french.id);
    expect(inFrench['outbid']).to.include({ title: 'An oak table' });
    expect(inFrench['ending_soon']).to.include({ title: 'Sale of tables' });
    expect(titlesIn(inFrench['ending_soon'])).to.have.members(['An oak table', 'A chair']);
  });
});
