/** What the office says of a lot besides its bids: whose it is, who has paid, and what its seller changed. */
import type { Knex } from 'knex';
import { listActivity } from '../../accounts/activity/activity.ts';
import { namesOfUsers } from '../../accounts/people/accounts.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { detailTexts } from '../account/activity-words.ts';
import { wordsOf } from '../seller/forms/field-words.ts';
import type { Cell, Table } from './office.ts';
import type { LotRow } from './office-lot-rows.ts';
import { personCell } from './origin-cells.ts';

const MAX_CHANGES = 20;
const SOLD = 'sold';

/** Who leads or has bought it; somebody in the room has no account. */
export async function buyerFact(knex: Knex, row: LotRow): Promise<[string, Cell]> {
  const name = row.status === SOLD ? 'Winner' : 'Leader';
  const id = row.winner_user_id ?? row.leader_user_id;
  if (id === null) return [name, row.status === SOLD ? 'See its bids' : null];
  const text = (await namesOfUsers(knex, [id])).get(id) ?? `User ${id}`;
  const left = row.led_by_suspended ? ', suspended: the bid was left to stand' : '';
  return [name, personCell({ id, name: `${text}${left}` })];
}

/** Each invoice for it, with who owes it and what has come of it. */
export async function invoicesTable(knex: Knex, lotId: number): Promise<Table> {
  const invoices = await Invoice.query(knex).where('lot_id', lotId).orderBy('id');
  const names = await namesOfUsers(
    knex,
    invoices.map(({ user_id }) => user_id),
  );
  return {
    heading: 'Invoices',
    columns: ['Invoice', 'Who owes it', 'State', 'Owed', 'Paid', 'Refunded', 'Due'],
    rows: invoices.map((one): Cell[] => [
      { href: `/office/money/invoices/${one.invoice_number}`, text: one.invoice_number },
      personCell({ id: one.user_id, name: names.get(one.user_id) ?? `User ${one.user_id}` }),
      { pill: one.status },
      { cents: one.amount_due_cents, currency: one.currency },
      { cents: one.amount_paid_cents, currency: one.currency },
      { cents: one.amount_refunded_cents, currency: one.currency },
      { time: one.due_at },
    ]),
    empty: 'There is no invoice for it.',
  };
}

/** What was done about it by whom, its prices with what they were before; newest first. */
export async function changesTable(knex: Knex, { id, team_id }: LotRow): Promise<Table> {
  const entries = await listActivity(knex, { teamId: team_id, lotId: id, limit: MAX_CHANGES });
  return {
    heading: 'Who changed it',
    columns: ['When', 'What', 'Who', 'Details'],
    rows: entries.map((one): Cell[] => [
      { time: one.recorded_at },
      wordsOf(one.action),
      one.user_id === null
        ? null
        : { href: `/office/people/${one.user_id}`, text: one.user_email ?? `person ${one.user_id}` },
      { parts: detailTexts(Object.fromEntries(Object.entries(one.detail).filter(isOfIts))) },
    ]),
    empty: 'Nobody has changed it.',
  };
}

/** The page says which lot it is. */
const isOfIts = ([name]: readonly [string, unknown]) => name !== 'lot' && name !== 'id';
