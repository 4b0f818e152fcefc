/** What bidders are told of the lots that they bid on and watch, of their registrations, and of their searches. */
import { BUYERS_SQL } from '../../bidding/records/sale-outcomes.ts';
import { onLotSql } from '../../bidding/records/sale-units.ts';
import { amountSql, moneyText } from '../../shared/money-text.ts';
import { DECISION_SQL } from '../../shared/statuses/registration-statuses.ts';
import { calledSql, kindOf, LATELY, type LotData, type LotMoney, lotPath, moneyOf } from './kind.ts';

const CLOSED = `FROM f JOIN lots l ON l.id = f.lot_id JOIN auctions a ON a.id = l.auction_id`;

const CLOSED_DATA = `jsonb_build_object(${calledSql('l')}, 'currency', a.currency,
  'amount', ${amountSql('coalesce(l.hammer_price_cents, l.current_bid_cents)', 'a.currency')})`;

/** Where several have bought of a lot, what each is billed for it. */
const OWN_PART = `CASE WHEN l.winner_user_id IS NOT NULL THEN '{}' ELSE jsonb_build_object('amount', ${amountSql(
  `(SELECT sum(n.amount_cents)::bigint FROM invoices i JOIN invoice_lines n ON n.invoice_id = i.id AND n.kind = 'hammer'
    WHERE i.lot_id = l.id AND i.user_id = w.user_id AND i.kind = 'winner')`,
  'a.currency',
)}) END`;

/** What the lot was bought with, where it was with others: their numbers, and what is paid for all. */
const OWN_SET = `coalesce((SELECT jsonb_build_object('set', jsonb_build_object(
    'amount', coalesce(i.set->>'total', i.set->>'amount'), 'numbers',
    (SELECT jsonb_agg(n.lot_number ORDER BY n.lot_number) FROM lots n WHERE i.set->'lot_ids' @> to_jsonb(n.id))))
  FROM invoices i WHERE i.lot_id = l.id AND i.user_id = w.user_id AND i.kind = 'winner'
    AND jsonb_array_length(i.set->'lot_ids') > 1 ORDER BY i.id DESC LIMIT 1), '{}')`;

interface Won extends LotMoney {
  readonly set?: { readonly amount: string; readonly numbers: readonly number[] };
}

/** One, or none: what was bought with others is said of all of them. */
export function setSentences({ set, currency }: Won): string[] {
  if (set === undefined) return [];
  return [`Tracts ${set.numbers.join(', ')} as one set for ${moneyOf({ amount: set.amount, currency })}.`];
}

/** `amount` is null where tracts are sold in any combination. */
interface OutbidOn extends LotData {
  readonly amount: string | null;
  readonly currency: string;
}

const LOT_OVER = ['lot.sold', 'lot.passed'] as const;

/** A sale by its title, and the lots of it that end. */
interface EndingSoon extends LotData {
  /** What ends first first. */
  readonly lots: readonly { readonly title: string; readonly end_time: string }[];
}

const clock = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});

const endText = (iso: string) => clock.format(new Date(iso));

