/**
 * Notifies people that they have been outbid. With many bidders nearly every bid is somebody's notice, so all of it is
 * one statement, without a round trip of rows. A person has one notice for a lot, which is updated and unread again.
 */
import type { Knex } from 'knex';
import { type EventRange, LEADERS_IN_RANGE, rangeValues } from '../../events/read-events.ts';
import { NOTIFICATION_KINDS } from '../kinds/kinds.ts';

/** Somebody whose notices have changed. */
export interface OutbidPerson {
  readonly user_id: number;
  /** They want to be notified by mail. */
  readonly by_mail: boolean;
}

/**
 * Users who led a lot and no longer do. Each lot by its id, as Postgres would otherwise read all of them, and once for
 * all of its leaders.
 */
const BEATEN = `
  SELECT DISTINCT leader.user_id::bigint AS user_id, b.lot_id, l.current_bid_cents
  FROM (${LEADERS_IN_RANGE}) b
  JOIN LATERAL (SELECT current_bid_cents, leader_user_id FROM lots WHERE id = b.lot_id AND status = 'active' OFFSET 0) l
    ON true
  CROSS JOIN LATERAL jsonb_array_elements_text(b.leaders) AS leader (user_id)
  WHERE leader.user_id IS NOT NULL AND l.leader_user_id IS DISTINCT FROM leader.user_id::bigint`;

/**
 * A lot's row may be ahead of the facts that are read: then the fact of the bid that somebody led with says already
 * that they are outbid, and the next one says it again. Once is enough.
 */
const SAID_JUST_NOW = `outbid_notices.current_bid_cents = excluded.current_bid_cents AND outbid_notices.read_at IS NULL
  AND outbid_notices.created_at > now() - interval '10 seconds'`;

const PUT = `
  INSERT INTO outbid_notices (user_id, lot_id, current_bid_cents, on_page)
  SELECT user_id, lot_id, current_bid_cents, on_page FROM wished WHERE on_page OR by_mail ORDER BY user_id, lot_id
  ON CONFLICT (user_id, lot_id) DO UPDATE SET current_bid_cents = excluded.current_bid_cents,
    on_page = excluded.on_page, created_at = excluded.created_at, read_at = NULL
  WHERE NOT (${SAID_JUST_NOW})`;

/** Writes the notices for the bids of a range of facts. Returns the people concerned, each once. */
export async function putOutbidNotices(trx: Knex, range: EventRange): Promise<OutbidPerson[]> {
  // SQL: many lots’ notices with those whom they concern, in one statement.
  const { rows } = await trx.raw<{ rows: OutbidPerson[] }>(
    `WITH wished AS MATERIALIZED (
       SELECT b.*, coalesce(p.on_page, true) AS on_page, coalesce(p.by_mail, :byMail) AS by_mail
       FROM (${BEATEN}) b LEFT JOIN notification_preferences p ON p.user_id = b.user_id AND p.kind = 'outbid'),
     put AS (${PUT})
     SELECT DISTINCT user_id, by_mail FROM wished WHERE on_page OR by_mail`,
    { ...rangeValues(range), byMail: NOTIFICATION_KINDS.outbid.byMail },
  );
  return rows;
}
