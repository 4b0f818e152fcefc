/** Everything in people's inboxes as SQL: their notifications, and the notices of lots that they are outbid on. */
import { amountSql } from '../../shared/money-text.ts';

/**
 * As a subquery. `data` is null where a notice is read with its lot, which `NOTICE_DATA` does. A notice that the
 * previous release has written is there until the same lot has a new one.
 */
export const INBOX_ROWS = `(
  SELECT id, user_id, kind, lot_id, data, NULL::bigint AS current_bid_cents, on_page, created_at, read_at, mailed_at
  FROM notifications n
  WHERE kind <> 'outbid'
    OR NOT EXISTS (SELECT FROM outbid_notices o WHERE o.user_id = n.user_id AND o.lot_id = n.lot_id)
  UNION ALL
  SELECT id, user_id, 'outbid', lot_id, NULL, current_bid_cents, on_page, created_at, read_at, mailed_at
  FROM outbid_notices o)`;

/** When a mail last named the lot of a notice `n`; the notification that the previous release wrote may know. */
export const LAST_MAILED_AT = `coalesce(n.mailed_at,
  (SELECT b.mailed_at FROM notifications b WHERE b.user_id = n.user_id AND b.key = 'outbid-' || n.lot_id))`;

/** Amounts as notifications have them. */
export const noticeData = (title: string, currency: string, cents: string) =>
  `jsonb_build_object('title', ${title}, 'currency', ${currency}, 'amount', ${amountSql(cents, currency)})`;

/** What the lot `l` is called in the language of whom the row `n` is for. */
const CALLED = `coalesce(l.translations->(SELECT language FROM users WHERE id = n.user_id)->>'title', l.title)`;

/** The data of a row `n` of `INBOX_ROWS`, beside its lot `l` and its auction `a`. */
export const NOTICE_DATA = `coalesce(n.data, ${noticeData(CALLED, 'a.currency', 'n.current_bid_cents')})`;