export const BIDDING_KINDS = {
  outbid: kindOf<OutbidOn>({
    label: 'You have been outbid',
    audience: 'bidder',
    byMail: true,
    source: { from: 'elsewhere', pass: 'outbid notices' },
    text: (data, lotId) => ({
      title: 'You have been outbid',
      body:
        data.amount === null
          ? `Other bids lead on ${data.title} now, alone or with other tracts.`
          : `The price is ${moneyText(data.amount, data.currency)} now: ${data.title}.`,
      path: lotPath(lotId),
    }),
  }),
  ending_soon: kindOf<EndingSoon>({
    label: 'Lots you watch end within an hour',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      // Once for a sale, with all of its lots that the person watches.
      select: `SELECT w.user_id, 'ending-soon-sale-' || a.id, (array_agg(l.id ORDER BY l.live_end_time, l.id))[1],
          jsonb_build_object(${calledSql('a')}, 'lots', jsonb_agg(jsonb_build_object(
            ${calledSql('l')}, 'end_time', to_jsonb(l.live_end_time)) ORDER BY l.live_end_time, l.id))
        FROM watchlist w JOIN lots l ON l.id = w.lot_id JOIN auctions a ON a.id = l.auction_id
        WHERE l.status = 'active' AND a.status = 'active' AND a.type = 'timed' AND l.live_end_time > now()
          AND l.auction_id IN (SELECT auction_id FROM lots WHERE status = 'active'
            AND live_end_time > now() AND live_end_time < now() + interval '1 hour')
        GROUP BY w.user_id, a.id HAVING min(l.live_end_time) < now() + interval '1 hour'`,
    },
    text: ({ title, lots }, lotId) => {
      const [first] = lots;
      if (first === undefined || lots.length === 1)
        return {
          title: 'Ending soon',
          body: `${first?.title ?? title} ends within an hour.`,
          path: lotPath(lotId),
        };
      return {
        title: 'Ending soon',
        body: `${lots.length} lots that you watch in ${title} end, the first of them within an hour: ${first.title}.`,
        details: lots.map((lot) => `${lot.title}: ends ${endText(lot.end_time)}.`),
        path: '/account/board',
      };
    },
  }),
  final_round: kindOf<LotData>({
    label: 'The final round of a tender that you have bid in began',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      // Nobody but the state, sealed, knows who may bid in it: all who have bid are told the same.
      select: `SELECT b.user_id::bigint, 'final-round-' || l.id, l.id, jsonb_build_object(${calledSql('l')})
        FROM lot_announcements n JOIN lots l ON l.id = n.lot_id
        CROSS JOIN LATERAL jsonb_array_elements_text(n.bidder_ids) b (user_id)
        WHERE n.kind = 'bid_again' AND n.happened_at > ${LATELY} AND l.status = 'active'`,
    },
    text: ({ title }, lotId) => ({
      title: 'The final round has begun',
      body:
        `The first round is over: ${title}. ` +
        'Its highest bidders may bid once more; the lot’s page says whether you may, and until when.',
      path: lotPath(lotId),
    }),
  }),
  question_answered: kindOf<LotData & { readonly answer: string }>({
    label: 'Your question was answered',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT q.user_id, 'question-answered-' || q.id, l.id,
          jsonb_build_object(${calledSql('l')}, 'answer', q.answer)
        FROM lot_questions q JOIN lots l ON l.id = q.lot_id WHERE q.answered_at > ${LATELY} AND NOT q.hidden`,
    },
    text: ({ title, answer }, lotId) => ({
      title: 'Your question was answered',
      body: `On ${title}: ${answer}`,
      path: `${lotPath(lotId)}#questions`,
    }),
  }),
  lot_near: kindOf<LotData>({
    label: 'A lot of yours is three away in the saleroom',
    audience: 'bidder',
    byMail: false,
    source: {
      from: 'rows',
      select: `SELECT p.user_id, 'lot-near-' || l.id, l.id, jsonb_build_object(${calledSql('l')})
        FROM salerooms s JOIN auctions a ON a.id = s.auction_id JOIN lots b ON b.id = s.lot_id
        CROSS JOIN LATERAL (SELECT id, title, translations, host_id FROM lots n WHERE n.auction_id = a.id AND n.status = 'active'
          AND n.lot_number > b.lot_number ORDER BY n.lot_number LIMIT 3) l
        CROSS JOIN LATERAL (SELECT user_id FROM watchlist WHERE lot_id = l.id
          UNION SELECT user_id FROM bids b WHERE ${onLotSql('b', 'l')} AND user_id IS NOT NULL AND NOT voided) p
        WHERE a.status = 'active' AND a.type = 'simulcast' AND s.changed_at > ${LATELY}`,
    },
    text: ({ title }, lotId) => ({
      title: 'Your lot is three away',
      body: `${title} is on the block soon.`,
      path: lotPath(lotId),
    }),
  }),
  new_sale: kindOf<LotData & { readonly slug: string; readonly name: string }>({
    label: 'A seller that you follow announces a sale',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: ['auction.published'],
      select: `SELECT w.user_id, 'new-sale-' || a.id, NULL::bigint,
          jsonb_build_object(${calledSql('a')}, 'slug', a.slug, 'name', coalesce(u.name, t.name)), f.id
        FROM f JOIN auctions a ON a.id = f.auction_id JOIN teams t ON t.id = a.team_id
        LEFT JOIN users u ON u.id = a.user_id JOIN team_follows w ON w.team_id = a.team_id
        WHERE a.privacy_setting = 'public'`,
    },
    text: ({ title, slug, name }) => ({
      title: 'A new sale',
      body: `Announced by ${name}: ${title}.`,
      path: `/auctions/${slug}`,
    }),
  }),
  won: kindOf<Won>({
    label: 'You won a lot',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'facts',
      types: LOT_OVER,
      select: `SELECT w.user_id, 'won-' || l.id, l.id, ${CLOSED_DATA} || ${OWN_PART} || ${OWN_SET}, f.id ${CLOSED}
        CROSS JOIN LATERAL (${BUYERS_SQL}) w`,
    },
    text: (data, lotId) => ({
      title: 'You won',
      body: `Hammer price ${moneyOf(data)}: ${data.title}.`,
      details: setSentences(data),
      path: lotPath(lotId),
    }),
  }),
  lost: kindOf<LotMoney>({
    label: 'You did not win a lot',
    audience: 'bidder',
    byMail: false,
    source: {
      from: 'facts',
      types: LOT_OVER,
      select: `SELECT b.user_id, 'lost-' || l.id, l.id, ${CLOSED_DATA}, f.id ${CLOSED}
        CROSS JOIN LATERAL (SELECT DISTINCT b.user_id FROM bids b
          WHERE ${onLotSql('b', 'l')} AND b.user_id IS NOT NULL AND NOT b.voided
            AND b.user_id NOT IN (${BUYERS_SQL})) b`,
    },
    text: ({ title }, lotId) => ({
      title: 'You did not win',
      body: `${title} went to somebody else or was not sold.`,
      path: lotPath(lotId),
    }),
  }),
  registration_decided: kindOf<
    LotData & { readonly slug: string; readonly status: string; readonly reason: string | null }
  >({
    label: 'A seller has decided on your registration',
    audience: 'bidder',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT r.user_id, 'registration-' || r.status || '-' || r.id, NULL::bigint,
          jsonb_build_object(${calledSql('a')}, 'slug', a.slug, 'status', r.status, 'reason', r.reason)
        FROM registrations r JOIN auctions a ON a.id = r.auction_id
        WHERE r.decided_at > ${LATELY} AND r.decided_by_user_id IS NOT NULL AND r.status IN ${DECISION_SQL}
          AND (r.invited_email IS NULL OR r.accepted_at IS NOT NULL)`,
    },
    text: ({ title, slug, status, reason }) => ({
      title: `Registration ${status}`,
      body: reason ? `In ${title}. Reason: ${reason}` : title,
      path: `/auctions/${slug}`,
    }),
  }),
  saved_search: kindOf<{ readonly name: string; readonly query: string; readonly count: number }>({
    label: 'A saved search has new lots',
    audience: 'bidder',
    byMail: true,
    source: { from: 'elsewhere', pass: 'saved searches' },
    text: ({ name, query, count }) => ({
      title: 'New lots',
      body:
        count === 1
          ? `Your search found a new lot: ${name}.`
          : `Your search found ${count} new lots: ${name}.`,
      path: `/lots?${query}`,
    }),
  }),
} as const;
