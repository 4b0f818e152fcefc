/**
 * What an invoice received, what went back, what a deposit holds and what no invoice took are sums over postings. The
 * figures that lists sort by are kept beside their rows by the database itself, from each entry, and nobody else may
 * write them. What was there before becomes postings.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(COLUMNS);
  for (const step of CARRIED) await knex.raw(step);
  await knex.raw(SUMS);
  await knex.raw(FIGURES);
  await knex.raw(GUARDS);
  await knex.raw(CREDITS);
}

const COLUMNS = `
  ALTER TABLE invoices ADD COLUMN owed_cents bigint NOT NULL DEFAULT 0, ADD COLUMN reopened_at timestamptz;
  ALTER TABLE payments
    ADD COLUMN charge_id text,
    ADD COLUMN unallocated_cents bigint NOT NULL DEFAULT 0 CHECK (unallocated_cents >= 0),
    ADD COLUMN left_cents bigint NOT NULL DEFAULT 0 CHECK (left_cents >= 0),
    ADD COLUMN disputed_cents bigint NOT NULL DEFAULT 0 CHECK (disputed_cents >= 0);
  CREATE INDEX payments_of_charge ON payments (charge_id) WHERE charge_id IS NOT NULL;
  CREATE INDEX payments_disputed ON payments (invoice_id) WHERE disputed_cents > 0;
  CREATE INDEX invoices_overpaid ON invoices (id) WHERE status = 'paid' AND owed_cents < 0;
  ALTER TABLE payment_events ADD COLUMN waits_for text[];
  CREATE INDEX payment_events_waiting ON payment_events USING gin (waits_for) WHERE status = 'pending';
  UPDATE payment_events SET waits_for = array_remove(
    ARRAY[body #>> '{data,object,payment_intent}', body #>> '{data,object,id}'], NULL) WHERE status = 'pending';
  CREATE TABLE money_tries (
    invoice_id bigint PRIMARY KEY REFERENCES invoices,
    tries integer NOT NULL,
    reason text NOT NULL,
    next_at timestamptz NOT NULL,
    set_aside_at timestamptz
  );
`;

/** Posts what a query says: cause, kind, currency, account, amount, invoice, payment, settlement, auction. */
const posting = (rows: string) => `
  CREATE TEMP TABLE carried ON COMMIT DROP AS
    SELECT cause, kind, currency, account, amount::bigint AS amount, invoice_id::bigint AS invoice_id,
      payment_id::bigint AS payment_id, settlement_id::bigint AS settlement_id, auction_id::bigint AS auction_id
    FROM (${rows}) r (cause, kind, currency, account, amount, invoice_id, payment_id, settlement_id, auction_id)
    WHERE amount <> 0;
  WITH posted AS (
    INSERT INTO ledger_postings (cause, kind) SELECT DISTINCT cause, kind FROM carried
    ON CONFLICT (cause) DO NOTHING RETURNING id, cause)
  INSERT INTO ledger_entries
    (posting_id, account, currency, amount, invoice_id, payment_id, settlement_id, auction_id)
  SELECT p.id, c.account, c.currency, c.amount, c.invoice_id, c.payment_id, c.settlement_id, c.auction_id
    FROM posted p JOIN carried c USING (cause);
  DROP TABLE carried;
`;

/** The other side of what an invoice receives or gives back. */
const HOLDS = `CASE WHEN i.kind = 'deposit' THEN 'deposits_held' ELSE 'receivable' END`;
const EARNED = `CASE WHEN i.kind = 'platform_fee' AND i.campaign_id IS NULL THEN 'owed_to_sellers'
  ELSE CASE n.kind WHEN 'hammer' THEN 'owed_to_sellers' WHEN 'premium' THEN 'premium' WHEN 'tax' THEN 'tax'
    WHEN 'commission' THEN 'commission' WHEN 'subscription' THEN 'subscriptions' ELSE 'fees' END END`;

