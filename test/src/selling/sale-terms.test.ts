/** What a buyer gets into, as the seller says it of a sale: what is taken, refused, answered, and shown on the lot. */
import { expect } from 'chai';
import { eventually } from '../../support/market.ts';
import { projectionOf } from '../../support/projection.ts';
import { codeOf, draft, hours, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

const micro = (iso: string) => iso.replace('Z', '000Z');

describe('the terms of a sale', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const from = hours(2);
  const to = hours(3);
  const TERMS = {
    conditions: 'Sold as it is.',
    payment_methods: ['card', 'bank_transfer'],
    payment_due_days: 5,
    viewings: [{ from, to, place: 'The yard', slot_minutes: 30 }],
    collections: [{ from, to }],
    collect_by: hours(200),
    delivery: 'By our own lorry, within 50 miles.',
    premium_bands: [
      { from: '0', percentage: 20 },
      { from: '1000.00', percentage: '12.5' },
    ],
    online_surcharge_percentage: '3',
  };
  const SHOWN = {
    payment_methods: ['card', 'bank_transfer'],
    payment_due_days: 5,
    viewings: [{ from: micro(from), to: micro(to), place: 'The yard', slot_minutes: 30 }],
    collections: [{ from: micro(from), to: micro(to), place: null, slot_minutes: null }],
    collect_by: micro(TERMS.collect_by),
    delivery: TERMS.delivery,
    premium_bands: [
      { from: '0.00', percentage: '20.00' },
      { from: '1000.00', percentage: '12.50' },
    ],
    online_surcharge_percentage: '3.00',
  };

  it('are answered with the auction, to its seller and to everybody', async () => {
    const { auctionId } = await team.liveLot({}, TERMS);
    const own = await team.call('GET', `seller/auctions/${auctionId}`);
    expect(own.body.data).to.deep.include({ ...SHOWN, conditions: TERMS.conditions, conditions_version: 1 });
    const open = await service.get(`/api/v1/auctions/${auctionId}`);
    expect(open.body.data).to.deep.include(SHOWN);
    const { conditions } = open.body.data;
    expect(conditions).to.include({ version: 1, text: TERMS.conditions });
    expect(Date.parse(conditions.published_at)).to.be.closeTo(Date.now(), 60_000);
  });

  it('are none where nothing is said, and go one by one', async () => {
    const made = await team.call('POST', 'seller/auctions', draft());
    const none = {
      conditions: null,
      conditions_version: null,
      payment_methods: [],
      payment_due_days: null,
      viewings: [],
      collections: [],
      collect_by: null,
      delivery: null,
      premium_bands: [],
      online_surcharge_percentage: '0.00',
    };
    expect(made.body.data).to.deep.include(none);
    const path = `seller/auctions/${made.body.data.id}`;
    const changed = await team.call('PATCH', path, { delivery: 'None.', viewings: TERMS.viewings });
    expect(changed.body.data).to.deep.include({ ...none, delivery: 'None.', viewings: SHOWN.viewings });
    const emptied = await team.call('PATCH', path, { delivery: null, viewings: [] });
    expect(emptied.body.data).to.deep.include(none);
  });

  it('have a new version of the conditions with each changed text, and none with the same', async () => {
    const { auctionId } = await team.liveLot({}, { conditions: 'First.' });
    const versionAfter = async (change: object) =>
      (await team.call('PATCH', `seller/auctions/${auctionId}`, change)).body.data.conditions_version;
    expect(await versionAfter({ conditions: 'First.' })).to.equal(1);
    expect(await versionAfter({ conditions: 'Second.' })).to.equal(2);
    expect(await versionAfter({ delivery: 'None.' })).to.equal(2);
    expect(await versionAfter({ conditions: null })).to.equal(null);
    expect(await versionAfter({ conditions: 'First.' })).to.equal(3);
  });

  it('are shown on the lot before anybody signs in, with who sells and what bidding needs', async () => {
    const deposit = { registration: { mode: 'deposit', deposit_amount: '500.00' } };
    const estimates = { estimate_low: '1000.00', estimate_high: '1500.00' };
    const { lotId } = await team.liveLot(estimates, { ...TERMS, ...deposit, sales_tax_percentage: '8.25' });
    const page = (await service.get(`/lots/${lotId}`)).text;
    const plain = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    const under = (heading: string) =>
      plain(page.split(`<h2>${heading}</h2>`)[1]?.split('</section>')[0] ?? '');
    expect(under('To bid here'))
      .to.contain('Pay a $500.00 deposit: it comes back')
      .and.contain('Register to bid');
    expect(under('Terms of sale'))
      .to.contain('20% of the first $1,000.00, 12.5% of what is above $1,000.00; 3% more where')
      .and.contain('8.25% of hammer price and premium')
      .and.contain('Card or bank transfer, within 5 days')
      .and.contain('The yard, by slots of 30 minutes')
      .and.contain('By our own lorry')
      .and.contain('Sold as it is.');
    expect(under('Seller')).to.contain('Sells here since');
    expect(plain(page)).to.contain('Estimate $1,000.00 – $1,500.00');
  });

  const wrong: [string, object, string][] = [
    ['a way to pay that there is not', { payment_methods: ['gold'] }, 'payment_methods.0'],
    ['a negative number of days', { payment_due_days: -1 }, 'payment_due_days'],
    ['a viewing that ends before it begins', { viewings: [{ from: to, to: from }] }, 'viewings[0].to'],
    ['no moment', { collect_by: 'tomorrow' }, 'collect_by'],
    [
      'bands that do not begin at 0',
      { premium_bands: [{ from: '5.00', percentage: 5 }] },
      'premium_bands[0].from',
    ],
    [
      'bands that do not rise',
      {
        premium_bands: [
          { from: 0, percentage: 5 },
          { from: '0.00', percentage: 4 },
        ],
      },
      'premium_bands[1].from',
    ],
    [
      'a band of more than 100',
      { premium_bands: [{ from: 0, percentage: '100.01' }] },
      'premium_bands[0].percentage',
    ],
    ['a surcharge of more than 100', { online_surcharge_percentage: '101' }, 'online_surcharge_percentage'],
  ];
  for (const [what, terms, field] of wrong)
    it(`refuse ${what}`, async () => {
      const refused = await team.call('POST', 'seller/auctions', draft(terms));
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, [field]]);
    });

  it('have estimates of a lot: amounts of its currency, the low one first, amended after a bid', async () => {
    const { lotId } = await team.liveLot({ estimate_low: 1000, estimate_high: '1500.5' });
    const lot = await service.get(`/api/v1/lots/${lotId}`);
    expect(lot.body.data).to.include({ estimate_low: '1000.00', estimate_high: '1500.50' });
    const lower = await team.call('PATCH', `seller/lots/${lotId}`, { estimate_high: '900.00' });
    expect([lower.status, Object.keys(lower.body.errors)]).to.deep.equal([422, ['estimate_high']]);
    await team.bid(lotId, { amount: '100.00' });
    const late = await team.call('PATCH', `seller/lots/${lotId}`, { estimate_low: '1200.00' });
    expect(codeOf(late)).to.deep.equal([409, 'lot_locked']);
    const projection = await projectionOf(service.backends);
    await eventually(() => service.backends.knex('bids').where('lot_id', lotId).first());
    await projection.close();
    const amendment = { changes: { estimate_low: '1200.00' }, reason: 'Seen again.' };
    const answer = await team.call('POST', `seller/lots/${lotId}/amendments`, amendment);
    expect(answer.status, answer.text).to.equal(201);
    const amended = await service.get(`/api/v1/lots/${lotId}`);
    expect(amended.body.data.estimate_low).to.equal('1200.00');
  });
});
