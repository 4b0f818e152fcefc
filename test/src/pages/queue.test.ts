/** The office's queue: all that waits, the oldest first, decided where it stands; bounded, and whole without Redis. */
import { expect } from 'chai';
import { openQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { queueAddressOf } from '../../../src/app/process/queue-address.ts';
import { BrowserLike, quickHash, type Seen, signIn } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { aSale, paymentOf, report, reportDispute } from '../../support/money.ts';
import { application, moneySetAside, taxNumber } from '../../support/office-things.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const QUEUE = '/office/queue';

/** The section under a heading. */
const sectionIn = ({ text }: Seen, heading: string) =>
  text.split(`<h2>${heading}</h2>`)[1]?.split('<h2>')[0] ?? '';

/** The form of a button in the row that holds a text. */
function formIn(page: Seen, heading: string, row: string, button: string) {
  const found = sectionIn(page, heading)
    .split('<tr>')
    .find((one) => one.includes(row))
    ?.split('<form')
    .find((one) => one.includes(` aria-label="${button}: `));
  const fields = [...(found ?? '').matchAll(/<input[^>]* name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: /action="([^"]+)"/.exec(found ?? '')?.[1] ?? '',
    fields: Object.fromEntries(fields.map(([, name, value]) => [name!, value!])),
  };
}