const CARRIED = [
  posting(`
    SELECT 'invoice:' || i.id, 'invoice', i.currency, side.account, side.amount, i.id, NULL, NULL, i.auction_id
    FROM invoices i JOIN invoice_lines n ON n.invoice_id = i.id AND n.kind <> 'deposit'
    CROSS JOIN LATERAL (VALUES ('receivable', n.amount_cents), (${EARNED}, -n.amount_cents)) side (account, amount)
    WHERE i.status IN ('open', 'paid', 'refunded')`),
  posting(`
    SELECT 'payment:' || y.id, 'payment', y.currency, side.account, side.amount, NULL, y.id, NULL, NULL
    FROM payments y
    CROSS JOIN LATERAL (VALUES ('provider', y.amount_cents), ('unallocated', -y.amount_cents)) side (account, amount)
    WHERE y.status <> 'failed' AND y.provider <> 'settlement'`),
  posting(`
    SELECT 'allocation:' || y.id || ':0', 'allocation', y.currency, side.account, side.amount, side.invoice_id,
      y.id, NULL, side.auction_id
    FROM payments y JOIN invoices i ON i.id = y.invoice_id
    CROSS JOIN LATERAL (SELECT CASE WHEN y.status = 'applied' THEN y.amount_cents
      ELSE least(y.refunded_cents, i.amount_refunded_cents) END AS cents) c
    CROSS JOIN LATERAL (VALUES ('unallocated', c.cents, NULL::bigint, NULL::bigint),
      (${HOLDS}, -c.cents, i.id, i.auction_id)) side (account, amount, invoice_id, auction_id)
    WHERE y.provider <> 'settlement' AND (y.status = 'applied' OR i.status = 'voided')`),
  posting(`
    SELECT 'allocation:' || y.id || ':0', 'allocation', y.currency, side.account, side.amount, side.invoice_id,
      NULL, side.settlement_id, i.auction_id
    FROM payments y JOIN invoices i ON i.id = y.invoice_id JOIN settlements s ON s.fee_invoice_id = i.id
    CROSS JOIN LATERAL (VALUES ('owed_to_sellers', y.amount_cents, NULL::bigint, s.id),
      ('receivable', -y.amount_cents, i.id, NULL::bigint)) side (account, amount, invoice_id, settlement_id)
    WHERE y.provider = 'settlement'`),
  posting(`
    SELECT 'refund:carried:' || y.id, 'refund', y.currency, side.account, side.amount, side.invoice_id, y.id, NULL,
      side.auction_id
    FROM payments y LEFT JOIN invoices i ON i.id = y.invoice_id
    CROSS JOIN LATERAL (SELECT CASE WHEN y.status = 'applied' THEN y.refunded_cents
      WHEN i.status = 'voided' THEN least(y.refunded_cents, i.amount_refunded_cents) ELSE 0 END AS cents) c
    CROSS JOIN LATERAL (VALUES ('provider', -y.refunded_cents, NULL::bigint, NULL::bigint),
      ('unallocated', y.refunded_cents - c.cents, NULL, NULL),
      (${HOLDS}, c.cents, i.id, i.auction_id)) side (account, amount, invoice_id, auction_id)
    WHERE y.refunded_cents > 0`),
  posting(`
    SELECT 'credit:carried:' || c.id, 'credit', i.currency, side.account, side.amount, side.invoice_id, NULL, NULL,
      i.auction_id
    FROM deposit_credits c JOIN invoices i ON i.id = c.invoice_id
    CROSS JOIN LATERAL (VALUES ('deposits_held', c.amount_cents, c.deposit_invoice_id),
      ('receivable', -c.amount_cents, c.invoice_id)) side (account, amount, invoice_id)
    WHERE c.released_at IS NULL`),
  // What a paid sale was given back of is no debt; each of those that it is for bears a share, the seller's rounded.
  posting(`
    WITH missing AS (
      SELECT i.id, i.currency, i.auction_id, sum(e.amount) AS cents FROM invoices i
      JOIN ledger_entries e ON e.invoice_id = i.id AND e.account = 'receivable'
      WHERE i.status IN ('paid', 'refunded') GROUP BY i.id HAVING sum(e.amount) > 0),
    shares AS (
      SELECT m.id, e.account, sum(-e.amount) AS billed, sum(sum(-e.amount)) OVER (PARTITION BY m.id) AS total,
        sum(sum(-e.amount)) OVER (PARTITION BY m.id ORDER BY array_position(
          ARRAY['owed_to_sellers', 'premium', 'tax'], e.account) NULLS LAST, e.account) AS upto
      FROM missing m JOIN ledger_entries e ON e.invoice_id = m.id
      JOIN ledger_postings p ON p.id = e.posting_id AND p.kind = 'invoice'
      WHERE e.account <> 'receivable' GROUP BY m.id, e.account)
    SELECT 'credit_note:' || m.id || ':carried', 'credit_note', m.currency, s.account,
      round(m.cents * s.upto / s.total) - round(m.cents * (s.upto - s.billed) / s.total), m.id, NULL::bigint,
      NULL::bigint, m.auction_id
    FROM missing m JOIN shares s USING (id)
    UNION ALL
    SELECT 'credit_note:' || m.id || ':carried', 'credit_note', m.currency, 'receivable', -m.cents, m.id, NULL, NULL,
      m.auction_id FROM missing m`),
  // What the house takes of a sale is what its seller’s figures come short of it by.
  posting(`
    WITH taken AS (
      SELECT s.id, s.currency, s.auction_id, l.fees, l.platform,
        l.platform - coalesce((SELECT sum(e.amount) FROM ledger_entries e
          JOIN ledger_postings p ON p.id = e.posting_id JOIN invoices i ON i.id = e.invoice_id
          WHERE i.auction_id = s.auction_id AND i.kind = 'winner' AND e.account = 'owed_to_sellers'), 0)
        - l.net - coalesce((SELECT sum(a.amount_cents) FROM settlement_adjustments a
          WHERE a.auction_id = s.auction_id AND a.kind = 'sale' AND a.lot_id IS NOT NULL), 0) AS cents
      FROM settlements s CROSS JOIN LATERAL (
        SELECT coalesce(sum(n.net_cents), 0) AS net,
          coalesce(sum(n.hammer_cents) FILTER (WHERE n.settled_by = 'platform'), 0) AS platform,
          coalesce(sum((SELECT sum((f ->> 'amount_cents')::bigint) FROM jsonb_array_elements(n.fees) f)), 0) AS fees
        FROM settlement_lines n WHERE n.settlement_id = s.id) l
      WHERE s.kind = 'auction')
    SELECT 'commission:' || t.id || ':carried', 'commission', t.currency, side.account, side.amount, NULL, NULL, t.id,
      t.auction_id
    FROM taken t CROSS JOIN LATERAL (VALUES ('owed_to_sellers', t.cents - t.platform), ('at_platforms', t.platform),
      ('fees', -t.fees), ('commission', t.fees - t.cents)) side (account, amount)`),
  posting(`
    WITH carried AS (
      SELECT a.settlement_id, a.auction_id, sum(a.amount_cents - a.commission_cents) AS cents
      FROM settlement_adjustments a GROUP BY 1, 2)
    SELECT 'payout:' || s.id, 'payout', s.currency, side.account, side.amount, NULL, NULL, s.id, side.auction_id
    FROM settlements s CROSS JOIN LATERAL (
      SELECT 'paid_out' AS account, -s.payout_cents AS amount, NULL::bigint AS auction_id
      UNION ALL SELECT 'owed_to_sellers', s.payout_cents
        - coalesce((SELECT sum(cents) FROM carried WHERE settlement_id = s.id), 0), s.auction_id
      UNION ALL SELECT 'owed_to_sellers', cents, auction_id FROM carried WHERE settlement_id = s.id) side
    WHERE s.status = 'paid'`),
];

