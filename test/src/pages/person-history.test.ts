/** A person's page in the office: what was sent to them, without what only they may open. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('What was sent to somebody, in the office', () => {
  let service: Service;
  let office: BrowserLike;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
  });
  after(() => service.close());

  it('is mails and notices by kind and time, with what became of them', async () => {
    const { knex } = service.database;
    const [user, other] = [await aUser(service.database), await aUser(service.database)];
    const lot = await aLot(service.database, { title: 'A plough' });
    const now = knex.fn.now();
    const mail = (recipient: string, about: string, more: object) => ({
      ...{ event_key: `${about}-${recipient}`, recipient, about, kind: 'security' },
      ...more,
    });
    await knex('mails').insert([
      mail(user.email, 'confirm', { sent_at: now, sealed: 'https://here/confirm/secret' }),
      mail(user.email, 'outbid', { kind: 'notification', failed_at: now, error: 'The mailbox is full.' }),
      mail(other.email, 'reset', { sent_at: now }),
    ]);
    const data = {
      title: 'A plough',
      currency: 'usd',
      amount: '10.00',
      bid: '12.00',
      own: true,
      reason: 'A slip.',
    };
    await knex('notifications').insert(
      Array.from({ length: 11 }, (_, n) => ({
        ...{ user_id: user.id, kind: 'bid_voided', key: `void-${n}`, lot_id: lot.id, data, on_page: true },
        created_at: new Date(Date.now() - n * 60_000 - 60_000).toISOString(),
      })),
    );
    const page = (await office.get(`/office/people/${user.id}`)).text;
    const sent = page.split('<h2>What was sent</h2>')[1] ?? '';
    const [first, second] = sent.split('<tr>').slice(2);
    expect(`${first}${second}`).to.include('confirm').and.include('failed: The mailbox is full.');
    expect(sent).to.include('Your bid was voided').and.include('unread').and.include('and 3 more');
    expect(page).not.to.include('secret').and.not.include('reset');
    const all = (await office.get(`/office/people/${user.id}/sent`)).text;
    expect(all.match(/Your bid was voided/g)).to.have.length(11);
    expect((await office.get('/office/people/987654321/sent')).status).to.equal(404);
  });
});
