/** Following sellers: over the API and on pages, each once, and nobody but sellers. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aTeam, aUser } from '../../support/builders.ts';
import { SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('following a seller', () => {
  let service: Service;
  let seller: SellingTeam;
  before(async () => {
    service = await startService();
    seller = await SellingTeam.of(service);
  });
  after(() => service.close());

  const followed = async (token: string) =>
    (await service.get('/api/v1/me/following', token)).body.data.map(
      (one: { team_id: number }) => one.team_id,
    );

  it('is done once, undone, and listed with the newest first', async () => {
    const token = await service.tokenFor(await aUser(service.database));
    const other = (await aTeam(service.database)).id;
    const call = async (method: string, teamId: number) =>
      (await service.call(method, `/api/v1/teams/${teamId}/follow`, { token })).status;
    expect([await call('POST', seller.id), await call('POST', seller.id)]).to.deep.equal([201, 200]);
    expect(await call('POST', other)).to.equal(201);
    expect(await followed(token)).to.deep.equal([other, seller.id]);
    expect([await call('DELETE', other), await call('DELETE', other)]).to.deep.equal([200, 200]);
    expect(await followed(token)).to.deep.equal([seller.id]);
  });

  it('finds no team that is no seller, and needs the right token', async () => {
    const user = await aUser(service.database);
    const { id } = await aTeam(service.database, { owner: user, approved: false });
    const call = (token: string | undefined, teamId: number) =>
      service.call('POST', `/api/v1/teams/${teamId}/follow`, { ...(token === undefined ? {} : { token }) });
    expect((await call(await service.tokenFor(user), id)).status).to.equal(404);
    expect((await call(await service.tokenFor(user, ['read']), seller.id)).status).to.equal(403);
    expect((await call(undefined, seller.id)).status).to.equal(401);
  });

  it('is a button on the seller’s page and on its lots, and a list in the account', async () => {
    const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    const { lotId } = await seller.liveLot();
    const { slug } = await service.backends.knex('teams').where('id', seller.id).first();
    const next = `/lots/${lotId}`;
    const press = async (path: string, follow: 'yes' | 'no') => {
      const page = await browser.get(path);
      const back: Record<string, string> = path === `/sellers/${slug}` ? {} : { next: path };
      const answer = await browser.post(`/sellers/${slug}/follow`, { follow, ...back });
      expect([
        page.text.includes(follow === 'yes' ? '>Follow<' : '>Stop following<'),
        answer.location,
      ]).to.deep.equal([true, path]);
    };
    await press(next, 'yes');
    await press(`/sellers/${slug}`, 'no');
    await press(`/sellers/${slug}`, 'yes');
    expect((await browser.get('/account/following')).text).to.contain(`href="/sellers/${slug}"`);
    await press('/account/following', 'no');
    expect((await browser.get('/account/following')).text).to.contain('You follow nobody yet');
    expect((await service.get(next)).text).to.contain(`href="/sign-in?next=${next}">Follow<`);
  });
});