/** What one entry adds to the figures of its invoice and of its payment. */
const OF_INVOICES = `
  SELECT e.invoice_id AS id,
    coalesce(sum(-e.amount) FILTER (WHERE p.kind = 'allocation'), 0) AS paid,
    coalesce(sum(e.amount) FILTER (WHERE p.kind = 'refund'), 0) AS refunded,
    coalesce(sum(CASE e.account WHEN 'receivable' THEN -e.amount ELSE e.amount END)
      FILTER (WHERE p.kind = 'credit'), 0) AS credited,
    coalesce(sum(e.amount) FILTER (WHERE e.account = 'receivable'), 0) AS owed
  FROM entered e JOIN ledger_postings p ON p.id = e.posting_id
  WHERE e.invoice_id IS NOT NULL AND e.account IN ('receivable', 'deposits_held') GROUP BY 1`;
const OF_PAYMENTS = `
  SELECT e.payment_id AS id,
    coalesce(sum(-e.amount) FILTER (WHERE p.kind = 'refund'
      AND e.account IN ('provider', 'refunds_under_way', 'disputed')), 0) AS refunded,
    coalesce(sum(-e.amount) FILTER (WHERE e.account = 'unallocated'), 0) AS unallocated,
    coalesce(sum(e.amount) FILTER (WHERE e.account IN ('provider', 'refunds_under_way')), 0) AS remains,
    coalesce(sum(e.amount) FILTER (WHERE e.account = 'disputed'), 0) AS disputed
  FROM entered e JOIN ledger_postings p ON p.id = e.posting_id WHERE e.payment_id IS NOT NULL GROUP BY 1`;

