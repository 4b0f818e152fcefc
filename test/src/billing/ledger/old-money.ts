/** Rows of the schema as it was before the ledger: sales, deposits, refunds and settlements of one team. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import { MIGRATIONS } from '../../../../adapters/postgres/migrate.ts';

const [SELLER, ANNE, BEN] = [1, 2, 3];
const TEAM = 1;
/** One that waits for its buyers, with deposits, in dollars; one that was paid out, in euros. */
export const [OPEN, PAID_OUT] = [1, 2];
const MOMENT = '2026-11-20T10:00:00Z';

/** What an invoice said before, by its number. */
const INVOICES = {
  // Covered by a deposit for a part.
  'INV-1': {
    lot: 1,
    user: ANNE,
    status: 'paid',
    hammer: 20_000,
    premium: 2_000,
    paid: 19_000,
    credited: 3_000,
  },
  'INV-2': { lot: 2, user: BEN, status: 'open', hammer: 10_000, premium: 1_000, paid: 4_000 },
  'INV-3': { lot: 3, user: BEN, status: 'voided', hammer: 5_000, premium: 500 },
  'INV-4': { lot: 4, user: BEN, status: 'paid', hammer: 8_000, premium: 800, paid: 8_800, refunded: 880 },
  'INV-5': {
    lot: 5,
    user: BEN,
    status: 'refunded',
    hammer: 3_000,
    premium: 300,
    paid: 3_300,
    refunded: 3_300,
  },
  'INV-6': {
    lot: 6,
    user: ANNE,
    status: 'paid',
    hammer: 22_000,
    premium: 2_200,
    paid: 24_200,
    refunded: 2_420,
  },
} as const;
const DEPOSITS = {
  'INV-7': { user: ANNE, status: 'paid', paid: 3_000, refunded: 0, credited: 3_000 },
  'INV-8': { user: BEN, status: 'refunded', paid: 3_000, refunded: 3_000, credited: 0 },
} as const;
const FEES = {
  'INV-9': { auction: OPEN, status: 'draft', cents: 1_860, paid: 0 },
  'INV-10': { auction: PAID_OUT, status: 'paid', cents: 1_100, paid: 1_100 },
} as const;

const currencyOf = (auction: number) => (auction === OPEN ? 'usd' : 'eur');
const idOf = (number: string) => Number(number.slice(4));
const auctionOf = (lot: number) => (lot === 6 ? PAID_OUT : OPEN);

export async function migrateUpToLedger(knex: Knex): Promise<void> {
  const names = (await MIGRATIONS.getMigrations([])).map((file) => MIGRATIONS.getMigrationName(file));
  const before = names.findIndex((name) => name.endsWith('_ledger'));
  expect(names[before + 1]).to.match(/_money_from_postings$/);
  for (let at = 0; at < before; at += 1) await knex.migrate.up({ migrationSource: MIGRATIONS });
}

export async function insertSales(knex: Knex): Promise<void> {
  await knex('users').insert(
    [SELLER, ANNE, BEN].map((id) => ({ id, email: `${id}@example.com`, name: `P${id}` })),
  );
  await knex('teams').insert({ id: TEAM, name: 'Team', slug: 'team' });
  await knex('auctions').insert(
    [OPEN, PAID_OUT].map((id) => ({
      ...{
        id,
        team_id: TEAM,
        title: `A${id}`,
        slug: `a${id}`,
        currency: currencyOf(id),
      },
      ...{ status: id === OPEN ? 'ended' : 'settled', start_time: MOMENT, end_time: '2026-11-21T10:00:00Z' },
    })),
  );
  for (const [number, { lot, user, hammer }] of Object.entries(INVOICES)) {
    await knex('lots').insert({
      ...{
        id: lot,
        auction_id: auctionOf(lot),
        team_id: TEAM,
        lot_number: lot,
        title: `L${lot}`,
        slug: `l${lot}`,
      },
      ...{ starting_bid_cents: 1, status: 'sold', hammer_price_cents: hammer, winner_user_id: user },
    });
    expect(idOf(number)).to.equal(lot);
  }
}

