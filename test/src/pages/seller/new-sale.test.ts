/** The form of a new sale: four questions, the rest folded up, and everything as an earlier sale of the team had it. */
import { expect } from 'chai';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf, sendNewSale } from './seller-at-desk.ts';

const NEW = '/seller/auctions/new';
const FORM = '/seller/auctions';

describe('the form of a new sale', () => {
  let service: Service;
  let seller: AtDesk;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
  });
  after(() => service.close());

  const create = (fields: Record<string, string>) => sendNewSale(seller, fields);

  it('asks four questions in plain words, and folds up the rest', async () => {
    const { text } = await seller.browser.get(NEW);
    const form = text.slice(text.indexOf('class="desk-form"'));
    const [asked, folded] = form.split('<details class="folded">');
    const legends = [...asked!.matchAll(/<legend>([^<]+)<\/legend>/g)].map(([, legend]) => legend);
    expect(legends.filter((legend) => legend!.endsWith('?'))).to.deep.equal([
      'What kind of sale is it?',
      'When is it?',
      'Who may bid?',
      'What do you charge?',
    ]);
    for (const name of ['title', 'type', 'end_time', 'registration.mode', 'buyer_premium_percentage'])
      expect(asked, name).to.include(`name="${name}"`);
    expect(folded).to.include('name="delivery"').and.include('name="increments.0.from"');
    expect(asked)
      .to.match(/<select[^>]* name="currency"/)
      .and.include('EUR · Euro');
    const labels = [...form.matchAll(/<label[^>]*>(?:<input[^>]*> )?(?:<span>)?([^<]+)/g)].map(
      ([, label]) => label,
    );
    expect(labels.length).to.be.above(30);
    expect(labels.filter((label) => /_|\b(seconds|percentage|id)$/i.test(label!))).to.deep.equal([]);
  });

  it('asks for what means something where lots are sold so, and shows no more of the sale', async () => {
    const fieldsFor = async (fields: Record<string, string>) => {
      const { text } = await seller.browser.post(FORM, { title: 'Asked', ...fields, step: 'fields' });
      return ['soft_close.window_seconds', 'stagger_seconds', 'choice_seconds', 'sell_parts'].filter((name) =>
        text.includes(`name="${name}"`),
      );
    };
    const asked = [
      await fieldsFor({ format: 'timed', type: 'timed' }),
      await fieldsFor({ format: 'timed', type: 'simulcast' }),
      await fieldsFor({ format: 'falling', type: 'simulcast' }),
      await fieldsFor({ format: 'parcels', type: 'timed' }),
      await fieldsFor({ format: 'parcels', type: 'simulcast' }),
    ];
    expect(asked).to.deep.equal([
      ['soft_close.window_seconds', 'stagger_seconds'],
      ['choice_seconds'],
      ['stagger_seconds'],
      ['soft_close.window_seconds', 'sell_parts'],
      ['sell_parts'],
    ]);
    const saved = async (type: string) => {
      const made = await create({ title: `Sold ${type}`, type });
      expect(made.status, made.text).to.equal(303);
      return (await seller.browser.get(made.location ?? '')).text;
    };
    for (const name of ['Late bids', 'Between the ends of lots']) {
      expect(await saved('timed'), name).to.include(`<dt>${name}</dt>`);
      expect(await saved('simulcast'), name).to.not.include(`<dt>${name}</dt>`);
    }
  });

  it('opens what is folded up where something in it is wrong', async () => {
    const refused = await create({ 'increments.0.from': '5', 'increments.0.increment': '5' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('<details class="folded" open>');
  });

  it('begins like an earlier sale of the team, but for its name and times', async () => {
    const made = await create({
      ...{ title: 'Spring sale', currency: 'eur', buyer_premium_percentage: '17.5', delivery: 'By lorry.' },
      ...{ 'registration.mode': 'approval', 'soft_close.window_seconds': '2' },
    });
    expect(made.status, made.text).to.equal(303);
    const id = Number(/auctions\/(\d+)/.exec(made.location ?? '')?.[1]);
    const page = await seller.browser.get(NEW);
    expect(page.text).to.include(`<a href="${NEW}?like=${id}">Spring sale</a>`);
    const fields = formOf(await seller.browser.get(`${NEW}?like=${id}`), FORM);
    expect(fields).to.include({
      ...{ currency: 'eur', buyer_premium_percentage: '17.50', delivery: 'By lorry.' },
      ...{ 'registration.mode': 'approval', 'soft_close.window_seconds': '2' },
      ...{ title: '', start_time: '', end_time: '' },
    });
    const again = await seller.browser.post(FORM, {
      ...fields,
      ...{ title: 'Autumn sale', start_time: '2027-09-01T10:00', end_time: '2027-09-02T10:00' },
    });
    expect(again.status, again.text).to.equal(303);
    const other = await aSellerAtDesk(service);
    expect((await other.browser.get(`${NEW}?like=${id}`)).status).to.equal(404);
  });
});
