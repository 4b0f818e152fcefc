/** The team's second factor and pay-out account at the desk: who sees and changes them, and after which proof. */
import { expect } from 'chai';
import { readPayoutAccount } from '../../../../src/accounts/teams/payout-account.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, PASSWORD } from './seller-at-desk.ts';

const PATH = '/seller/safety';
const ACCOUNT = `${PATH}/payout-account`;
const IBAN = 'DE89370400440532013000';

describe('the safety of a team at the desk', () => {
  let service: Service;
  let seller: AtDesk;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  const save = (fields: object = {}, browser = seller.browser) =>
    browser.post(ACCOUNT, { holder: 'Acres Ltd', account: IBAN, bank_code: '', ...fields });

  it('keeps the account sealed, shows its last digits, and all of it to who has just signed in', async () => {
    expect((await seller.browser.get(PATH)).text).to.contain('There is none yet');
    expect((await save({ account: 'de89 3704 0044 0532 0130 00' })).location).to.equal(PATH);
    const page = await seller.browser.get(PATH);
    expect(page.text).to.contain('3000').and.not.to.contain(IBAN);
    expect((await seller.browser.get(ACCOUNT)).text).to.contain(IBAN);
    const [row] = await knex()('payout_accounts').where('team_id', seller.team.id);
    expect(JSON.stringify(row)).not.to.contain('0532013');
    const secrets = service.config.appSecrets;
    expect(await readPayoutAccount(knex(), secrets, seller.team.id)).to.deep.equal({
      holder: 'Acres Ltd',
      account: IBAN,
      bankCode: null,
    });
    const actions: string[] = await knex()('activity').where('team_id', seller.team.id).pluck('action');
    expect(actions).to.include.members(['see_payout_account', 'change_payout_account']);
  });

  it('refuses invalid accounts, next to the field', async () => {
    for (const [field, fields] of [
      ['account', { account: 'DE88370400440532013000' }],
      ['account', { account: 'x' }],
      ['bank_code', { account: '12345678', bank_code: '' }],
      ['bank_code', { account: '12345678', bank_code: 'no' }],
      ['holder', { holder: ' ' }],
    ] as const) {
      const page = await save(fields);
      expect(page.status, field).to.equal(422);
      expect(errorBeside(page, field), field).to.be.a('string');
    }
    expect((await save({ account: '12345678', bank_code: '021000021' })).location).to.equal(PATH);
  });

  it('asks again a quarter of an hour after the last proof, before it is shown or changed', async () => {
    const browser = new BrowserLike(service.url);
    await signIn(browser, seller.user.email, PASSWORD);
    await browser.get(PATH);
    const before = Date.now;
    try {
      Date.now = () => before() + 16 * 60_000;
      for (const answer of [await browser.get(ACCOUNT), await save({}, browser)])
        expect(answer.location).to.equal(`/account/prove?next=${encodeURIComponent(ACCOUNT)}`);
      await browser.get('/account/prove');
      await browser.post('/account/prove', { password: PASSWORD, next: ACCOUNT });
      expect((await browser.get(ACCOUNT)).status).to.equal(200);
    } finally {
      Date.now = before;
    }
  });

  it('is for owners and admins, and for no other team', async () => {
    const member = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await knex()('memberships').insert({ team_id: seller.team.id, user_id: member.id, role: 'member' });
    await knex()('users').where('id', member.id).update({ current_team_id: seller.team.id });
    const browser = new BrowserLike(service.url);
    await signIn(browser, member.email, PASSWORD);
    expect((await browser.get(PATH)).text)
      .to.contain('ends in')
      .and.not.to.contain(ACCOUNT);
    expect((await browser.get(ACCOUNT)).status).to.equal(403);
    expect((await save({}, browser)).status).to.equal(403);
    expect((await browser.post(`${PATH}/second-factor`, { require: 'yes' })).status).to.equal(403);
    const other = await aSellerAtDesk(service);
    expect((await other.browser.get(ACCOUNT)).text).not.to.contain('Acres Ltd');
    expect((await new BrowserLike(service.url).get(ACCOUNT)).location).to.match(/^\/sign-in/);
  });

  it('lets holders of a second factor require it of members, and revoke that', async () => {
    const required = async () =>
      (await knex()('teams').where('id', seller.team.id).first('require_two_factor')).require_two_factor;
    const refused = await seller.browser.post(`${PATH}/second-factor`, { require: 'yes' });
    expect([refused.status, await required()]).to.deep.equal([403, false]);
    expect(refused.text).to.contain('second factor');
    await knex()('two_factors').insert({
      user_id: seller.user.id,
      sealed_secret: 'x',
      enabled_at: new Date(),
    });
    for (const require of ['yes', 'no']) {
      const done = await seller.browser.post(`${PATH}/second-factor`, { require });
      expect([done.location, await required()]).to.deep.equal([PATH, require === 'yes']);
    }
  });
});
