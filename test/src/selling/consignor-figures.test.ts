/** What a consignor's page says of a sale is what the settlement says, whatever becomes of the sale. */
import { expect } from 'chai';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../src/billing/invoices/invoice.model.ts';
import { approveSettlement, paySettlement } from '../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { readConsignorStatement } from '../../../src/selling/consignments/consignor-statement.ts';
import { type Staff, staffOf } from '../../support/billing.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { paymentOf, projectAuction, report, reportDispute, sell } from '../../support/money.ts';
import { SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

const HAMMER_CENTS = 10_000;
/** Of it a tenth is premium. */
const BACK_CENTS = 1_100;
/** What becomes of the sales, lot by lot. */
const CASES = ['whole', 'refunded in part', 'fallen through', 'charged back'] as const;

type Case = (typeof CASES)[number];

/** Hammer price, commission, what else there is, and what is left; nulls where the sale fell through. */
type Figures = readonly (number | null)[];

const NOTHING: Figures = [null, null, null, null];

describe('a consignor’s figures', () => {
  let service: Service;
  let team: SellingTeam;
  let staff: Staff;

  before(async () => {
    service = await startService({ env: { DISPUTES_BORNE_BY: 'seller' } });
    team = await SellingTeam.of(service);
    staff = staffOf(service);
  });
  after(() => service.close());

  /** An auction that is over, with a lot for each case and its buyer's invoice. */
  async function sold() {
    const { database, backends } = service;
    const { knex } = database;
    const auction = await anAuction(database, { team_id: team.id, buyer_premium_bps: 1_000 });
    const lots = new Map<Case, number>();
    for (const title of CASES) lots.set(title, (await aLot(database, { auction_id: auction.id, title })).id);
    await publishAuction(backends, auction.id);
    for (const lotId of lots.values())
      await sell(backends.engine, lotId, await aUser(database), HAMMER_CENTS);
    await projectAuction(database, backends.redis, auction.id);
    await knex('auctions').where('id', auction.id).update({ status: 'ended' });
    const invoices = new Map<Case, Invoice>();
    for (const [title, lotId] of lots)
      invoices.set(title, (await knex('invoices').where('lot_id', lotId).first<Invoice>())!);
    const links = {
      plain: await link(lots, null),
      same: await link(lots, '5'),
      own: await link(lots, '12.5'),
    };
    return { auctionId: auction.id, invoices, links };
  }

  async function link(lots: ReadonlyMap<Case, number>, commission: string | null): Promise<string> {
    const body = { name: 'Estate', lot_ids: [...lots.values()] };
    const made = await team.call('POST', 'seller/consignor-links', {
      ...body,
      ...(commission === null ? {} : { commission_percentage: commission }),
    });
    expect(made.status, made.text).to.equal(201);
    return made.body.data.url.split('/').at(-1);
  }

  type Sold = Awaited<ReturnType<typeof sold>>;

  /** All buyers have paid but one, whose sale has fallen through unless it is to do so `later`. */
  async function pay({ invoices }: Sold, later: boolean) {
    const payments = new Map<Case, Record<string, unknown>>();
    for (const [title, invoice] of invoices) {
      if (title === 'fallen through' && !later) await staff.voidInvoice(invoice.invoice_number);
      else {
        const payment = paymentOf(invoice);
        payments.set(title, payment);
        await report(service, { object: payment });
      }
    }
    return payments;
  }

  /** Money goes back, of one sale as a refund and of another by a dispute that is lost. */
  async function giveBack(payments: ReadonlyMap<Case, Record<string, unknown>>) {
    const refunded = { ...payments.get('refunded in part'), amount: BACK_CENTS };
    await report(service, { type: 'charge.refunded', object: refunded });
    const contested = payments.get('charged back') ?? {};
    await reportDispute(service, contested, 'created', { amount: BACK_CENTS });
    await reportDispute(service, contested, 'closed', { amount: BACK_CENTS, status: 'lost' });
  }

  async function onPage(token: string) {
    const statement = (await readConsignorStatement(service.database.knex, token))!;
    const figures: Record<string, Figures> = {};
    for (const row of statement.rows)
      figures[row.title] = [row.hammer_cents, row.commission_cents, row.other_cents, row.net_cents];
    return { figures, rows: statement.rows, totals: statement.totals };
  }

  async function settled(auctionId: number) {
    const { knex } = service.database;
    const { id } = await knex('settlements').where({ auction_id: auctionId, kind: 'auction' }).first();
    const figures: Record<string, Figures> = {};
    for (const line of await knex('settlement_lines').where('settlement_id', id))
      figures[line.title] =
        line.settled_by === 'nobody'
          ? NOTHING
          : [line.hammer_cents, line.commission_cents, line.adjustment_cents, line.net_cents];
    return { id, figures };
  }

  /** By hand, at 12.5 per cent: of what is given back a tenth was premium, and what is lost is the seller's whole. */
  const OWN = {
    whole: [10_000, 1_250, 0, 8_750],
    'refunded in part': [10_000, 1_125, -1_000, 7_875],
    'fallen through': NOTHING,
    'charged back': [10_000, 1_250, -1_100, 7_650],
  };

  it('are those of the settlement, by the settlement’s commission and by one that is agreed', async () => {
    const sale = await sold();
    await settleAuctions(service.database.knex);
    await giveBack(await pay(sale, false));
    const { figures } = await settled(sale.auctionId);
    expect((await onPage(sale.links.plain)).figures).to.deep.equal(figures);
    expect((await onPage(sale.links.same)).figures).to.deep.equal(figures);
    const own = await onPage(sale.links.own);
    expect(own.figures).to.deep.equal(OWN);
    expect(own.totals[0]).to.include({ lots: 3, hammerCents: 30_000n, netCents: 24_275n, paidOutCents: 0n });
  });

  it('are those that the settlement will have, where a commission is agreed', async () => {
    const sale = await sold();
    await giveBack(await pay(sale, false));
    const before = (await onPage(sale.links.same)).figures;
    expect((await onPage(sale.links.own)).figures).to.deep.equal(OWN);
    // Nobody knows yet what the seller's commission will be.
    const { figures } = await onPage(sale.links.plain);
    expect(figures['whole']).to.deep.equal([10_000, null, null, null]);
    await settleAuctions(service.database.knex);
    expect(before).to.deep.equal((await settled(sale.auctionId)).figures);
  });

  it('follow what changes after the pay-out, as the next settlement does', async () => {
    const { knex } = service.database;
    const sale = await sold();
    await settleAuctions(knex);
    const payments = await pay(sale, true);
    const { id } = await settled(sale.auctionId);
    await approveSettlement(knex, id);
    await paySettlement(knex, id);
    await giveBack(payments);
    await staff.refund(sale.invoices.get('fallen through')!.invoice_number);
    const rows: { title: string; net: number }[] = await knex('settlement_lines as n')
      .where('n.settlement_id', id)
      .select(
        'n.title',
        knex.raw(`(n.net_cents + (SELECT coalesce(sum(d.amount_cents), 0) FROM settlement_adjustments d
          WHERE d.lot_id = n.lot_id))::bigint AS net`),
      );
    const expected = Object.fromEntries(rows.map(({ title, net }) => [title, net]));
    for (const name of ['plain', 'same'] as const) {
      const page = await onPage(sale.links[name]);
      const shown = page.rows.map(({ title, net_cents }) => [title, net_cents ?? 0]);
      expect(Object.fromEntries(shown), name).to.deep.equal(expected);
      expect(page.rows.every(({ paid_out_at: at }) => at !== null)).to.equal(true);
    }
    expect((await onPage(sale.links.own)).figures).to.deep.equal(OWN);
  });

  it('are paid out when what came later is, too', async () => {
    const { knex } = service.database;
    const sale = await sold();
    await settleAuctions(knex);
    await pay(sale, true);
    const { id } = await settled(sale.auctionId);
    await approveSettlement(knex, id);
    await paySettlement(knex, id);
    const { lot_id: lotId } = sale.invoices.get('whole')!;
    const shape = { auction_id: sale.auctionId, lot_id: lotId, kind: 'sale', description: 'sold again' };
    const isOut = async () =>
      (await onPage(sale.links.plain)).rows.find((row) => row.id === lotId)?.paid_out_at !== null;
    expect(await isOut()).to.equal(true);
    const [next] = await knex('settlements')
      .insert({
        ...{ statement_number: 'SET-2000-00001', kind: 'adjustment', auction_id: sale.auctionId },
        ...{ team_id: team.id, status: 'pending', currency: 'usd', commission_bps: 0 },
      })
      .returning('id');
    await knex('settlement_adjustments').insert({ ...shape, settlement_id: next.id, amount_cents: 700 });
    expect(await isOut()).to.equal(false);
    await knex('settlements').where('id', next.id).update({ status: 'paid', paid_at: new Date() });
    expect(await isOut()).to.equal(true);
    // No sale stands behind them.
    await knex('settlement_adjustments').where('settlement_id', next.id).delete();
    await knex('settlements').where('id', next.id).delete();
  });
});