const SUMS = `
  SET CONSTRAINTS ALL IMMEDIATE;
  WITH entered AS (SELECT * FROM ledger_entries), f AS (${OF_INVOICES})
  UPDATE invoices i SET amount_paid_cents = f.paid, amount_refunded_cents = f.refunded, credited_cents = f.credited,
    owed_cents = f.owed FROM f WHERE f.id = i.id;
  WITH entered AS (SELECT * FROM ledger_entries), f AS (${OF_PAYMENTS})
  UPDATE payments y SET refunded_cents = f.refunded, unallocated_cents = f.unallocated, left_cents = f.remains,
    status = CASE WHEN f.unallocated > 0 THEN 'unallocated' WHEN f.refunded >= y.amount_cents THEN 'refunded'
      ELSE 'applied' END
    FROM f WHERE f.id = y.id;
`;

const FIGURES = `
  CREATE FUNCTION ledger_keeps_figures() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE invoices i SET
      amount_due_cents = i.amount_due_cents - CASE WHEN i.kind = 'deposit' THEN 0 ELSE f.credited END,
      amount_paid_cents = i.amount_paid_cents + f.paid,
      amount_refunded_cents = i.amount_refunded_cents + f.refunded,
      credited_cents = i.credited_cents + f.credited,
      owed_cents = i.owed_cents + f.owed
    FROM (${OF_INVOICES}) f WHERE f.id = i.id;
    UPDATE payments y SET
      refunded_cents = y.refunded_cents + f.refunded,
      unallocated_cents = y.unallocated_cents + f.unallocated,
      left_cents = y.left_cents + f.remains,
      disputed_cents = y.disputed_cents + f.disputed,
      status = CASE WHEN y.unallocated_cents + f.unallocated > 0 THEN 'unallocated'
        WHEN y.refunded_cents + f.refunded >= y.amount_cents THEN 'refunded' ELSE 'applied' END
    FROM (${OF_PAYMENTS}) f WHERE f.id = y.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER ledger_entries_keep_figures AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS entered FOR EACH STATEMENT EXECUTE FUNCTION ledger_keeps_figures();
`;

const GUARDS = `
  CREATE FUNCTION ledger_figures_are_sums() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_trigger_depth() < 2 THEN
      RAISE EXCEPTION 'the figures of % are sums over postings', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER invoices_figures_are_sums
    BEFORE UPDATE OF amount_paid_cents, amount_refunded_cents, credited_cents, owed_cents ON invoices
    FOR EACH ROW EXECUTE FUNCTION ledger_figures_are_sums();
  CREATE TRIGGER payments_figures_are_sums
    BEFORE UPDATE OF refunded_cents, unallocated_cents, left_cents, disputed_cents ON payments
    FOR EACH ROW EXECUTE FUNCTION ledger_figures_are_sums();
`;