export async function insertInvoices(knex: Knex): Promise<void> {
  const insert = async (number: string, row: object, lines: readonly (readonly [string, number])[]) => {
    const id = idOf(number);
    const moments = { due_at: MOMENT, paid_at: MOMENT };
    await knex('invoices').insert({ id, invoice_number: number, team_id: TEAM, ...moments, ...row });
    await knex('invoice_lines').insert(
      lines.map(([kind, amount_cents], position) => ({
        ...{ invoice_id: id, position, kind, description: kind, amount_cents },
      })),
    );
  };
  for (const [number, one] of Object.entries(INVOICES)) {
    const { lot, user, status, hammer, premium } = one;
    const {
      paid = 0,
      refunded = 0,
      credited = 0,
    } = one as { paid?: number; refunded?: number; credited?: number };
    const auction = auctionOf(lot);
    const row = {
      ...{
        kind: 'winner',
        status,
        user_id: user,
        auction_id: auction,
        lot_id: lot,
        currency: currencyOf(auction),
      },
      ...{ amount_due_cents: hammer + premium - credited, amount_paid_cents: paid },
      ...{ amount_refunded_cents: refunded, credited_cents: credited },
    };
    const lines = [['hammer', hammer] as const, ['premium', premium] as const];
    await insert(number, row, lines);
    if (paid > 0) await insertPayment(knex, number, 'applied', paid, refunded, currencyOf(auction));
  }
  await insertPayment(knex, 'INV-3', 'unallocated', 5_500, 0, 'usd');
  for (const [number, { user, status, paid, refunded, credited }] of Object.entries(DEPOSITS)) {
    const row = {
      ...{
        kind: 'deposit',
        status,
        user_id: user,
        auction_id: OPEN,
        currency: 'usd',
        amount_due_cents: 3_000,
      },
      ...{ amount_paid_cents: paid, amount_refunded_cents: refunded, credited_cents: credited },
    };
    await insert(number, row, [['deposit', 3_000]]);
    await insertPayment(knex, number, 'applied', paid, refunded, 'usd');
  }
  await knex('deposit_credits').insert({ deposit_invoice_id: 7, invoice_id: 1, amount_cents: 3_000 });
  for (const [number, { auction, status, cents, paid }] of Object.entries(FEES)) {
    const row = {
      ...{
        kind: 'platform_fee',
        status,
        user_id: SELLER,
        auction_id: auction,
        currency: currencyOf(auction),
      },
      ...{ amount_due_cents: cents, amount_paid_cents: paid },
    };
    await insert(number, row, [['commission', cents]]);
  }
}

function insertPayment(
  knex: Knex,
  number: string,
  status: string,
  cents: number,
  refunded: number,
  currency: string,
): Promise<unknown> {
  return knex('payments').insert({
    ...{ payment_id: `pi_${number}`, invoice_id: idOf(number), provider: 'stripe', status, currency },
    ...{ amount_cents: cents, refunded_cents: refunded },
  });
}

export async function insertSettlements(knex: Knex): Promise<void> {
  await knex('payments').insert({
    ...{ payment_id: 'settlement:SET-2', invoice_id: 10, provider: 'settlement', status: 'applied' },
    ...{ currency: 'eur', amount_cents: 1_100 },
  });
  const common = { team_id: TEAM, commission_bps: 500 };
  await knex('settlements').insert([
    {
      id: 1,
      statement_number: 'SET-1',
      auction_id: OPEN,
      status: 'draft',
      currency: 'usd',
      fee_invoice_id: 9,
      ...common,
    },
    {
      ...{
        id: 2,
        statement_number: 'SET-2',
        auction_id: PAID_OUT,
        status: 'paid',
        currency: 'eur',
        ...common,
      },
      ...{ fee_invoice_id: 10, payout_cents: 20_900, paid_at: MOMENT, approved_at: MOMENT },
    },
    {
      ...{
        id: 3,
        statement_number: 'SET-3',
        auction_id: PAID_OUT,
        status: 'pending',
        currency: 'eur',
        ...common,
      },
      ...{ kind: 'adjustment', commission_bps: 0 },
    },
  ]);
  const line = (lot: number, hammer: number, commission: number, adjustment: number, by = 'invoice') => ({
    ...{ settlement_id: auctionOf(lot), lot_id: lot, lot_number: lot, title: `L${lot}`, settled_by: by },
    ...{ invoice_id: by === 'invoice' ? lot : null, hammer_cents: hammer, commission_cents: commission },
    ...{ adjustment_cents: adjustment, net_cents: hammer - commission + adjustment },
  });
  await knex('settlement_lines').insert([
    ...[line(1, 20_000, 1_000, 0), line(2, 10_000, 500, 0), line(3, 0, 0, 0, 'nobody')],
    ...[line(4, 8_000, 360, -800), line(5, 0, 0, 0, 'nobody'), line(6, 22_000, 1_100, 0)],
  ]);
  // A tenth went back after the pay-out: 2,200 of the price, less the commission on it.
  await knex('settlement_adjustments').insert({
    ...{ settlement_id: 3, auction_id: PAID_OUT, lot_id: 6, kind: 'sale', description: 'a tenth' },
    ...{ commission_cents: 0, amount_cents: -2_090 },
  });
  const object = { id: 'ch_unknown', payment_intent: 'pi_unknown', amount: 1, currency: 'usd' };
  await knex('payment_events').insert({
    ...{ event_id: 'evt_1', type: 'charge.refunded', status: 'pending' },
    body: JSON.stringify({ id: 'evt_1', type: 'charge.refunded', created: 1, data: { object } }),
  });
}
