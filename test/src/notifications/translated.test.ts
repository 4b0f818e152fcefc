/** Notifications call a lot and its sale as their seller does in the language of whom they are for. */
import { expect } from 'chai';
import { letterIn } from '../../../src/accounts/mail/letter.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { lettersFor } from '../../../src/notifications/inbox/inbox-letters.ts';
import { readInbox } from '../../../src/notifications/inbox/inbox-reading.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
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

  it('say each of their sentences in it, and leave what people wrote, on the page and by mail', async () => {
    const { knex } = service.backends;
    const password = 'a long enough password';
    const { id, email } = await aUser(service.database, {
      language: 'de',
      password_hash: quickHash(password),
    });
    const changes = 'Bidders have to be verified now. The bid limit is $5,000.00 now, it was none.';
    const data = { title: 'Lot 7', slug: 'lot-7', changes, reason: 'Sold' };
    const notice = { user_id: id, kind: 'sale_changed', lot_id: null, data, on_page: true } as const;
    const [row] = await knex('notifications')
      .insert({ ...notice, key: 'sale-changed-1' })
      .returning('id');
    const suspended = { reason: 'Sold', leads: 'left' };
    await knex('notifications').insert({
      ...{ ...notice, kind: 'account_suspended', data: suspended, key: 'account-suspended-1' },
    });
    const said = [
      'Lot 7: Bieter müssen jetzt verifiziert sein.',
      'Das Gebotslimit ist jetzt 5.000,00\u00a0$, vorher keine. Sold',
    ].join(' ');
    const browser = new BrowserLike(service.url, { 'accept-language': 'de' });
    await signIn(browser, email, password);
    const { text } = await browser.get('/account/notifications');
    const plain = text.replaceAll(/<[^>]*>/g, '');
    expect(plain).to.contain('Die Bedingungen einer Auktion wurden geändert').and.contain(said);
    expect(plain).to.contain('Sie können alles lesen und nichts ändern. Der Grund: Sold Die Gebote');
    const waiting = { ...notice, id: row.id, auction_id: null, sale: null, trace: null, bid_id: null };
    const recipient = { user_id: id, email, allowed: 1, outbid: false };
    const [mail] = lettersFor(recipient, [{ ...waiting, is_due: true }], [], [], { site: '', moment: '' });
    const german = letterIn('de', mail!);
    expect(german.subject).to.equal('Die Bedingungen einer Auktion wurden geändert: Lot 7');
    const own = 'Die Bedingungen einer Auktion wurden geändert.\n\n';
    expect(german.text.startsWith(`${own}${said.replaceAll('\u00a0', ' ')}\n\n`), german.text).to.equal(true);
    expect(mail!.subject).to.equal('The terms of a sale were changed: Lot 7');
    expect(mail!.text).to.contain(`Lot 7: ${changes} Sold`);
  });
});