/** Which deposit covers how much of which invoice. */
const CREDITS = `
  DROP TABLE refunds;
  DROP TABLE deposit_credits;
  CREATE VIEW deposit_credits AS
    SELECT min(p.id) AS id, d.invoice_id AS deposit_invoice_id, w.invoice_id, sum(-w.amount)::bigint AS amount_cents,
      min(p.created_at) AS created_at
    FROM ledger_postings p
    JOIN ledger_entries d ON d.posting_id = p.id AND d.account = 'deposits_held'
    JOIN ledger_entries w ON w.posting_id = p.id AND w.account = 'receivable'
    WHERE p.kind = 'credit' GROUP BY 2, 3 HAVING sum(w.amount) <> 0;
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE refunds (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, invoice_id bigint REFERENCES invoices,
      event_id text NOT NULL UNIQUE, charge_id text NOT NULL,
      status text NOT NULL CONSTRAINT refunds_status_check CHECK (status IN ('applied', 'pending', 'unallocated')),
      amount_cents bigint NOT NULL CHECK (amount_cents >= 0), created_at timestamptz NOT NULL DEFAULT now());
    CREATE INDEX refunds_of_invoice ON refunds (invoice_id, id);
    CREATE INDEX refunds_of_charge ON refunds (charge_id);
    INSERT INTO refunds (invoice_id, event_id, charge_id, status, amount_cents, created_at)
      SELECT e.invoice_id, p.cause || '-' || e.id, y.payment_id,
        CASE WHEN e.account = 'unallocated' THEN 'unallocated' ELSE 'applied' END, e.amount, p.created_at
      FROM ledger_postings p JOIN ledger_entries e ON e.posting_id = p.id JOIN payments y ON y.id = e.payment_id
      WHERE p.kind = 'refund' AND e.account IN ('receivable', 'deposits_held', 'unallocated') AND e.amount > 0;
    UPDATE payments y SET status = 'applied' WHERE status = 'refunded' AND EXISTS (
      SELECT FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
      WHERE e.payment_id = y.id AND p.kind = 'refund' AND e.account IN ('receivable', 'deposits_held'));
    ALTER VIEW deposit_credits RENAME TO credits_before;
    CREATE TABLE deposit_credits (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      deposit_invoice_id bigint NOT NULL REFERENCES invoices, invoice_id bigint NOT NULL REFERENCES invoices,
      amount_cents bigint NOT NULL CHECK (amount_cents > 0), created_at timestamptz NOT NULL DEFAULT now(),
      released_at timestamptz);
    INSERT INTO deposit_credits (deposit_invoice_id, invoice_id, amount_cents, created_at)
      SELECT deposit_invoice_id, invoice_id, amount_cents, created_at FROM credits_before;
    DROP VIEW credits_before;
    CREATE UNIQUE INDEX deposit_credits_one ON deposit_credits (deposit_invoice_id, invoice_id)
      WHERE released_at IS NULL;
    CREATE INDEX deposit_credits_of_invoice ON deposit_credits (invoice_id);
    DROP TRIGGER ledger_entries_keep_figures ON ledger_entries;
    DROP TRIGGER invoices_figures_are_sums ON invoices;
    DROP TRIGGER payments_figures_are_sums ON payments;
    DROP FUNCTION ledger_keeps_figures; DROP FUNCTION ledger_figures_are_sums;
    DROP TABLE money_tries;
    ALTER TABLE payment_events DROP COLUMN waits_for;
    ALTER TABLE payments DROP COLUMN charge_id, DROP COLUMN unallocated_cents, DROP COLUMN left_cents,
      DROP COLUMN disputed_cents;
    DROP INDEX invoices_overpaid;
    ALTER TABLE invoices DROP COLUMN owed_cents, DROP COLUMN reopened_at;
  `);
}
