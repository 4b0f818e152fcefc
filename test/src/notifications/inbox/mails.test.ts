/** How the mails of notifications are batched: by sale, and four an hour at most. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { type RunningJobs, startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { addToWatchlist } from '../../../../src/catalog/watchlist/watchlist.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { writtenMails } from '../../../support/mailbox.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('mails of notifications', () => {
  let service: Service;
  let jobs: RunningJobs;
  let [buyer, rival, seller]: User[] = [];
  const tokens = new Map<User, string>();

  before(async () => {
    service = await startService();
    [buyer, rival, seller] = await Promise.all(Array.from({ length: 3 }, () => aUser(service.database)));
    for (const one of [buyer!, rival!]) tokens.set(one, await service.tokenFor(one));
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const call = async (who: User, path: string, body: object) => {
    const answer = await service.call('POST', `/api/v1${path}`, { token: tokens.get(who), body });
    expect(answer.status, answer.text).to.equal(201);
  };
  const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  async function aSale(title: string, lots: number, columns: object, lotColumns: object = {}) {
    const team = await aTeam(service.database, { owner: seller! });
    const auction = await anAuction(service.database, { team_id: team.id, title, ...columns });
    const ids: number[] = [];
    for (let n = 1; n <= lots; n += 1) {
      const named = { auction_id: auction.id, title: `${title} ${n}`, ...lotColumns };
      ids.push((await aLot(service.database, named)).id);
    }
    await service.publish();
    return ids;
  }
  const mailsTo = (who: User) =>
    writtenMails(service).filter(
      (text) => text.includes(`<${who.email}>`) || text.includes(`To: ${who.email}`),
    );
  const ofKind = (who: User, kind: string) =>
    mailsTo(who).filter(
      (text) => text.includes(`X-Rostrum-Kind: ${kind}\r\n`) || text.includes(`X-Rostrum-Kind: ${kind}\n`),
    );
  const knex = () => service.backends.knex;

  it('are one for a sale that ends soon, with every lot of it that is watched', async () => {
    const ids = await aSale('Tools', 3, { end_time: later(40) });
    for (const id of ids) await addToWatchlist(knex(), buyer!.id, id);
    const [mail] = await eventually(async () => {
      const found = ofKind(buyer!, 'ending_soon');
      return found.length > 0 ? found : null;
    });
    for (const n of [1, 2, 3]) expect(mail).to.contain(`Tools ${n}`);
    expect(await knex()('notifications').where({ user_id: buyer!.id, kind: 'ending_soon' })).to.have.length(
      1,
    );
  });

  it('wait for the end of a sale with what was won in it, and then say it all, with one way to pay', async () => {
    const ids = await aSale('Chairs', 3, { buyer_premium_bps: 1_000 }, { buy_now_price_cents: 20_000 });
    for (const id of ids.slice(0, 2)) await call(buyer!, `/lots/${id}/buy-now`, {});
    const won = () => knex()('notifications').where({ user_id: buyer!.id, kind: 'won' });
    await eventually(async () => (await won()).length === 2);
    await new Promise((done) => setTimeout(done, 5_000));
    expect(ofKind(buyer!, 'won')).to.have.length(0);
    await call(buyer!, `/lots/${ids[2]}/buy-now`, {});
    const [mail] = await eventually(async () => {
      const found = ofKind(buyer!, 'won');
      return found.length > 0 ? found : null;
    });
    expect(mail).to.contain('Subject: You won 3 lots, $660.00').and.to.contain('Pay all');
    expect(mail?.match(/Invoice INV-\d{4}-\d{5}: \$220\.00/g)).to.have.length.of.at.least(3);
    expect(ofKind(buyer!, 'invoice')).to.have.length(0);
  });

  it('are four an hour at most; what is more waits, and comes as one', async () => {
    const ids = await aSale('Crates', 8, {});
    // Two were mailed by now; one of four is kept for what is not about being outbid.
    const counted = () => knex()('mails').where('recipient', buyer!.email);
    for (const id of ids) {
      await call(buyer!, `/lots/${id}/bids`, { amount: '100.00' });
      await call(rival!, `/lots/${id}/bids`, { amount: '150.00' });
      await knex()('mail_recipients').where('user_id', buyer!.id).update({ due_at: knex().fn.now() });
    }
    await eventually(async () => (await knex()('outbid_notices').where('user_id', buyer!.id)).length === 8);
    await eventually(async () => (await counted()).length === 3);
    const recipient = () => knex()('mail_recipients').where('user_id', buyer!.id).first();
    await knex()('mail_recipients')
      .where('user_id', buyer!.id)
      .update({ due_at: knex().fn.now(), waits_since: new Date(0) });
    await eventually(async () => Date.parse((await recipient()).due_at) > Date.now() + 3_000_000);
    expect(await counted()).to.have.length(3);
    // An hour later there is one more, of all that has waited.
    await knex()('mails').update('created_at', knex().raw(`created_at - interval '61 minutes'`));
    await knex()('mail_recipients').where('user_id', buyer!.id).update({ due_at: knex().fn.now() });
    await eventually(async () => (await counted()).length === 4);
    const told = () =>
      [
        ...ofKind(buyer!, 'outbid')
          .join('\n')
          .matchAll(/now: Crates (\d)\./g),
      ].map(([, n]) => n);
    await eventually(async () => new Set(told()).size === 8);
  });
});
