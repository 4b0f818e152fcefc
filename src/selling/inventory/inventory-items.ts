/** One item of a team's inventory: reading, changing and deleting it. Items that are in an auction follow their lot. */
import type { Knex } from 'knex';
import { isoFromUs } from '../../../engine/time.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { checkCategory, checkCustomFields } from '../categories-of-input.ts';
import { requireValid } from '../require-valid.ts';
import type { ItemChangeBody } from './inventory.schema.ts';
import { checkReceived, type ItemRow, itemsOf, receivedUsOf } from './inventory.ts';

/** Throws 404 where the team has no such item. */
export async function readItem(knex: Knex, teamId: number, itemId: number): Promise<ItemRow> {
  const row: ItemRow | undefined = await itemsOf(knex, teamId).where('i.id', itemId).first();
  if (row === undefined) throw notFound('There is no such item.');
  return row;
}

/**
 * Changes an item; absent fields stay. Throws 404, 422, and 409 `invalid_transition` for a status of an item that is
 * in an auction or sold.
 */
export function changeItem(
  knex: Knex,
  teamId: number,
  itemId: number,
  body: ItemChangeBody,
): Promise<ItemRow> {
  return inTransaction(knex, async (trx) => {
    await lockItem(trx, teamId, itemId);
    const item = await readItem(trx, teamId, itemId);
    const { location, custom_fields: custom, received_at: received, status, ...plain } = body;
    const receivedUs = receivedUsOf(received);
    await requireValid(async (addError) => {
      checkReceived(receivedUs, addError);
      await checkCategory(trx, body.category_id, addError);
      if (custom === undefined && body.category_id === undefined) return;
      const category = body.category_id === undefined ? item.category_id : body.category_id;
      await checkCustomFields(trx, category, custom ?? item.custom_fields, addError);
    });
    if (status !== undefined && status !== item.status) requireFree(item);
    const columns = {
      ...plain,
      ...(location === undefined
        ? {}
        : { warehouse: location?.warehouse ?? null, bin: location?.bin ?? null }),
      ...(custom === undefined ? {} : { custom_fields: JSON.stringify(custom) }),
      ...(receivedUs == null ? {} : { received_at: isoFromUs(receivedUs) }),
      ...(status === undefined || status === item.status ? {} : { status }),
    };
    if (body.sku !== undefined) await requireFreeSku(trx, teamId, itemId, body.sku);
    if (Object.keys(columns).length > 0) await trx('inventory_items').where('id', itemId).update(columns);
    return readItem(trx, teamId, itemId);
  });
}

/** Deletes an item. Throws 404, and 409 `invalid_transition` for one that is in an auction or sold. */
export function deleteItem(knex: Knex, teamId: number, itemId: number): Promise<void> {
  return inTransaction(knex, async (trx) => {
    await lockItem(trx, teamId, itemId);
    requireFree(await readItem(trx, teamId, itemId));
    await trx('inventory_items').where('id', itemId).delete();
  });
}

async function lockItem(trx: Knex, teamId: number, itemId: number): Promise<void> {
  await trx('inventory_items').where({ id: itemId, team_id: teamId }).forUpdate().first('id');
}

function requireFree({ status, lot_id }: ItemRow): void {
  if (status !== 'lotted' && status !== 'sold') return;
  const message = status === 'sold' ? 'The item is sold.' : `The item is in an auction, as lot ${lot_id}.`;
  throw new Refusal('invalid_transition', { message, data: { status, allowed: [] } });
}

async function requireFreeSku(trx: Knex, teamId: number, itemId: number, sku: string): Promise<void> {
  const holder = await trx('inventory_items')
    .where({ team_id: teamId, sku })
    .whereNot('id', itemId)
    .first<{ id: number } | undefined>('id');
  await requireValid((addError) => {
    if (holder !== undefined) addError('sku', 'is taken by another item of the team');
  });
}
