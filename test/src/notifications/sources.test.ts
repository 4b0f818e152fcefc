import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { MAX_WATCHED } from '../../../src/catalog/watchlist/watchlist.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { changePreferences } from '../../../src/notifications/inbox/preferences.ts';
import type { NotificationKind } from '../../../src/notifications/kinds/kind.ts';
import { notifySearches, saveSearch } from '../../../src/notifications/searches/saved-searches.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const SOON = { end_time: new Date(Date.now() + 1_800_000).toISOString() };

describe('the sources of notifications', () => {
  let service: Service;
  let knex: Knex;
  let silent: User;
  let ann: User;
  /** In the journal before the many, each of which would be put there too. */
  let published: readonly { readonly id: number }[];

  before(async () => {
    service = await startService();
    knex = service.backends.knex;
    silent = await aUser(service.database);
    ann = await aUser(service.database);
    published = await Promise.all(
      [1, 2, 3].map(async () => {
        const auction = await anAuction(service.database);
        return aLot(service.database, { auction_id: auction.id });
      }),
    );
    await service.publish();
  });
  after(() => service.close());

  /** As many copies of a live lot's row as somebody may watch, none of which the journal knows. */
  async function watchMany(user: User, lotId: number, many: number): Promise<void> {
    // Each in a sale of its own: a sale's lots are one notification.
    await knex.raw(
      `INSERT INTO auctions (id, team_id, title, slug, status, type, currency, start_time, end_time)
       SELECT a.id + 100000 + n, team_id, title, 'watched-' || n, status, type, currency, start_time, end_time
       FROM auctions a, generate_series(1, ?) n WHERE a.id = (SELECT auction_id FROM lots WHERE id = ?)`,
      [many, lotId],
    );
    await knex.raw(
      `INSERT INTO lots SELECT (jsonb_populate_record(l, jsonb_build_object('id', l.id + 100000 + n,
         'auction_id', l.auction_id + 100000 + n, 'slug', 'watched-' || n))).*
       FROM lots l, generate_series(1, ?) n WHERE l.id = ?`,
      [many, lotId],
    );
    await knex.raw(
      "INSERT INTO watchlist (user_id, lot_id) SELECT ?, id FROM lots WHERE id = ? OR slug LIKE 'watched-%'",
      [user.id, lotId],
    );
  }

  it('reach others past somebody who watches 2,000 lots and wants no notifications', async () => {
    await changePreferences(knex, silent.id, { ending_soon: { page: false, mail: false } });
    const auction = await anAuction(service.database, SOON);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    await knex('lots').where('id', lot.id).update({ status: 'active', live_end_time: SOON.end_time });
    await knex('auctions').where('id', auction.id).update({ status: 'active' });
    await watchMany(silent, lot.id, MAX_WATCHED - 1);
    await knex('watchlist').insert({ user_id: ann.id, lot_id: lot.id });
    const { notified } = await notifyRows(knex, new Inbox(null, () => ''));
    expect(notified).to.deep.equal([ann.id]);
    expect(await knex('notifications').where('kind', 'ending_soon')).to.have.length(1);
  });

  it('say that there is more, and then tell the rest', async () => {
    const inbox = new Inbox(null, () => '');
    await changePreferences(knex, silent.id, { ending_soon: { page: true, mail: false } });
    let told = 0;
    let rounds = 0;
    for (let more = true; more; rounds++) {
      ({ more } = await notifyRows(knex, inbox));
      told = (await knex('notifications').where('user_id', silent.id)).length;
    }
    expect({ told, rounds }).to.deep.equal({ told: MAX_WATCHED, rounds: 3 });
  });

  it('refuse the lot beyond 2,000 of a watchlist, by API and on the page, whatever is asked at once', async () => {
    await knex.raw('DELETE FROM watchlist WHERE id = (SELECT id FROM watchlist WHERE user_id = ? LIMIT 1)', [
      silent.id,
    ]);
    const token = await service.tokenFor(silent);
    const answers = await Promise.all(
      published.map(({ id }) => service.call('POST', `/api/v1/lots/${id}/watchlist`, { token })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 422, 422]);
    expect(answers.find(({ status }) => status === 422)?.text).to.contain('2000 lots');
  });

  it('leave a failing search behind the others', async () => {
    await saveSearch(knex, ann.id, 'bad', 'search=bad');
    await saveSearch(knex, ann.id, 'good', 'search=good');
    await knex('saved_searches').update({ due_at: knex.raw(`now() - interval '1 second'`) });
    const failed: number[] = [];
    const count = async (query: string) => {
      if (query === 'search=bad') throw new Error('too slow');
      return 1;
    };
    const inbox = new Inbox(null, () => '');
    expect(await notifySearches(knex, inbox, count, (id) => failed.push(id))).to.deep.equal([ann.id]);
    expect(failed).to.have.length(1);
    expect(await notifySearches(knex, inbox, count, (id) => failed.push(id))).to.deep.equal([]);
    expect(failed).to.have.length(1);
  });

  it('take no kind that lacks its text or its source', () => {
    const whole: NotificationKind<{ readonly title: string }> = {
      label: 'x',
      audience: 'bidder',
      byMail: false,
      source: { from: 'elsewhere', pass: 'saved searches' },
      text: ({ title }) => ({ title, body: '', path: '/' }),
    };
    const { text: _text, ...wordless } = whole;
    // @ts-expect-error A kind without its text.
    const first: NotificationKind<{ readonly title: string }> = wordless;
    // @ts-expect-error A text that takes other data.
    const second: NotificationKind<{ readonly name: string }> = whole;
    expect([first, second]).to.have.length(2);
  });
});
