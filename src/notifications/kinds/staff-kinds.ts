/** What bidders are told when others change what they rely on: a bid is voided, a lead returns, a lot is withdrawn. */
import { onLotSql } from '../../bidding/records/sale-units.ts';
import { inARow, sentencesIn, type Words } from '../../shared/languages/phrasebook.ts';
import { amountSql, moneyText } from '../../shared/money-text.ts';
import { calledSql, kindOf, LATELY, type LotData, lotPath } from './kind.ts';

const VOIDED = `FROM f JOIN lots l ON l.id = f.lot_id JOIN auctions a ON a.id = l.auction_id
  JOIN bids b ON b.bid_id = f.data->>'bid_id'`;

/** What the lot is at once a bid of it is void; nothing where nobody bids on it, or on a tract with others only. */
interface AfterVoid extends LotData {
  readonly amount: string | null;
  readonly currency: string;
}

const AFTER_VOID = `${calledSql('l')}, 'currency', a.currency,
  'amount', nullif((f.data->>'current_bid')::numeric, 0)::text, 'reason', f.data->>'reason'`;

const LED = `outcome IN ('leading', 'leading_reserve_not_met')`;

/**
 * Whom a void concerns besides the bidder: whoever was outbid or refused by what is gone, as long as they do not lead.
 * They are told only where the price has fallen, and not where the clerk took a call back, which lasts ten seconds.
 * What has bought a part of a lot has kept nobody out: the clock moves the price.
 */
const KEPT_OUT = `
  SELECT o.user_id FROM bids o WHERE o.lot_id = b.lot_id AND o.sequence > b.sequence AND NOT o.voided
  UNION
  SELECT o.user_id FROM (SELECT user_id FROM bids w WHERE w.lot_id = b.lot_id AND w.sequence < b.sequence AND NOT voided AND ${LED}
    ORDER BY sequence DESC LIMIT 1) o
  UNION
  SELECT r.user_id FROM refused_bids r WHERE r.lot_id = l.id AND r.code = 'bid_too_low' AND r.refused_at >= b.placed_at`;

/** Bidders of a lot who have not lost all their bids to voids. */
const BIDDERS = `SELECT DISTINCT user_id FROM bids WHERE user_id IS NOT NULL AND NOT voided`;

/** Whom a withdrawn lot concerns: who has bid on it, sealed or not, and who watches it. */
const INTERESTED = `
  SELECT user_id, bool_or(has_bid) AS has_bid FROM (
    SELECT b.user_id, true AS has_bid FROM bids b WHERE ${onLotSql('b', 'l')} AND b.user_id IS NOT NULL AND NOT b.voided
    UNION ALL
    SELECT s.user_id::bigint, true FROM jsonb_array_elements_text(n.bidder_ids) s (user_id)
    UNION ALL
    SELECT w.user_id, false FROM watchlist w WHERE w.lot_id = l.id) one
  GROUP BY user_id`;

