/** The invariants of a `MoneyWorld` after every action, and that it can be brought to completion from every state. */
import { exactJson } from '../../adapters/http/exact-json.ts';
import { readBooks } from '../../src/billing/books/books.ts';
import { approveSettlement, paySettlement } from '../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../src/billing/settlements/settlements.ts';
import { movesFrom, type SettlementStatus } from '../../src/shared/statuses/billing-statuses.ts';
import type { MoneyWorld } from './money-world.ts';

/** Throws a sentence for the first thing that does not hold. */
export async function checkMoney(world: MoneyWorld): Promise<void> {
  for (const { id } of world.auctions) {
    const { differences } = await readBooks(world.knex, id);
    if (differences.length > 0) throw new Error(`auction ${id}: ${exactJson(differences)}`);
  }
  await checkLots(world);
  await checkWaysOn(world);
  await checkProvider(world);
}

/**
 * Each sold lot has one row that won, at its hammer price, and at most one winner's invoice that is owed or paid, over
 * that price.
 */
async function checkLots(world: MoneyWorld): Promise<void> {
  const { knex, auctions } = world;
  const rows: { id: number; hammer: string; billed: string[] }[] = await knex('lots as l')
    .where('l.status', 'sold')
    .whereIn(
      'l.auction_id',
      auctions.map(({ id }) => id),
    )
    .select(
      'l.id',
      knex.raw('(l.hammer_price_cents / 100.0)::numeric(15, 2)::text AS hammer'),
      knex.raw(
        `ARRAY(SELECT (n.amount_cents / 100.0)::numeric(15, 2)::text FROM invoices i
           LEFT JOIN invoice_lines n ON n.invoice_id = i.id AND n.kind = 'hammer'
           WHERE i.lot_id = l.id AND i.kind = 'winner' AND i.status IN ('draft', 'open', 'paid')) AS billed`,
      ),
    );
  for (const { id, hammer, billed } of rows) {
    if (billed.length > 1) throw new Error(`lot ${id} has ${billed.length} invoices that are owed or paid`);
    if (billed.some((amount) => amount !== hammer))
      throw new Error(`lot ${id} is sold for ${hammer}, and billed over ${billed[0]}`);
    const won = (await world.bidsOf(id)).filter(({ status }) => status === 'won');
    if (won.length !== 1 || won[0]!.amount !== hammer)
      throw new Error(`lot ${id} is sold for ${hammer}, its rows say ${JSON.stringify(won)}`);
  }
}

/**
 * Each settlement that is not paid may be moved on now, or waits for invoices that are open, and so can be paid or
 * voided.
 */
async function checkWaysOn({ knex, teamId }: MoneyWorld): Promise<void> {
  const rows: { id: number; status: SettlementStatus; kind: string; auction_id: number }[] = await knex(
    'settlements',
  ).where('team_id', teamId);
  for (const { id, status, kind, auction_id } of rows) {
    if (status === 'paid') continue;
    const owed = await knex('invoices')
      .where({ auction_id, kind: 'winner' })
      .whereIn('status', ['draft', 'open']);
    const waits = kind === 'auction' && owed.length > 0;
    const ways = movesFrom('settlement', status).filter((to) =>
      status === 'draft' ? !waits : to !== 'draft',
    );
    if (status !== 'draft' && waits) throw new Error(`settlement ${id} is ${status} though it waits`);
    if (status === 'draft' && !waits) throw new Error(`settlement ${id} is a draft that waits for nothing`);
    if (status !== 'draft' && ways.length === 0) throw new Error(`settlement ${id} is ${status}: no way on`);
  }
}

/** What was sent back is what the books say was sent back, and never more than came. */
async function checkProvider({ knex, provider, teamId }: MoneyWorld): Promise<void> {
  const sent = new Map<string, number>();
  for (const { paymentId, cents } of provider.sent.values())
    sent.set(paymentId, (sent.get(paymentId) ?? 0) + cents);
  const payments: { payment_id: string; amount_cents: number; booked: number }[] = await knex('payments as p')
    .join('invoices as i', 'i.id', 'p.invoice_id')
    .where('i.team_id', teamId)
    .select(
      'p.payment_id',
      'p.amount_cents',
      knex.raw(
        `coalesce((SELECT -sum(e.amount)::bigint FROM ledger_entries e JOIN ledger_postings l ON l.id = e.posting_id
          WHERE e.payment_id = p.id AND e.account = 'refunds_under_way' AND l.kind = 'refund'), 0) AS booked`,
      ),
    );
  for (const { payment_id: id, amount_cents: came, booked } of payments) {
    const back = sent.get(id) ?? 0;
    if (back !== booked) throw new Error(`${id}: ${back} cents were sent back, ${booked} are booked`);
    if (back > came) throw new Error(`${id}: ${back} cents were sent back of ${came}`);
  }
}

/** From wherever the world is, buyers pay, offers end and settlements are paid out: nothing is left over. */
export async function finishMoney(world: MoneyWorld): Promise<void> {
  const { knex, teamId } = world;
  await settleAuctions(knex);
  for (let round = 0; ; round += 1) {
    if (round > 50) throw new Error('it does not come to an end');
    const open: { id: number }[] = await knex('invoices').where({
      team_id: teamId,
      kind: 'winner',
      status: 'open',
    });
    for (const _ of open) await world.happen({ what: 0, who: 0, cents: 0, crashAt: 0 });
    const settlements: { id: number; status: string }[] = await knex('settlements')
      .where('team_id', teamId)
      .whereNot('status', 'paid')
      .orderBy('id');
    if (open.length === 0 && settlements.length === 0) break;
    for (const { id, status } of settlements) {
      if (status === 'draft') continue;
      if (status === 'pending') await approveSettlement(knex, id);
      await paySettlement(knex, id);
    }
  }
  await checkMoney(world);
  for (const { id } of world.auctions) {
    const { totals } = await readBooks(knex, id);
    if (totals.owed_by_buyers_cents !== 0n || totals.owed_to_seller_cents !== 0n)
      throw new Error(`auction ${id}: something is left over: ${exactJson(totals)}`);
  }
}
