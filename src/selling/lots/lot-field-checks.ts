/** The checks of what a seller says of a lot, by the sale that it is or will be in. */
import type { Knex } from 'knex';
import { type Decimals, decimalsOf } from '../../../engine/money.ts';
import { checkGroups } from '../../bidding/records/grouped-lots.ts';
import { checkLot, type KnownColumns } from '../../bidding/records/lot-columns.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { checkCategory, checkCustomFields } from '../categories-of-input.ts';
import { checkConsignor } from '../consignments/naming.ts';
import type { ReferencedAuction } from '../referenced-auction.ts';
import { groupsAfter } from './lot-terms.ts';
import type { LotChangeBody } from './seller-lot.schema.ts';
import type { OwnLot } from './teams-lot.ts';

/** What a seller says of a lot, besides where it is and how it stands. */
export type Fields = Omit<LotChangeBody, 'auction_id' | 'status' | 'consignor'>;

interface FieldCheck {
  readonly fields: Fields;
  readonly decimals: Decimals;
  readonly known: KnownColumns;
  /** The custom fields that there will be, and what describes them; null: neither changes. */
  readonly custom: {
    readonly categoryId: number | null;
    readonly fields: Record<string, unknown>;
  } | null;
}

/** Throws 422 for what no lot may have. */
export function checkFields(knex: Knex, { fields, decimals, known, custom }: FieldCheck): Promise<void> {
  return requireValid(async (addError) => {
    checkLot(fields, decimals, addError, known);
    if (custom !== null) {
      await checkCategory(knex, fields.category_id, addError);
      await checkCustomFields(knex, custom.categoryId, custom.fields, addError);
    }
    await checkConsignor(knex, fields.consignor_id, addError);
  });
}

/** What of an auction decides about its lots. */
export type Sale = Pick<ReferencedAuction, 'id' | 'currency' | 'type' | 'format' | 'category_id'>;

/** Of the auction that a lot is in. */
export function saleOf(lot: OwnLot): Sale {
  return {
    id: lot.auction_id,
    currency: lot.auction_currency,
    type: lot.auction_type,
    format: lot.auction_format,
    category_id: lot.auction_category_id,
  };
}

/** Judges a change by the sale that the lot is in afterwards. Throws 422 for what no lot there may have. */
export async function checkChange(knex: Knex, lot: OwnLot, fields: Fields, sale: Sale): Promise<void> {
  const { category_id, custom_fields } = fields;
  const category = category_id === undefined ? lot.category_id : category_id;
  const isNew = custom_fields !== undefined || category_id !== undefined || sale.id !== lot.auction_id;
  await checkFields(knex, {
    ...{ fields, decimals: decimalsOf(sale.currency) },
    known: { ...lot, auction_format: sale.format },
    custom: isNew
      ? {
          categoryId: category ?? sale.category_id,
          fields: custom_fields ?? lot.custom_fields,
        }
      : null,
  });
  await requireValid((addError) => checkGroups(groupsAfter(lot, fields), sale, addError));
}
