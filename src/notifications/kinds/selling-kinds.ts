/** What sellers are told of their auctions and lots. */
import { amountSql } from '../../shared/money-text.ts';
import { kindOf, LATELY, type LotData, type LotMoney, lotPath, moneyOf } from './kind.ts';

/** The members of the teams whose lots the facts are about, with the lots as they are now. */
const SELLERS = `FROM f JOIN lots l ON l.id = f.lot_id JOIN auctions a ON a.id = l.auction_id
  JOIN memberships m ON m.team_id = a.team_id`;

const LOT_OVER = ['lot.sold', 'lot.passed'] as const;

export const SELLING_KINDS = {
  application_decided: kindOf<{
    readonly name: string;
    readonly status: 'approved' | 'declined';
    readonly reason: string | null;
  }>({
    label: 'Your application to sell was approved or declined',
    audience: 'seller',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT s.user_id, 'application-' || s.id, NULL::bigint,
          jsonb_build_object('name', t.name, 'status', s.status, 'reason', s.reason)
        FROM seller_applications s JOIN teams t ON t.id = s.team_id
        WHERE s.decided_at > ${LATELY}`,
    },
    text: ({ name, status, reason }) =>
      status === 'approved'
        ? {
            title: 'Your application was approved',
            body: `${name} is approved: you can publish its auctions.`,
            path: '/sell',
          }
        : {
            title: 'Your application was declined',
            body: `${name} was declined: ${reason} You can apply again.`,
            path: '/sell',
          },
  }),
  registration_asked: kindOf<LotData & { readonly slug: string; readonly name: string }>({
    label: 'Somebody asks to bid in your auction',
    audience: 'seller',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT m.user_id, 'registration-asked-' || r.id, NULL::bigint,
          jsonb_build_object('title', a.title, 'slug', a.slug, 'name', u.name)
        FROM registrations r JOIN auctions a ON a.id = r.auction_id JOIN users u ON u.id = r.user_id
        JOIN memberships m ON m.team_id = a.team_id
        WHERE r.status = 'pending' AND r.created_at > ${LATELY}
          AND (a.registration_mode = 'approval' OR a.privacy_setting = 'private')`,
    },
    text: ({ title, slug, name }) => ({
      title: 'Registration asked',
      body: `Wants to bid in ${title}: ${name}.`,
      path: `/auctions/${slug}`,
    }),
  }),
  lot_sold: kindOf<LotMoney>({
    label: 'A lot of yours was sold',
    audience: 'seller',
    byMail: false,
    source: {
      from: 'facts',
      types: LOT_OVER,
      select: `SELECT m.user_id, 'lot_sold-' || l.id, l.id,
          jsonb_build_object('title', l.title, 'currency', a.currency,
            'amount', ${amountSql('coalesce(l.hammer_price_cents, l.current_bid_cents)', 'a.currency')}), f.id
        ${SELLERS} WHERE l.status = 'sold'`,
    },
    text: (data, lotId) => ({
      title: 'Lot sold',
      body: `Hammer price ${moneyOf(data)}: ${data.title}.`,
      path: lotPath(lotId),
    }),
  }),
  lot_unsold: kindOf<LotData>({
    label: 'A lot of yours was not sold',
    audience: 'seller',
    byMail: false,
    source: {
      from: 'facts',
      types: LOT_OVER,
      select: `SELECT m.user_id, 'lot_unsold-' || l.id, l.id, jsonb_build_object('title', l.title), f.id
        ${SELLERS} WHERE l.status <> 'sold'`,
    },
    text: ({ title }, lotId) => ({ title: 'Lot not sold', body: title, path: lotPath(lotId) }),
  }),
  new_question: kindOf<LotData & { readonly text: string }>({
    label: 'A question on a lot of yours',
    audience: 'seller',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT m.user_id, 'new-question-' || q.id, l.id, jsonb_build_object('title', l.title, 'text', q.text)
        FROM lot_questions q JOIN lots l ON l.id = q.lot_id JOIN memberships m ON m.team_id = l.team_id
        WHERE q.asked_at > ${LATELY} AND q.answer IS NULL AND NOT q.hidden`,
    },
    text: ({ title, text }) => ({
      title: 'A question',
      body: `On ${title}: ${text}`,
      path: '/seller/questions',
    }),
  }),
  enquiry: kindOf<LotData & { readonly name: string; readonly email: string; readonly text: string }>({
    label: 'Somebody writes to you about a lot',
    audience: 'seller',
    byMail: true,
    source: {
      from: 'rows',
      select: `SELECT m.user_id, 'enquiry-' || e.id, l.id,
          jsonb_build_object('title', l.title, 'name', u.name, 'email', u.email, 'text', e.text)
        FROM lot_enquiries e JOIN lots l ON l.id = e.lot_id JOIN users u ON u.id = e.user_id
        JOIN memberships m ON m.team_id = l.team_id WHERE e.created_at > ${LATELY}`,
    },
    text: ({ title, name, email, text }, lotId) => ({
      title: 'An enquiry',
      body: `About ${title}, from ${name} (${email}): ${text}`,
      path: lotPath(lotId),
    }),
  }),
  auction_ended: kindOf<LotData & { readonly slug: string }>({
    label: 'An auction of yours has ended',
    audience: 'seller',
    byMail: true,
    source: {
      from: 'facts',
      types: ['auction.ended'],
      select: `SELECT m.user_id, 'auction-ended-' || a.id, NULL::bigint,
          jsonb_build_object('title', a.title, 'slug', a.slug), f.id
        FROM f JOIN auctions a ON a.id = f.auction_id JOIN memberships m ON m.team_id = a.team_id`,
    },
    text: ({ title, slug }) => ({ title: 'Auction ended', body: title, path: `/auctions/${slug}` }),
  }),
} as const;
