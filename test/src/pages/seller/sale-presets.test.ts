/** A new sale begins with a preset of its team, and shows how its lots will end. */
import { expect } from 'chai';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller-at-desk.ts';

const NEW = '/seller/auctions/new';
const FORM = '/seller/auctions';
const TIMES = { start_time: '2027-03-01T10:00', end_time: '2027-03-02T18:00' };

describe('presets of sales', () => {
  let service: Service;
  let seller: AtDesk;
  let token: string;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    token = await service.tokenFor(seller.user, ['seller']);
  });
  after(() => service.close());

  const presets = () => `/api/v1/teams/${seller.team.id}/sale-presets`;
  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, {
      ...{ token, headers: { 'x-team-id': String(seller.team.id) } },
      ...(body && { body }),
    });
  const create = async (fields: Record<string, string>): Promise<number> => {
    const fresh = formOf(await seller.browser.get(NEW), FORM);
    const made = await seller.browser.post(FORM, { ...fresh, title: 'A sale', ...TIMES, ...fields });
    expect(made.status, made.text).to.equal(303);
    return Number(/auctions\/(\d+)/.exec(made.location ?? '')?.[1]);
  };

  it('keep what a sale is set up with under a name, and a new one begins with it', async () => {
    const id = await create({
      ...{ currency: 'eur', buyer_premium_percentage: '17.5', delivery: 'By lorry.' },
      ...{ 'registration.mode': 'approval', 'soft_close.window_seconds': '2', stagger_seconds: '1' },
    });
    const saved = await seller.browser.post(`${FORM}/${id}/preset`, { name: ' Land, online ' });
    expect(saved.location).to.equal(`${FORM}/${id}?done=preset`);
    const again = await seller.browser.post(`${FORM}/${id}/preset`, { name: 'land, ONLINE' });
    expect(again.status).to.equal(422);
    expect(again.text).to.include('The team has a preset of this name.');
    const [preset] = (await call('GET', presets())).body.data;
    expect(preset).to.include({ name: 'Land, online' });
    expect(preset.settings).to.include({ currency: 'eur', delivery: 'By lorry.', stagger_seconds: 60 });
    expect(preset.settings).not.to.have.any.keys('title', 'start_time', 'end_time', 'id', 'slug', 'media');
    expect((await seller.browser.get(NEW)).text).to.include(`href="${NEW}?preset=${preset.id}"`);
    const fields = formOf(await seller.browser.get(`${NEW}?preset=${preset.id}`), FORM);
    expect(fields).to.include({
      ...{ currency: 'eur', buyer_premium_percentage: '17.50', delivery: 'By lorry.' },
      ...{ 'registration.mode': 'approval', 'soft_close.window_seconds': '2', stagger_seconds: '1' },
      ...{ title: '', start_time: '', end_time: '' },
    });
    const times = { start_time: '2027-03-01T10:00:00Z', end_time: '2027-03-02T10:00:00Z' };
    const made = await call('POST', '/api/v1/seller/auctions', {
      ...preset.settings,
      title: 'Next',
      ...times,
    });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data).to.include({ currency: 'eur', delivery: 'By lorry.' });
    const gone = await seller.browser.post(`/seller/presets/${preset.id}/delete`, {});
    expect(gone.location).to.equal(NEW);
    expect((await call('GET', presets())).body.data).to.deep.equal([]);
    expect((await seller.browser.get(`${NEW}?preset=${preset.id}`)).status).to.equal(404);
  });

  it('are at most fifty of a team, of its own sales, for its members', async () => {
    const id = await create({});
    const other = await aSellerAtDesk(service);
    const theirs = await service.tokenFor(other.user, ['seller']);
    const body = { name: 'Mine', auction_id: id };
    expect((await service.call('GET', presets(), { token: theirs })).status).to.equal(404);
    expect((await service.call('POST', presets(), { token: theirs, body })).status).to.equal(404);
    const own = `/api/v1/teams/${other.team.id}/sale-presets`;
    expect((await service.call('POST', own, { token: theirs, body })).status).to.equal(404);
    for (let n = 1; n <= 50; n++)
      expect((await call('POST', presets(), { name: `Preset ${n}`, auction_id: id })).status).to.equal(201);
    const refused = await call('POST', presets(), { name: 'One more', auction_id: id });
    expect(refused.body.errors.name).to.deep.equal(['A team has at most 50 presets.']);
    const [first] = (await call('GET', presets())).body.data;
    expect((await call('DELETE', `${presets()}/${first.id}`)).status).to.equal(204);
    expect((await call('DELETE', `${presets()}/${first.id}`)).status).to.equal(404);
  });
});

describe('the picture of how lots will end', () => {
  let service: Service;
  let seller: AtDesk;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  const plain = (text: string) => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
  const picture = (text: string) => {
    const start = text.indexOf('data-ends');
    return start < 0 ? null : text.slice(start, text.indexOf('</figure>', start));
  };
  const bars = (text: string, name: string) =>
    [
      ...(picture(text) ?? '').matchAll(
        new RegExp(`class="${name}" x="([\\d.]+)"[^>]* width="([\\d.]+)"`, 'g'),
      ),
    ].map(([, x, width]) => [Number(x), Number(width)] as const);

  it('is drawn by the server from what the form says, without anything being saved', async () => {
    const page = await seller.browser.get(NEW);
    expect(plain(picture(page.text) ?? ''))
      .to.include('All lots end together.')
      .and.include('A bid in the last 5 minutes moves the end of its lot by 5 minutes.');
    const before = await service.backends.knex('auctions').count('* as n');
    const typed = {
      ...formOf(page, FORM),
      ...TIMES,
      stagger_seconds: '1.5',
      'soft_close.max_extensions': '3',
    };
    const drawn = await seller.browser.post(FORM, { ...typed, step: 'ends' });
    expect(drawn.status).to.equal(200);
    expect(plain(picture(drawn.text) ?? ''))
      .to.include('Lot after lot, each 1 minute 30 seconds after the one before.')
      .and.include('At most 3 times.')
      .and.include('18:00')
      .and.include('18:04:30');
    const ends = bars(drawn.text, 'end').map(([x]) => x);
    expect(ends).to.deep.equal(ends.toSorted((one, other) => one - other));
    expect(new Set(ends).size).to.equal(4);
    for (const [index, [x, width]] of bars(drawn.text, 'moved').entries())
      expect(x + width, `lot ${index + 1}`).to.be.within((ends[index] ?? 0) + 3, 100);
    expect(formOf(drawn, FORM)).to.include({ stagger_seconds: '1.5', end_time: TIMES.end_time });
    expect(await service.backends.knex('auctions').count('* as n')).to.deep.equal(before);
  });

  it('shows no late bids where they move nothing, and nothing for what the clerk or the format ends', async () => {
    const fields = formOf(await seller.browser.get(NEW), FORM);
    const shown = async (more: Record<string, string>) =>
      (await seller.browser.post(FORM, { ...fields, ...more, step: 'ends' })).text;
    const still = await shown({ 'soft_close.window_seconds': '0' });
    expect(plain(picture(still) ?? '')).to.include('Late bids do not move the end.');
    expect(bars(still, 'moved')).to.deep.equal([]);
    expect(plain(picture(await shown({ type: 'simulcast' })) ?? '')).to.include('The clerk ends each lot');
    expect(
      plain(picture(await shown({ stagger_seconds: 'much', 'soft_close.window_seconds': '' })) ?? ''),
    ).to.include('All lots end together.');
  });
});
