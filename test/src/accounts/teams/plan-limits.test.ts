/** What a team's plan allows it, on every way to one more. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { requirePlanRoom } from '../../../../src/accounts/teams/plan-limits.ts';
import { grantSubscription } from '../../../../src/billing/subscriptions/subscriptions.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { type Answer, type Service, startService } from '../../../support/service.ts';

describe('limits of plans', () => {
  let service: Service;
  let plans = 0;

  before(async () => {
    service = await startService();
  });

  after(() => service.close());

  async function teamWith(limits: object | null) {
    const owner: User = await aUser(service.database);
    const team = await aTeam(service.database, { owner });
    if (limits !== null) {
      plans += 1;
      const slug = `plan-${plans}`;
      await service.backends.knex('plans').insert({ slug, name: slug, limits: JSON.stringify(limits) });
      await grantSubscription(service.backends.knex, team.id, slug);
    }
    const token = await service.tokenFor(owner, ['seller']);
    const headers = { 'x-team-id': String(team.id) };
    const call = (method: string, path: string, body?: unknown) =>
      service.call(method, `/api/v1/${path}`, { token, body, headers });
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const auction = () => call('POST', 'seller/auctions', { title: 'A', start_time: at(1), end_time: at(2) });
    return { team, call, auction };
  }

  const outcome = (answer: Answer) => [answer.status, answer.body.code ?? null];

  it('bound auctions and lots that are not over', async () => {
    const { call, auction } = await teamWith({ auctions: 1, lots: 2 });
    const first = await auction();
    expect(outcome(first)).to.deep.equal([201, null]);
    const refused = await auction();
    expect(outcome(refused)).to.deep.equal([403, 'plan_limit']);
    expect(refused.body.data).to.deep.equal({ limit: 'auctions', allowed: 1, used: 1 });
    const auctionId = first.body.data.id;
    const lot = { auction_id: auctionId, title: 'L', starting_bid: '1.00' };
    expect((await call('POST', 'seller/lots', lot)).status).to.equal(201);
    const { results } = (await call('POST', 'seller/lots/bulk', { lots: [lot, lot] })).body.data;
    expect(results.map(({ status }: { status: string }) => status)).to.deep.equal(['created', 'failed']);
    const item = await call('POST', 'inventory', { sku: 'S', title: 'T' });
    const items = [{ id: item.body.data.id, starting_bid: '1.00' }];
    const converted = await call('POST', 'inventory/convert-to-lots', { auction_id: auctionId, items });
    expect(outcome(converted)).to.deep.equal([403, 'plan_limit']);
    expect((await call('PATCH', `seller/auctions/${auctionId}`, { status: 'cancelled' })).status).to.equal(
      200,
    );
    expect((await auction()).status, 'the other is over').to.equal(201);
  });

  it('allow none where they say 0, and everything where they say nothing', async () => {
    expect(outcome(await (await teamWith({ auctions: 0 })).auction())).to.deep.equal([403, 'plan_limit']);
    for (const limits of [{}, null]) expect((await (await teamWith(limits)).auction()).status).to.equal(201);
  });

  it('bound members with the owner', async () => {
    const { team, call } = await teamWith({ members: 1 });
    const invited = await call('POST', `teams/${team.id}/invitations`, { email: 'one@example.com' });
    expect(outcome(invited)).to.deep.equal([403, 'plan_limit']);
  });

  it('bound media by their bytes', async () => {
    const { team } = await teamWith({ media_gb: 1 });
    const { knex } = service.backends;
    await requirePlanRoom(knex, team.id, 'media_gb', 1024 ** 3);
    const error = await requirePlanRoom(knex, team.id, 'media_gb', 1024 ** 3 + 1).catch((thrown) => thrown);
    expect(error).to.include({ code: 'plan_limit' });
  });
});
