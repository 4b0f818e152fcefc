/** What people ask a seller before they bid: questions for all to read, private words, reports, and viewings. */
import { expect } from 'chai';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('asking a seller', () => {
  let service: Service;
  let asker: User;
  let seller: User;
  let [token, other, sellers]: string[] = [];
  let teamId: number;
  let auction: { id: number; slug: string };
  let lotId: number;

  const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  before(async () => {
    service = await startService();
    const { database } = service;
    const known = { password_hash: quickHash(PASSWORD), verified: true };
    [asker, seller] = [await aUser(database, known), await aUser(database, known)];
    token = await service.tokenFor(asker);
    other = await service.tokenFor(await aUser(database));
    sellers = await service.tokenFor(seller, ['read', 'write', 'seller']);
    teamId = (await aTeam(database, { owner: seller, name: 'Prairie Gate' })).id;
    auction = await anAuction(database, { team_id: teamId, title: 'Farm tools', end_time: later(100) });
    lotId = (await aLot(database, { auction_id: auction.id, title: 'Plough' })).id;
    await service.publish();
  });
  after(() => service.close());

  const post = (path: string, body: object, bearer: string | undefined = token) =>
    service.call('POST', `/api/v1${path}`, { token: bearer, body });
  const desk = (method: string, path: string, body?: object) =>
    service.call(method, `/api/v1/seller${path}`, {
      token: sellers,
      headers: { 'x-team-id': String(teamId) },
      ...(body === undefined ? {} : { body }),
    });
  const questions = async (bearer?: string): Promise<JsonValue> =>
    (await service.get(`/api/v1/lots/${lotId}/questions`, bearer)).body.data;

  it('is read by all once it is answered, and nobody is told who asked', async () => {
    const asked = await post(`/lots/${lotId}/questions`, { text: ' Does it run? ' });
    expect(asked.status, asked.text).to.equal(201);
    expect(asked.body.data).to.include({ text: 'Does it run?', answer: null, answered_at: null });
    expect(await questions()).to.deep.equal([]);
    expect(await questions(other)).to.deep.equal([]);
    expect(await questions(token)).to.deep.equal([asked.body.data]);
    const [open] = (await desk('GET', '/questions')).body.data;
    expect(open).to.include({ id: asked.body.data.id, lot_id: lotId, lot_title: 'Plough', hidden: false });
    expect(open).not.to.have.property('user_id');
    const answered = await desk('PATCH', `/questions/${open.id}`, { answer: 'Like new.' });
    expect(answered.status, answered.text).to.equal(200);
    const [shown] = await questions();
    expect(shown).to.include({ text: 'Does it run?', answer: 'Like new.' });
    expect(Object.keys(shown).sort()).to.deep.equal(['answer', 'answered_at', 'asked_at', 'id', 'text']);
    expect((await desk('PATCH', `/questions/${open.id}`, { hidden: true })).body.data.hidden).to.equal(true);
    expect(await questions()).to.deep.equal([]);
    expect(await questions(token)).to.deep.equal([]);
    expect((await desk('PATCH', `/questions/${open.id}`, {})).status).to.equal(422);
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    const foreign = await service.call('PATCH', `/api/v1/seller/questions/${open.id}`, {
      token: stranger,
      body: { answer: 'x' },
    });
    expect(foreign.status).to.be.oneOf([403, 404]);
  });

  it('ends a set time before the lot, and takes no empty or endless words, nor the team’s own', async () => {
    for (const text of ['', '   ', 'x'.repeat(2_001)])
      expect((await post(`/lots/${lotId}/questions`, { text })).status, text.slice(0, 5)).to.equal(422);
    expect((await post(`/lots/${lotId}/questions`, { text: 'x' }, sellers)).status).to.equal(403);
    expect((await post('/lots/999999/questions', { text: 'x' })).status).to.equal(404);
    const changed = await desk('PATCH', `/auctions/${auction.id}`, { questions_close_hours: 120 });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.data.questions_close_hours).to.equal(120);
    expect((await service.get(`/api/v1/auctions/${auction.id}`)).body.data.questions_close_hours).to.equal(
      120,
    );
    const late = await post(`/lots/${lotId}/questions`, { text: 'Too late?' });
    expect([late.status, late.body.code]).to.deep.equal([409, 'questions_closed']);
    await desk('PATCH', `/auctions/${auction.id}`, { questions_close_hours: 24 });
    const many = await aUser(service.database);
    const bearer = await service.tokenFor(many);
    const row = { lot_id: lotId, user_id: many.id, text: 'x' };
    await service.database.knex('lot_questions').insert(Array.from({ length: 49 }, () => row));
    const both = await Promise.all([1, 2].map(() => post(`/lots/${lotId}/questions`, { text: 'y' }, bearer)));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 422]);
    await service.database.knex('lot_questions').where('user_id', many.id).delete();
  });

  it('is private by an enquiry, and reaches staff by a report', async () => {
    const { knex } = service.database;
    const enquiry = await post(`/lots/${lotId}/enquiries`, { text: 'May I come on Sunday?' });
    expect([enquiry.status, Object.keys(enquiry.body.data)]).to.deep.equal([201, ['id']]);
    expect(await knex('lot_enquiries').where('user_id', asker.id)).to.have.length(1);
    const report = await post(`/lots/${lotId}/reports`, { reason: 'fraud', text: 'I know this plough.' });
    expect(report.status, report.text).to.equal(201);
    expect((await post(`/lots/${lotId}/reports`, { reason: 'boring' })).status).to.equal(422);
    expect((await post(`/lots/${lotId}/reports`, { reason: 'fraud' }, undefined)).status).to.be.oneOf([
      201, 401,
    ]);
    const admin = await aUser(service.database, {
      password_hash: quickHash(PASSWORD),
      verified: true,
      is_admin: true,
    });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    expect((await browser.get('/office/reports')).text).to.contain('I know this plough.');
    const closed = await browser.post('/office/reports/close', {
      report: String(report.body.data.id),
      reason: 'looked at',
    });
    expect(closed.status, closed.text.slice(0, 300)).to.equal(303);
    expect((await browser.get('/office/reports')).text).not.to.contain('I know this plough.');
  });

  it('books a viewing by its slot, for one person each, with a calendar file', async () => {
    const from = new Date(Math.ceil((Date.now() + 3_600_000) / 3_600_000) * 3_600_000);
    const to = new Date(from.getTime() + 3_600_000);
    const open = { from: later(30), to: later(34), place: 'The yard', slot_minutes: null };
    const slotted = { from: from.toISOString(), to: to.toISOString(), place: 'Barn 2', slot_minutes: 20 };
    const set = await desk('PATCH', `/auctions/${auction.id}`, { viewings: [open, slotted] });
    expect(set.status, set.text).to.equal(200);
    const path = `/auctions/${auction.id}/viewings`;
    const list = async (bearer?: string): Promise<JsonValue> =>
      (await service.get(`/api/v1${path}`, bearer)).body.data;
    const slots = await list();
    expect(slots.map(({ place, free }: JsonValue) => [place, free])).to.deep.equal([
      ...[1, 2, 3].map(() => ['Barn 2', true]),
      ['The yard', true],
    ]);
    expect(Date.parse(slots[1].from) - Date.parse(slots[0].from)).to.equal(1_200_000);
    for (const { from, to } of slots) expect(`${from} ${to}`).to.match(/\.\d{6}Z .*\.\d{6}Z$/);
    const [first, second, , day] = slots;
    const races = await Promise.all(
      [token, other].map((bearer) => post(`${path}/${first.id}/booking`, {}, bearer)),
    );
    expect(races.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect(races.find(({ status }) => status === 409)?.body.code).to.equal('slot_taken');
    expect((await list())[0].free).to.equal(false);
    const booked = await post(`${path}/${second.id}/booking`, {});
    expect(booked.body.data).to.deep.equal({
      id: second.id,
      from: second.from,
      to: second.to,
      place: 'Barn 2',
    });
    expect((await post(`${path}/${second.id}/booking`, {})).status).to.equal(201);
    expect((await list(token))[1]).to.include({ free: false, is_mine: true });
    for (const bearer of [token, other])
      expect((await post(`${path}/${day.id}/booking`, {}, bearer)).status).to.equal(201);
    expect((await list(token))[3]).to.include({ place: 'The yard', free: true, is_mine: true });
    const calendar = await service.get(`/api/v1${path}/${second.id}/booking.ics`, token);
    expect(calendar.headers.get('content-type')).to.match(/^text\/calendar/);
    expect(calendar.text).to.contain('BEGIN:VEVENT').and.to.contain('LOCATION:Barn 2');
    expect((await service.get(`/api/v1${path}/${second.id}/booking.ics`, other)).status).to.equal(404);
    expect((await post(`${path}/19990101T000000Z/booking`, {})).status).to.equal(404);
    expect((await service.get('/api/v1/auctions/999999/viewings')).status).to.equal(404);
  });

  it('is done on pages without JavaScript', async () => {
    const browser = new BrowserLike(service.url);
    await signIn(browser, asker.email, PASSWORD);
    const page = (await browser.get(`/lots/${lotId}`)).text;
    for (const button of ['Ask a question', 'Contact the seller', 'Report this lot'])
      expect(page).to.contain(`>${button}</button>`);
    const visitors = (await new BrowserLike(service.url).get(`/lots/${lotId}`)).text;
    for (const button of ['Ask a question', 'Contact the seller', 'Report this lot'])
      expect(visitors).to.contain(`href="/sign-in?next=/lots/${lotId}">${button}</a>`);
    expect(page).to.contain(`/auctions/${auction.slug}/viewings">Book a viewing</a>`);
    const asked = await browser.post(`/lots/${lotId}/questions`, { text: 'How old is it?' });
    expect((await browser.get(asked.location!)).text)
      .to.contain('Your question was sent to the seller.')
      .and.to.contain('How old is it?');
    expect((await browser.post(`/lots/${lotId}/questions`, { text: ' ' })).status).to.equal(422);
    const written = await browser.post(`/lots/${lotId}/enquiries`, { text: 'Hello' });
    expect((await browser.get(written.location!)).text).to.contain('Your words were sent to the seller');
    const reported = await browser.post(`/lots/${lotId}/reports`, { reason: 'other', text: '' });
    expect((await browser.get(reported.location!)).text).to.contain('staff will look at it');
    const viewings = (await browser.get(`/auctions/${auction.slug}/viewings`)).text;
    const free = [...viewings.matchAll(/<option value="([^"]+)"/g)].map(([, id]) => id!);
    const booking = await browser.post(`/auctions/${auction.slug}/viewings`, { viewing: free[0]! });
    expect((await browser.get(booking.location!)).text)
      .to.contain('The viewing is booked.')
      .and.to.contain('Add to calendar')
      .and.not.to.contain(`<option value="${free[0]}"`);

    const at = new BrowserLike(service.url);
    await signIn(at, seller.email, PASSWORD);
    await service.database.knex('users').where('id', seller.id).update({ current_team_id: teamId });
    const deskPage = (await at.get('/seller/questions')).text;
    expect(deskPage).to.contain('How old is it?');
    const action = /action="(\/seller\/questions\/\d+)"/.exec(deskPage)![1]!;
    expect(deskPage).to.match(/Waiting for your answer[\s\S]*How old is it\?/);
    const refused = await at.post(action, { answer: '' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('Write an answer first.');
    const answered = await at.post(action, { answer: 'Ten years.' });
    const place = `q${action.split('/').at(-1)}`;
    expect([answered.status, answered.location]).to.deep.equal([303, `/seller/questions#${place}`]);
    // It is read as text from then on, and its form is folded up.
    const after = (await at.get('/seller/questions')).text;
    expect(after).not.to.contain('Waiting for your answer');
    const [, row = ''] = after.split(`id="${place}"`);
    expect(row).to.match(
      /^>[\s\S]*?<p translate="no">Ten years\.<\/p>[\s\S]*?<details><summary>Change the answer/,
    );
    expect((await browser.get(`/lots/${lotId}`)).text).to.contain('Ten years.');
  });
});
