/**
 * Naming a lot's consignor: the seller names somebody, who is a bidder like all others until they accept
 * (`consignments.ts`). Naming somebody else, or nobody, ends what was agreed before.
 */
import type { Knex } from 'knex';
import { User } from '../../accounts/models/user.model.ts';
import type { AddError } from '../../shared/add-error.ts';

/** Adds an error for a consignor who is no user. */
export async function checkConsignor(
  knex: Knex,
  consignorId: number | null | undefined,
  addError: AddError,
): Promise<void> {
  if (consignorId == null) return;
  const user = await User.query(knex).findById(consignorId).select('id');
  if (user === undefined) addError('consignor_id', 'must be the id of a user');
}

/** The columns of a consignor that a seller names; null where nothing changes. */
export function namedConsignor(
  lot: { readonly consignor_id: number | null; readonly named_consignor_id: number | null },
  consignorId: number | null | undefined,
): { named_consignor_id: number | null; consignment_accepted: boolean } | null {
  if (consignorId === undefined || consignorId === (lot.named_consignor_id ?? lot.consignor_id)) return null;
  return { named_consignor_id: consignorId, consignment_accepted: false };
}

/** Over `lots l`: whom the seller shows as consignor, and whether it is so by their word. */
export const CONSIGNOR_SQL = `coalesce(l.named_consignor_id, l.consignor_id) AS consignor_id,
    CASE WHEN coalesce(l.named_consignor_id, l.consignor_id) IS NULL THEN NULL
      WHEN l.named_consignor_id IS NULL OR l.consignment_accepted THEN 'accepted'
        ELSE 'invited' END AS consignor_status`;