describe('The queue of the office', () => {
  let service: Service;
  let office: BrowserLike;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
  });
  after(() => service.close());

  const knex = () => service.database.knex;

  /** Presses a button of a row; gives what is said of it in the queue. */
  async function press(heading: string, row: string, button: string, typed: Record<string, string> = {}) {
    const { action, fields } = formIn(await office.get(QUEUE), heading, row, button);
    expect(action, `${heading}: ${button}`).to.not.equal('');
    const done = await office.post(action, { ...fields, ...typed });
    expect(done.location, done.text).to.match(/^\/office\/queue\?done=/);
    return office.get(done.location!);
  }

  it('is where the office begins, and says so where nothing waits', async () => {
    expect((await office.get('/office')).location).to.equal(QUEUE);
    const page = await office.get(QUEUE);
    expect(page.text).to.include('Nothing waits for you.');
    expect(/<nav class="side"[\s\S]*?<a href="([^"]+)"/.exec(page.text)?.[1]).to.equal(QUEUE);
  });

  it('has people, the longest waiting first, who are decided on at once', async () => {
    const [first, second] = await Promise.all(
      ['Waits Long', 'Waits Briefly'].map((name) =>
        aUser(service.database, { name, verification_status: 'pending' }),
      ),
    );
    const since = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await knex()('verification_checks').insert([
      { user_id: second!.id, type: 'identity', status: 'pending', created_at: since(2) },
      { user_id: first!.id, type: 'identity', status: 'pending', created_at: since(50) },
    ]);
    const page = await office.get(QUEUE);
    const section = sectionIn(page, 'Verifications');
    expect(section.indexOf('Waits Long')).to.be.within(0, section.indexOf('Waits Briefly'));
    expect(section).to.include('2 days ago');
    const after = await press('Verifications', 'Waits Long', 'Verify');
    expect(after.text).to.include('This person is verified now.').and.not.to.include('Waits Long');
    expect((await knex()('activity').orderBy('id', 'desc').first()).detail.reason).to.equal(
      'Decided in the queue',
    );
    const reject = formIn(after, 'Verifications', 'Waits Briefly', 'Reject');
    const refused = await office.post(reject.action, { ...reject.fields, reason: '' });
    expect(refused.status, 'taking away needs a reason').to.equal(422);
    await press('Verifications', 'Waits Briefly', 'Reject', { reason: 'No paper was sent.' });
    const person = await knex()('users').where('id', second!.id).first();
    expect(person.verification_status).to.equal('rejected');
  });

  it('has applications, reports and tax numbers', async () => {
    const user = await aUser(service.database);
    const id = await application(knex(), user.id);
    await press('Applications', 'Prairie Gate', 'Approve application');
    expect((await knex()('seller_applications').where({ id }).first()).status).to.equal('approved');
    const lot = await aLot(service.database, { title: 'A doubtful plough' });
    await knex()('lot_reports').insert({ lot_id: lot.id, user_id: user.id, reason: 'fraud' });
    await press('Reports', 'A doubtful plough', 'Close report');
    await taxNumber(knex(), user.id);
    await press('Tax numbers', 'DE1', 'Approve tax number');
    expect((await office.get(QUEUE)).text).to.include('Nothing waits for you.');
  });

  it('has money that no invoice took with the invoice that it was meant for, and disputes with their amount', async () => {
    const { invoice } = await aSale(service, 50_000);
    const payment = paymentOf(invoice);
    await report(service, { object: payment });
    await report(service, { object: paymentOf(invoice) });
    const { invoice: other } = await aSale(service, 50_000);
    await reportDispute(service, payment, 'created', { amount: 12_300 });
    const page = await office.get(QUEUE);
    expect(sectionIn(page, 'Disputes')).to.include('$123.00').and.include(invoice.invoice_number);
    expect(sectionIn(page, 'Money unmatched'))
      .to.include(invoice.invoice_number)
      .and.match(/\$5\d\d\.\d\d/);
    const closed = formIn(page, 'Money unmatched', invoice.invoice_number, 'Allocate');
    const refused = await office.post(closed.action, closed.fields);
    expect([refused.status, refused.text.includes('not open')]).to.deep.equal([409, true]);
    await knex()('invoices').where('id', other.id).update({ user_id: invoice.user_id });
    await press('Money unmatched', invoice.invoice_number, 'Allocate', { invoice: other.invoice_number });
    expect((await knex()('invoices').where('id', other.id).first()).status).to.equal('paid');
    const number = await moneySetAside(service);
    expect(sectionIn(await office.get(QUEUE), 'Money set aside')).to.include('The provider is away.');
    await press('Money set aside', number, 'Try again');
    expect(await knex()('money_tries')).to.deep.equal([]);
    const object = { id: 'pi_for_nothing', amount: 700, currency: 'usd', metadata: {} };
    await report(service, { object });
    const { id: payment_id } = await knex()('payments').where('payment_id', object.id).first();
    const tried = { tries: 10, reason: 'It does not answer.', next_at: new Date(), set_aside_at: new Date() };
    await knex()('money_tries').insert({ payment_id, ...tried });
    expect(sectionIn(await office.get(QUEUE), 'Money set aside'))
      .to.include(object.id)
      .and.include('$7.00');
    expect((await office.get('/office/money')).text).to.include('It does not answer.');
    await press('Money set aside', object.id, 'Refund', { reason: 'once more' });
    expect((await knex()('payments').where('id', payment_id).first()).status).to.equal('refunded');
    expect(await knex()('money_tries')).to.deep.equal([]);
  });

  it('has jobs that failed for good, done again or forgotten', async () => {
    const address = queueAddressOf(service.config, service.redis.redisUrl);
    const queue = openQueue<null>(address, 'media');
    for (const name of ['resize', 'sort']) await queue.add(name, null, { attempts: 1 });
    const failing = async () => {
      throw new Error('The disk is full.');
    };
    const worker = startQueueWorker<null>(address, 'media', {
      handlers: { resize: failing, sort: failing },
      onError: () => {},
    });
    await eventually(async () => (await queue.counts())['failed'] === 2);
    await worker.close();
    expect(sectionIn(await office.get(QUEUE), 'Failed jobs')).to.include('The disk is full.');
    const after = await press('Failed jobs', 'media: resize', 'Try again');
    expect(sectionIn(after, 'Failed jobs')).to.include('sort').and.not.include('resize');
    await press('Failed jobs', 'media: sort', 'Discard', { reason: 'It is sorted.' });
    expect(await queue.counts()).to.include({ failed: 0, waiting: 1 });
    await queue.close();
  });

  it('has lots that Postgres refused, mails that were given up, and no more of each than can be read', async () => {
    const lot = await aLot(service.database, { title: 'Kept from going on' });
    const auction_id = lot.auction_id;
    const [failure] = await knex()('projection_failures')
      .insert({ shard: 0, subject: 'x', auction_id, lot_id: lot.id, error: 'too long', reported_at: 'now' })
      .returning('id');
    const failed_at = knex().fn.now();
    await knex()('mails').insert(
      Array.from({ length: 23 }, (_, n) => ({
        event_key: `mail-${n}`,
        recipient: `nobody-${n}@example.com`,
        kind: 'security',
        about: 'new_sign_in',
        ...{ failed_at, error: 'There is no such mailbox.' },
      })),
    );
    const page = await office.get(QUEUE);
    expect(sectionIn(page, 'Set aside')).to.include('Kept from going on').and.include('too long');
    expect(sectionIn(page, 'Mails not sent')).to.include('new sign in').and.include('and 3 more');
    const open = await office.get(`${QUEUE}/failures/${failure.id}`);
    expect(open.text).to.include('Kept from going on');
    await knex()('projection_failures').delete();
    await knex()('mails').delete();
  });
});
