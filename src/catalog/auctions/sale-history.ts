/** The history of a sale: changes of its terms that touched bidders of an open lot. The API and its page show it. */
import { type Static, Type } from '@sinclair/typebox';
import { orNull, Time } from '../../shared/fields.schema.ts';
import { isoSql } from '../media-presentation.ts';

const Terms = Type.Object({}, { additionalProperties: true });

export const SaleChange = Type.Object(
  {
    at: Time,
    reason: orNull(Type.String(), { description: 'Null: small enough to need none.' }),
    sentence: Type.String(),
    before: Terms,
    after: Terms,
  },
  { $id: 'SaleChange' },
);
export type SaleChange = Static<typeof SaleChange>;

const MOST = 100;

/** The changes of an auction as JSON, the newest first. */
export function saleHistorySql(auction: string): string {
  return `(SELECT coalesce(json_agg(json_build_object('at', ${isoSql('h.changed_at')}, 'reason', h.reason,
      'sentence', h.sentence, 'before', coalesce(h.changes->'before', '{}'), 'after', coalesce(h.changes->'after', '{}'))
      ORDER BY h.id DESC), '[]')
    FROM (SELECT * FROM sale_changes WHERE auction_id = ${auction}.id ORDER BY id DESC LIMIT ${MOST}) h)`;
}
