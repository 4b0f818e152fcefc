/**
 * News that no fact of the outbox covers: watched lots about to end, registrations requested and decided, refunds,
 * settlements. Each pass reads what has changed lately; each item's key prevents it from being sent twice.
 */
import type { Knex } from 'knex';
import { KEEPER_SQL } from '../../accounts/models/team.model.ts';
import { DECIDED_SETTLEMENT_SQL, type DECIDED_SETTLEMENTS } from '../../shared/statuses/billing-statuses.ts';
import { DECISION_SQL } from '../../shared/statuses/registration-statuses.ts';
import type { Inbox, News } from '../inbox/inbox.ts';

/** How far back a pass reads: longer than any outage of all workers. */
const LATELY = "now() - interval '1 day'";
const AT_ONCE = 1_000;

/** One pass. Returns whose notifications have changed. */
export async function notifyStatusChanges(knex: Knex, inbox: Inbox): Promise<number[]> {
  return knex.transaction(async (trx) => {
    // SQL: no builder knows advisory locks.
    const { rows } = await trx.raw<{ rows: { mine: boolean }[] }>(
      'SELECT pg_try_advisory_xact_lock(7265737403) AS mine',
    );
    if (!rows[0]?.mine) return [];
    const news: News[] = [];
    for (const read of SOURCES) news.push(...(await read(trx)));
    return inbox.put(trx, news);
  });
}

const SOURCES = [endingSoon, pendingRegistrations, registrationsDecided, refunds, settlements];

async function endingSoon(trx: Knex): Promise<News[]> {
  // SQL: what is due with those whom it concerns, over four tables.
  const { rows } = await trx.raw<{
    rows: { user_id: number; lot_id: number; title: string; end_time: string }[];
  }>(
    `SELECT w.user_id, l.id AS lot_id, l.title, l.live_end_time AS end_time
     FROM watchlist w JOIN lots l ON l.id = w.lot_id JOIN auctions a ON a.id = l.auction_id
     WHERE l.status = 'active' AND a.status = 'active' AND a.type = 'timed'
       AND l.live_end_time > now() AND l.live_end_time < now() + interval '1 hour'
       AND NOT EXISTS (SELECT FROM notifications n WHERE n.user_id = w.user_id AND n.key = 'ending-soon-' || l.id)
     LIMIT ${AT_ONCE}`,
  );
  return rows.map(({ user_id, lot_id, title, end_time }) => ({
    userId: user_id,
    kind: 'ending_soon',
    key: `ending-soon-${lot_id}`,
    lotId: lot_id,
    data: { title, end_time },
  }));
}

interface RegistrationNews {
  readonly id: number;
  readonly user_id: number;
  readonly title: string;
  readonly slug: string;
  readonly name: string;
  readonly status: string;
  readonly reason: string | null;
}

async function pendingRegistrations(trx: Knex): Promise<News[]> {
  // SQL: what is new with those whom it concerns, over four tables.
  const { rows } = await trx.raw<{ rows: RegistrationNews[] }>(
    `SELECT r.id, m.user_id, a.title, a.slug, u.name
     FROM registrations r JOIN auctions a ON a.id = r.auction_id JOIN users u ON u.id = r.user_id
     JOIN memberships m ON m.team_id = a.team_id
     WHERE r.status = 'pending' AND r.created_at > ${LATELY} AND (a.registration_mode = 'approval' OR a.privacy_setting = 'private')
       AND NOT EXISTS (SELECT FROM notifications n WHERE n.user_id = m.user_id
         AND n.key = 'registration-asked-' || r.id)
     LIMIT ${AT_ONCE}`,
  );
  return rows.map(({ id, user_id, title, slug, name }) => ({
    userId: user_id,
    kind: 'registration_asked',
    key: `registration-asked-${id}`,
    lotId: null,
    data: { title, slug, name },
  }));
}

async function registrationsDecided(trx: Knex): Promise<News[]> {
  // SQL: what is new with those whom it concerns, over three tables.
  const { rows } = await trx.raw<{ rows: RegistrationNews[] }>(
    `SELECT r.id, r.user_id, a.title, a.slug, r.status, r.reason
     FROM registrations r JOIN auctions a ON a.id = r.auction_id
     WHERE r.decided_at > ${LATELY} AND r.decided_by_user_id IS NOT NULL
       AND r.status IN ${DECISION_SQL}
       AND NOT EXISTS (SELECT FROM notifications n
         WHERE n.user_id = r.user_id AND n.key = 'registration-' || r.status || '-' || r.id)
     LIMIT ${AT_ONCE}`,
  );
  return rows.map(({ id, user_id, title, slug, status, reason }) => ({
    userId: user_id,
    kind: 'registration_decided',
    key: `registration-${status}-${id}`,
    lotId: null,
    data: { title, slug, status, reason },
  }));
}

interface RefundNews {
  readonly id: number;
  readonly user_id: number;
  readonly invoice_number: string;
  readonly currency: string;
  readonly cents: number;
}

async function refunds(trx: Knex): Promise<News[]> {
  // SQL: what is new, compared by columns of one row.
  const { rows } = await trx.raw<{ rows: RefundNews[] }>(
    `SELECT i.id, i.user_id, i.invoice_number, i.currency, i.amount_refunded_cents AS cents FROM invoices i
     WHERE i.amount_refunded_cents > 0 AND coalesce(i.refunded_at, i.paid_at, i.created_at) > now() - interval '90 days'
       AND NOT EXISTS (SELECT FROM notifications n
         WHERE n.user_id = i.user_id AND n.key = 'refund-' || i.id || '-' || i.amount_refunded_cents)
     LIMIT ${AT_ONCE}`,
  );
  return rows.map(({ id, user_id, invoice_number, currency, cents }) => ({
    userId: user_id,
    kind: 'refund',
    key: `refund-${id}-${cents}`,
    lotId: null,
    data: { invoice_number, currency, amount: (cents / 100).toFixed(2) },
  }));
}

interface SettlementNews {
  readonly id: number;
  readonly user_id: number;
  readonly status: (typeof DECIDED_SETTLEMENTS)[number];
  readonly statement_number: string;
  readonly title: string;
  readonly slug: string;
}

async function settlements(trx: Knex): Promise<News[]> {
  // SQL: what is new with those whom it concerns, over three tables.
  const { rows } = await trx.raw<{ rows: SettlementNews[] }>(
    `SELECT s.id, m.user_id, s.status, s.statement_number, a.title, a.slug
     FROM settlements s JOIN auctions a ON a.id = s.auction_id JOIN memberships m ON m.team_id = s.team_id
     WHERE m.role IN ${KEEPER_SQL} AND s.status IN ${DECIDED_SETTLEMENT_SQL}
       AND greatest(s.approved_at, s.paid_at) > ${LATELY}
       AND NOT EXISTS (SELECT FROM notifications n
         WHERE n.user_id = m.user_id AND n.key = 'settlement-' || s.status || '-' || s.id)
     LIMIT ${AT_ONCE}`,
  );
  return rows.map(({ id, user_id, status, statement_number, title, slug }) => ({
    userId: user_id,
    kind: status === 'paid' ? 'payout' : 'settlement',
    key: `settlement-${status}-${id}`,
    lotId: null,
    data: { name: statement_number, title, slug },
  }));
}
