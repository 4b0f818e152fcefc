/**
 * One item of a team's inventory: taking it in, reading, changing and deleting it. Items that are in an auction follow
 * their lot.
 */
import type { Knex } from 'knex';
import { isoFromUs, usFromIso } from '../../../engine/time.ts';
import type { AddError } from '../../shared/add-error.ts';
import { ITEM_POLICY } from '../../shared/policy/item-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalid, notFound, type Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { checkCategory, checkCustomFields } from '../categories-of-input.ts';
import type { ItemChangeBody, NewItemBody } from './inventory.schema.ts';
import { type AgedItem, itemsOf } from './inventory.ts';
import { Item } from './item.model.ts';

/** Tolerates clocks that are a little ahead of ours. */
const FUTURE_US = 300_000_000;

/**
 * Takes an item into the team's inventory. Throws 422 for fields that do not fit and for a SKU that the team has
 * already.
 */
export async function createItem(knex: Knex, teamId: number, body: NewItemBody): Promise<AgedItem> {
  const receivedUs = receivedUsOf(body.received_at);
  await requireValid(async (addError) => {
    checkReceived(receivedUs, addError);
    await checkCategory(knex, body.category_id, addError);
    await checkCustomFields(knex, body.category_id ?? null, body.custom_fields ?? {}, addError);
  });
  // Nothing is inserted where the SKU is taken: then there is no id.
  const made: { readonly id?: number } = await Item.query(knex)
    .insert({ ...columnsOf(body), title: body.title.trim(), team_id: teamId })
    .onConflict(['team_id', 'sku'])
    .ignore();
  if (made.id === undefined) throw skuTaken();
  return readItem(knex, teamId, made.id);
}

/** Throws 404 where the team has no such item. */
export async function readItem(knex: Knex, teamId: number, itemId: number): Promise<AgedItem> {
  const [item] = await itemsOf(knex, teamId).where('i.id', itemId);
  if (item === undefined) throw notFound('There is no such item.');
  return item;
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
): Promise<AgedItem> {
  return inTransaction(knex, async (trx) => {
    await lockItem(trx, teamId, itemId);
    const item = await readItem(trx, teamId, itemId);
    const { status, ...fields } = body;
    await requireValid(async (addError) => {
      checkReceived(receivedUsOf(body.received_at), addError);
      await checkCategory(trx, body.category_id, addError);
      if (body.custom_fields === undefined && body.category_id === undefined) return;
      const category = body.category_id === undefined ? item.category_id : body.category_id;
      await checkCustomFields(trx, category, body.custom_fields ?? item.custom_fields, addError);
    });
    const moves = status !== undefined && status !== item.status;
    if (moves) requireFree(item, 'move');
    if (body.sku !== undefined) await requireFreeSku(trx, teamId, itemId, body.sku);
    await Item.query(trx)
      .findById(itemId)
      .patch(columnsOf(moves ? body : fields));
    return readItem(trx, teamId, itemId);
  });
}

/** Deletes an item. Throws 404, and 409 `invalid_transition` for one that is in an auction or sold. */
export function deleteItem(knex: Knex, teamId: number, itemId: number): Promise<void> {
  return inTransaction(knex, async (trx) => {
    await lockItem(trx, teamId, itemId);
    requireFree(await readItem(trx, teamId, itemId), 'delete');
    await Item.query(trx).deleteById(itemId);
  });
}

async function lockItem(trx: Knex, teamId: number, itemId: number): Promise<void> {
  await Item.query(trx).findOne({ id: itemId, team_id: teamId }).select('id').forUpdate();
}

/** Who asks is in the team, and keeps it where it is deleted. */
function requireFree({ status, lot_id }: AgedItem, action: 'move' | 'delete'): void {
  const message = status === 'sold' ? 'The item is sold.' : `The item is in an auction, as lot ${lot_id}.`;
  requireAllowed(ITEM_POLICY, action, status, 'admin', { message, data: { status, allowed: [] } });
}

async function requireFreeSku(trx: Knex, teamId: number, itemId: number, sku: string): Promise<void> {
  const holder = await Item.query(trx).findOne({ team_id: teamId, sku }).whereNot('id', itemId).select('id');
  if (holder !== undefined) throw skuTaken();
}

function skuTaken(): Refusal {
  return invalid({ sku: ['Another item of the team already has this SKU.'] });
}

/** The columns of what was sent; what was not stays absent. */
function columnsOf({ location, received_at: received, ...plain }: ItemChangeBody) {
  const receivedUs = receivedUsOf(received);
  return {
    ...plain,
    ...(location === undefined ? {} : { warehouse: location?.warehouse ?? null, bin: location?.bin ?? null }),
    ...(receivedUs == null ? {} : { received_at: isoFromUs(receivedUs) }),
  };
}

/** The moment that a `received_at` says: undefined where it says none, null where it is none. */
function receivedUsOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return usFromIso(text.length === 10 ? `${text}T00:00:00Z` : text);
}

/** Adds an error for a moment that is none, or not of the past. */
function checkReceived(receivedUs: number | null | undefined, addError: AddError): void {
  if (receivedUs === undefined) return;
  if (receivedUs === null) addError('received_at', 'must be a valid date or time');
  else if (receivedUs > Date.now() * 1_000 + FUTURE_US) addError('received_at', 'must not be in the future');
  else if (receivedUs < 0) addError('received_at', 'must not be before 1970-01-01');
}
