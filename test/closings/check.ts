/** Whether each lot has one result, the same everywhere, and its invoices, each once. */
import { isDeepStrictEqual } from 'node:util';
import { decodeEvents } from '../../engine/formats/formats.ts';
import type { Closing, Wanted } from './closing.ts';
import { centsOf, type House } from './house.ts';

/** Of the hammer price. */
const PREMIUM = 10n;

/** What is not as it has to be. */
export async function faultsOf(house: House, closing: Closing): Promise<string[]> {
  const faults: string[] = [];
  let wanted: ReadonlyMap<number, Wanted>;
  try {
    wanted = await closing.wanted();
  } catch (error) {
    return [`lots ${closing.lots}: ${error}`];
  }
  for (const lotId of closing.lots) {
    const of = wanted.get(lotId);
    if (of === undefined) faults.push(`lot ${lotId} has no result`);
    else for (const fault of await faultsOfLot(house, lotId, of)) faults.push(`lot ${lotId}: ${fault}`);
  }
  const closes = await closesOf(house, closing.lots);
  for (const lotId of closing.lots)
    if (closes.filter((id) => id === lotId).length !== 1) faults.push(`lot ${lotId} closed: ${closes}`);
  return faults;
}

async function faultsOfLot(house: House, lotId: number, wanted: Wanted): Promise<string[]> {
  const faults: string[] = [];
  const { knex } = house.market;
  const expect = (what: string, found: unknown, of: unknown) => {
    if (!isDeepStrictEqual(found, of))
      faults.push(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(of)}`);
  };
  const { status, hammerCents } = wanted;
  const row = await knex('lots').where('id', lotId).first('status', 'hammer_price_cents');
  expect('the row', [row.status, row.hammer_price_cents], [status, hammerCents]);
  for (const { body } of await house.everywhere(`/api/v1/lots/${lotId}`, house.people[0]!.token)) {
    const { status: shown, hammer_price: price } = body.data;
    expect('the answer', [shown, price === null ? null : centsOf(price)], [status, hammerCents]);
  }
  const invoices = await knex('invoices')
    .where({ lot_id: lotId, kind: 'winner' })
    .select('user_id', 'amount_due_cents');
  const billed = invoices.map((one) => [one.user_id, one.amount_due_cents]);
  const due = wanted.bills.map(({ userId, cents }) => [userId, cents + tenthOf(cents)]);
  expect('billed', sorted(billed), sorted(due));
  const events: string[] = await knex('events')
    .where('lot_id', lotId)
    .whereIn('type', ['lot.sold', 'lot.passed'])
    .pluck('type');
  expect('published', events, [status === 'sold' ? 'lot.sold' : 'lot.passed']);
  return faults;
}

function tenthOf(cents: number): number {
  return Number((BigInt(cents) * PREMIUM + 50n) / 100n);
}

function sorted(rows: readonly (readonly number[])[]): unknown {
  return rows.map((row) => row.join()).sort();
}

/** The lots that the journals say were closed, once for each time. */
async function closesOf(house: House, lots: readonly number[]): Promise<number[]> {
  const rows = await house.market
    .knex('journal_entries')
    .whereIn('lot_id', [...lots])
    .select('lot_id', 'private_text');
  return rows.flatMap(({ lot_id, private_text }) =>
    decodeEvents(private_text).flatMap((event) =>
      event.type === 'lot_closed' ? [(event as { lotId?: number }).lotId ?? Number(lot_id)] : [],
    ),
  );
}
