/** Everything in people's inboxes as SQL: their notifications, and the notices of lots that they are outbid on. */
import { amountSql } from '../../shared/money-text.ts';

/**
 * As a subquery. `data` is null where a notice is read with its lot, which `NOTICE_DATA` does.
 */
export const INBOX_ROWS = `(
  SELECT id, user_id, kind, lot_id, data, NULL::bigint AS current_bid_cents, on_page, created_at, read_at, mailed_at
  FROM notifications n
  UNION ALL
  SELECT id, user_id, 'outbid', lot_id, NULL, current_bid_cents, on_page, created_at, read_at, mailed_at
  FROM outbid_notices o)`;

/** Amounts as notifications have them; none where lots are sold together: no price of one says what leads on it. */
const noticeData = (title: string, currency: string, cents: string) =>
  `jsonb_build_object('title', ${title}, 'currency', ${currency}, 'amount',
    CASE WHEN l.host_id IS NULL THEN ${amountSql(cents, currency)} END)`;

/** What the lot `l` is called in the language of whom the row `n` is for. */
const CALLED = `coalesce(l.translations->(SELECT language FROM users WHERE id = n.user_id)->>'title', l.title)`;

/** The data of a row `n` of `INBOX_ROWS`, beside its lot `l` and its auction `a`. */
export const NOTICE_DATA = `coalesce(n.data, ${noticeData(CALLED, 'a.currency', 'n.current_bid_cents')})`;
