/** "Sell with us": an application makes a team of its own, its applicant follows it, staff approve or decline. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const PATH = '/api/v1/me/seller-applications';
const ABOUT = {
  name: 'Prairie Gate Auctions',
  legal_name: 'Prairie Gate LLC',
  address: '12 Main Street, Salina',
  sells: 'Farm machinery and land',
  phone: '+1 785 555 0134',
  website: 'https://prairiegate.example',
  sales_per_year: '5_to_20',
};

describe('applications to sell', () => {
  let service: Service;
  let knex: Knex;
  let office: BrowserLike;

  before(async () => {
    service = await startService();
    knex = service.database.knex;
    office = await browserOf(await person({ is_admin: true }));
  });

  after(() => service.close());

  const person = (columns: object = {}) =>
    aUser(service.database, { password_hash: quickHash(PASSWORD), ...columns });

  async function browserOf(user: User): Promise<BrowserLike> {
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    return browser;
  }

  const tokenFor = (user: User) => service.tokenFor(user, ['read', 'write', 'seller']);
  const send = (token: string, body: object) => service.call('POST', PATH, { token, body });

  async function decide(id: number, name: 'approve' | 'decline', reason: string) {
    await office.get(`/office/applications/${id}`);
    return (await office.post(`/office/applications/${id}/${name}`, { reason })).status;
  }

  it('make a team of the applicant’s own, and are changed while they wait', async () => {
    const token = await tokenFor(await person());
    const sent = await send(token, { ...ABOUT, legal_name: ` ${ABOUT.legal_name} ` });
    expect(sent.status, sent.text).to.equal(201);
    const { id, team_id } = sent.body.data;
    const waiting = { ...ABOUT, status: 'submitted', reason: null, decided_at: null };
    expect(sent.body.data).to.include({ ...waiting, slug: 'prairie-gate-auctions' });
    const { body: me } = await service.get('/api/v1/me', token);
    const team = me.data.teams.find((one: { id: number }) => one.id === team_id);
    expect(team).to.include({ name: ABOUT.name, role: 'owner', personal: false });
    const changes = { name: 'Prairie Gate', website: null, sales_per_year: 'over_50' };
    const changed = await service.call('PATCH', `${PATH}/${id}`, { token, body: changes });
    expect(changed.body.data).to.include({ ...waiting, ...changes, slug: 'prairie-gate' });
    expect((await service.get(PATH, token)).body.data).to.deep.equal([changed.body.data]);
    const other = await tokenFor(await person());
    expect((await service.get(PATH, other)).body.data).to.deep.equal([]);
    const theirs = await service.call('PATCH', `${PATH}/${id}`, { token: other, body: changes });
    expect(theirs.status).to.equal(404);
    for (const bad of [
      { name: ' ' },
      { website: 'no' },
      { sales_per_year: '7' },
      { phone: undefined },
      { x: 1 },
    ])
      expect((await send(token, { ...ABOUT, ...bad })).status, JSON.stringify(bad)).to.equal(422);
  });

  it('are declined with a reason, sent again for the same team, and approved with it', async () => {
    const token = await tokenFor(await person());
    const { body } = await send(token, ABOUT);
    const { id, team_id } = body.data;
    expect((await send(token, { ...ABOUT, team_id })).status, 'one waits already').to.equal(409);
    expect(await decide(id, 'decline', 'There is no licence.')).to.equal(303);
    expect(await decide(id, 'approve', 'A second look.')).to.equal(409);
    const [declined] = (await service.get(PATH, token)).body.data;
    expect(declined).to.include({ status: 'declined', reason: 'There is no licence.' });
    const late = await service.call('PATCH', `${PATH}/${id}`, { token, body: { phone: '1' } });
    expect(late.status).to.equal(409);
    const other = await tokenFor(await person());
    expect((await send(other, { ...ABOUT, team_id })).status, 'another’s team').to.equal(422);
    const again = await send(token, { ...ABOUT, name: 'Gate & Sons', team_id });
    expect(again.body.data).to.include({
      team_id,
      name: 'Gate & Sons',
      slug: 'gate-sons',
      status: 'submitted',
    });
    const queue = (await office.get('/office/applications')).text;
    expect(queue).to.include('Gate &amp; Sons').and.to.include(ABOUT.sells);
    expect(await decide(again.body.data.id, 'approve', 'The licence is here.')).to.equal(303);
    expect((await service.get(PATH, token)).body.data[0]).to.include({ status: 'approved', reason: null });
    expect((await knex('teams').where('id', team_id).first()).approved_at).to.not.equal(null);
    expect((await send(token, { ...ABOUT, team_id })).status, 'approved already').to.equal(409);
  });

  it('are approved with their team, wherever that is done, and the team is renamed at will', async () => {
    const token = await tokenFor(await person());
    const { id, team_id, slug } = (await send(token, { ...ABOUT, name: 'Elm House' })).body.data;
    await office.get(`/office/sellers/${team_id}`);
    await office.post(`/office/sellers/${team_id}/approve`, { reason: 'They are known.' });
    expect((await knex('seller_applications').where('id', id).first()).status).to.equal('approved');
    const rename = (team: number, name: string) =>
      service.call('PATCH', `/api/v1/teams/${team}`, { token, body: { name } });
    const renamed = await rename(team_id, ' Oak House ');
    // Others link to the page of an approved team.
    expect(renamed.body.data).to.include({ name: 'Oak House', slug });
    expect((await rename(team_id, ' ')).status).to.equal(422);
    const { body: me } = await service.get('/api/v1/me', token);
    const own = me.data.teams.find(({ personal }: { personal: boolean }) => personal);
    if (own !== undefined) expect((await rename(own.id, 'Mine')).status).to.equal(422);
  });

  it('are bounded: three of a person wait, twenty are sent', async () => {
    const user = await person();
    const token = await tokenFor(user);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await send(token, ABOUT)).status);
    expect(statuses).to.deep.equal([201, 201, 201, 422]);
    await knex('seller_applications').where('user_id', user.id).update({ status: 'declined', reason: 'no' });
    const { id, created_at, ...row } = await knex('seller_applications').where('user_id', user.id).first();
    await knex('seller_applications').insert(Array(16).fill(row));
    expect([(await send(token, ABOUT)).status, (await send(token, ABOUT)).status]).to.deep.equal([201, 422]);
  });

  it('start at the start page, and show their state to the applicant', async () => {
    const visitor = new BrowserLike(service.url);
    const [front = ''] = (await visitor.get('/')).text.split('<footer');
    expect(front).to.include(`<a href="/sell">Sell with us</a>`);
    const page = (await visitor.get('/sell')).text;
    expect(page).to.include('<h1>Sell with us</h1>').and.to.include('href="/sign-up?next=%2Fsell"');
    expect((await visitor.post('/sell', ABOUT)).location).to.include('/sign-in');
    const browser = await browserOf(await person());
    expect((await browser.get('/sell')).text).to.include('Name of your auction house');
    const wrong = await browser.post('/sell', { ...ABOUT, phone: '' });
    expect(wrong.status).to.equal(422);
    expect(wrong.text)
      .to.include(ABOUT.legal_name)
      .and.to.match(/id="field-phone-error">Phone is required\./);
    expect(wrong.text).not.to.include('field is required');
    const german = await browser.post('/sell', { ...ABOUT, phone: '' }, { 'accept-language': 'de' });
    expect(german.text).to.match(/id="field-phone-error">Telefon\w* ist erforderlich\./);
    expect((await browser.post('/sell', ABOUT)).location).to.equal('/sell?done=sent');
    const sent = (await browser.get('/sell?done=sent')).text;
    expect(sent).to.include('Waiting for our staff').and.to.include(ABOUT.name);
    const id = Number(/\/sell\?change=(\d+)/.exec(sent)?.[1]);
    await browser.get(`/sell?change=${id}`);
    const change = { ...ABOUT, name: 'New Gate', website: '', application: String(id) };
    expect((await browser.post('/sell', change)).location).to.equal('/sell?done=changed');
    expect(await knex('seller_applications').where('id', id).first()).to.include({ website: null });
    expect(await decide(id, 'decline', 'Write where you store things.')).to.equal(303);
    const declined = (await browser.get('/sell')).text;
    expect(declined).to.include('Write where you store things.').and.to.include(`/sell?again=${id}`);
    const form = (await browser.get(`/sell?again=${id}`)).text;
    expect(form).to.include('value="New Gate"').and.to.include('name="team_id"');
    const stranger = await browserOf(await person());
    expect((await stranger.get(`/sell?change=${id}`)).status).to.equal(404);
  });
});