export const STAFF_KINDS = {
  bid_voided: kindOf<AfterVoid & { readonly own: boolean; readonly bid: string; readonly reason: string }>({
    label: 'A bid of yours, or one that kept you out, was voided',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['bid.voided'],
      select: `SELECT p.user_id, 'bid-voided-' || b.bid_id, l.id,
          jsonb_build_object(${AFTER_VOID}, 'own', p.own, 'bid', ${amountSql('b.amount_cents', 'a.currency')}), f.id
        ${VOIDED} CROSS JOIN LATERAL (
          SELECT b.user_id, true AS own WHERE b.user_id IS NOT NULL
          UNION ALL
          SELECT k.user_id, false FROM (${KEPT_OUT}) k
          WHERE k.user_id IS NOT NULL AND k.user_id IS DISTINCT FROM b.user_id
            AND k.user_id IS DISTINCT FROM f.user_id AND k.user_id IS DISTINCT FROM l.leader_user_id
            AND l.status = 'active' AND b.outcome <> 'won' AND (f.data->>'undone') IS DISTINCT FROM 'true'
            AND (f.data->>'previous_bid')::numeric > (f.data->>'current_bid')::numeric) p`,
    },
    text: (data, lotId) =>
      data.own
        ? {
            title: 'Your bid was voided',
            body: `Your bid of ${moneyText(data.bid, data.currency)} on ${data.title} was voided: ${data.reason}`,
            path: lotPath(lotId),
          }
        : {
            title: 'You can bid again',
            body:
              data.amount === null
                ? `A bid on ${data.title} that kept you out was voided.`
                : `A bid on ${data.title} that kept you out was voided. ` +
                  `The lot is at ${moneyText(data.amount, data.currency)} now.`,
            path: lotPath(lotId),
          },
  }),
  leading_again: kindOf<AfterVoid & { readonly reason: string }>({
    label: 'You lead again, because a bid was voided',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['bid.voided'],
      select: `SELECT f.user_id, 'leading-again-' || b.bid_id, l.id,
          jsonb_build_object(${AFTER_VOID}), f.id
        ${VOIDED} WHERE f.user_id IS NOT NULL AND f.user_id = l.leader_user_id`,
    },
    text: (data, lotId) => ({
      title: 'You lead again',
      body:
        data.amount === null
          ? `A bid on ${data.title} was voided, so you lead again: ${data.reason}`
          : `A bid on ${data.title} was voided, so you lead again, ` +
            `at ${moneyText(data.amount, data.currency)}: ${data.reason}`,
      path: lotPath(lotId),
    }),
  }),
  bid_group_exceeded: kindOf<LotData & { readonly wanted: number }>({
    label: 'A lead of a bid group came back beyond what you want',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT g.user_id, 'bid-group-' || g.id || '-' || extract(epoch FROM m.returned_at), l.id,
          jsonb_build_object(${calledSql('l')}, 'wanted', g.wanted)
        FROM bid_group_lots m JOIN bid_groups g ON g.id = m.group_id JOIN lots l ON l.id = m.lot_id
        WHERE m.returned_at > ${LATELY}`,
    },
    text: ({ title, wanted }) => ({
      title: 'You lead on more lots than your bid group wants',
      body:
        `A bid on ${title} was voided, so you lead there again, and your group wants no more than ${wanted}. ` +
        'It does not bid on it further; the bid stands.',
      path: '/account/bid-groups',
    }),
  }),
  account_suspended: kindOf<{ readonly reason: string | null; readonly leads: 'left' | 'voided' | null }>({
    label: 'Your account was suspended',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT u.id, 'account-suspended-' || extract(epoch FROM u.suspended_at), NULL::bigint,
          jsonb_build_object('reason', u.suspended_reason, 'leads', u.suspended_leads)
        FROM users u WHERE u.suspended_at > ${LATELY}`,
    },
    text: ({ reason, leads }) => ({
      title: 'Your account is suspended',
      body: inARow([
        'You can read everything and change nothing.',
        ...(reason === null ? [] : ['The reason:', { theirs: reason }]),
        ...(leads === null ? [] : [LEADS[leads]]),
      ]),
      path: '/account/board',
    }),
  }),
  lot_amended: kindOf<LotData & { readonly reason: string; readonly fields: readonly string[] }>({
    label: 'A lot that you have bid on was amended',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT b.user_id, 'lot-amended-' || m.id, l.id,
          jsonb_build_object(${calledSql('l')}, 'reason', m.reason,
            'fields', (SELECT jsonb_agg(key ORDER BY key) FROM json_object_keys(m.amendment->'after') key))
        FROM lot_amendments m JOIN lots l ON l.id = m.lot_id
        CROSS JOIN LATERAL (${BIDDERS} AND lot_id = m.lot_id) b
        WHERE m.amended_at > ${LATELY}`,
    },
    text: ({ title, reason }, lotId) => ({
      title: 'A lot was amended',
      body: `The seller has changed what ${title} is said to be: ${reason} The page shows both texts.`,
      path: `${lotPath(lotId)}#amendments`,
    }),
  }),
  lot_withdrawn: kindOf<LotData & { readonly reason: string; readonly has_bid: boolean }>({
    label: 'A lot that you have bid on or watch was withdrawn',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT p.user_id, 'lot-withdrawn-' || l.id, l.id,
          jsonb_build_object(${calledSql('l')}, 'reason', n.reason, 'has_bid', p.has_bid)
        FROM lot_announcements n JOIN lots l ON l.id = n.lot_id CROSS JOIN LATERAL (${INTERESTED}) p
        WHERE n.kind = 'withdrawn' AND n.happened_at > ${LATELY}`,
    },
    text: ({ title, reason, has_bid: hasBid }, lotId) => ({
      title: 'A lot was withdrawn',
      body: inARow([
        hasBid
          ? `${title} was withdrawn from its sale. Your bids on it no longer count, and you owe nothing for it.`
          : `${title} was withdrawn from its sale.`,
        ...whyWithdrawn(reason),
      ]),
      path: lotPath(lotId),
    }),
  }),
  sale_changed: kindOf<
    LotData & { readonly slug: string; readonly changes: string; readonly reason: string }
  >({
    label: 'The terms of a sale that you have bid in were changed',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT b.user_id, 'sale-changed-' || c.id, NULL::bigint,
          jsonb_build_object(${calledSql('a')}, 'slug', a.slug, 'changes', c.sentence, 'reason', c.reason)
        FROM sale_changes c JOIN auctions a ON a.id = c.auction_id
        CROSS JOIN LATERAL (${BIDDERS} AND auction_id = c.auction_id) b
        WHERE c.changed_at > ${LATELY} AND c.reason IS NOT NULL`,
    },
    text: ({ title, slug, changes, reason }) => ({
      title: 'The terms of a sale were changed',
      body: inARow([{ theirs: `${title}:` }, ...sentencesIn(changes), { theirs: reason }]),
      path: `/auctions/${slug}#history`,
    }),
  }),
} as const;

/** Reasons that the service gives itself. */
const WITHDRAWN_BY: Readonly<Record<string, string>> = {
  'withdrawn by the seller': 'The seller has withdrawn it.',
  auction_cancelled: 'Its sale was cancelled.',
};

function whyWithdrawn(reason: string): Words {
  const own = WITHDRAWN_BY[reason];
  return own === undefined ? ['The reason:', { theirs: reason }] : [own];
}

const LEADS = {
  left: 'The bids with which you lead stay.',
  voided: 'The bids with which you led were voided.',
} as const;
