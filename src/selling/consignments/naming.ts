/**
 * Naming a lot's consignor: the seller names somebody, who is a bidder like all others until they accept
 * (`consignments.ts`). Naming somebody else, or nobody, ends what was agreed before.
 */
import type { Knex } from 'knex';
import { User } from '../../accounts/models/user.model.ts';
import type { AddError } from '../../shared/add-error.ts';
import { invalid } from '../../shared/refusal.ts';
import { consignorsByName } from './consignor-links.ts';

interface Named {
  readonly consignor_id?: number | null;
  readonly consignor?: string | null;
}

/**
 * What was sent, with the `consignor` that it calls by name as `consignor_id`: one whom the team knows by name, or the
 * number of an account. Throws 422 for a name that is nobody's, or several people's.
 */
export async function withConsignorId<T extends Named>(
  knex: Knex,
  teamId: number,
  sent: T,
): Promise<Omit<T, 'consignor'>> {
  const { consignor, ...rest } = sent;
  if (consignor === undefined) return rest;
  if (sent.consignor_id != null)
    throw invalid({ consignor: ['Name the consignor, or give the account’s number, not both.'] });
  return { ...rest, consignor_id: consignor === null ? null : await idOfConsignor(knex, teamId, consignor) };
}

async function idOfConsignor(knex: Knex, teamId: number, text: string): Promise<number> {
  const [, number] = /^\s*([1-9][0-9]{0,14})\s*$/.exec(text) ?? [];
  if (number !== undefined) {
    if ((await User.query(knex).findById(Number(number)).select('id')) !== undefined) return Number(number);
    throw invalid({ consignor: [`No account has the number “${number}”.`] });
  }
  // Of several with one name each is called by the number of the account as well.
  const [, name = text, own] = /^(.*)\(([1-9][0-9]{0,14})\)\s*$/.exec(text) ?? [];
  const known = await consignorsByName(knex, teamId);
  const called = (wanted: string) => known.filter((one) => folded(one.name) === folded(wanted));
  const exact = called(text);
  const found = exact.length > 0 ? exact : called(name).filter(({ id }) => String(id) === own);
  const ids = [...new Set(found.map(({ id }) => id))];
  const [id] = ids;
  if (id === undefined)
    throw invalid({
      consignor: [
        `No consignor of the team is called “${text}”. For somebody new write the account’s number.`,
      ],
    });
  if (ids.length > 1)
    throw invalid({
      consignor: [
        `${ids.length} consignors are called “${text}”: write the account’s number: ${ids.join(', ')}.`,
      ],
    });
  return id;
}

const folded = (name: string) => name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

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
