/**
 * `/account/registrations`: what somebody is registered for, and of each sale what they can do next, until when and
 * where: what waits for them first, then by when it ends, and the sales that are over last.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import type { BidderStatus } from '../../../engine/auction/record.ts';
import type { Language } from '../../shared/language.ts';
import { isOverAuction, OVER_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';
import { inReadersWords, type Translations } from '../../shared/translations.ts';
import { type NextStep, nextStep } from '../components/registration-step.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';

export interface OwnRegistrationPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const PER_PAGE = 20;

export function ownRegistrationPages({ knex, pages }: OwnRegistrationPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/account/registrations',
      operationId: 'registrationsPage',
      summary: 'The auctions that the session’s user is registered for',
      query: Type.Object({ page: PageNumber }),
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { page } = request.query;
          const { rows, total } = await readOwn(knex, who.userId, page);
          const shown = rows.map((row) => shownRow(row, who, languageOf(request)));
          const data = {
            groups: [
              { isOver: false, rows: shown.filter(({ isOver }) => !isOver) },
              { isOver: true, rows: shown.filter(({ isOver }) => isOver) },
            ].filter(({ rows: some }) => some.length > 0),
            page,
            lastPage: lastPageOf({ perPage: PER_PAGE, total }),
          };
          return pages.html(request, { title: 'Registrations', template: 'account/registrations', data });
        }),
    }),
  ];
}

interface OwnRow {
  readonly id: number;
  readonly status: BidderStatus;
  readonly paddle_number: string | null;
  readonly bid_limit_cents: number | null;
  readonly reason: string | null;
  readonly title: string;
  readonly language: Language | null;
  readonly translations: Translations;
  readonly slug: string;
  readonly currency: string;
  readonly auction_status: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly requires_verified: boolean;
  readonly must_accept: boolean;
  readonly seller_slug: string;
  readonly deposit: OwnDeposit | null;
}

interface OwnDeposit {
  readonly number: string;
  readonly status: string;
  readonly cents: number;
}

/** SQL: the deposit that counts: the newest invoice of it that was not taken back. */
const DEPOSIT = `(SELECT json_build_object(
    'number', i.invoice_number, 'status', i.status, 'cents', i.amount_due_cents)
  FROM invoices i WHERE i.kind = 'deposit' AND i.auction_id = r.auction_id AND i.user_id = r.user_id
    AND i.status <> 'voided' ORDER BY i.id DESC LIMIT 1)`;

async function readOwn(knex: Knex, userId: number, page: number): Promise<{ rows: OwnRow[]; total: number }> {
  // A draft is nobody's but its seller's, whom they invite to it included.
  const own = knex('registrations as r')
    .join('auctions as a', 'a.id', 'r.auction_id')
    .where('r.user_id', userId)
    .whereNot('a.status', 'draft');
  const [counted] = await own.clone().count<{ n: string }[]>('* as n');
  const rows = await own
    .join('teams as t', 't.id', 'a.team_id')
    // SQL: an order that depends on the state, and columns that are worked out.
    .orderByRaw(`a.status IN ${OVER_AUCTION_SQL},
      CASE r.status WHEN 'deposit_due' THEN 0 WHEN 'declined' THEN 2 WHEN 'suspended' THEN 2 ELSE 1 END,
      CASE WHEN a.status NOT IN ${OVER_AUCTION_SQL} THEN a.end_time END, a.end_time DESC, r.id DESC`)
    .limit(PER_PAGE)
    .offset((page - 1) * PER_PAGE)
    .select<OwnRow[]>(
      ...['r.id', 'r.status', 'r.paddle_number', 'r.bid_limit_cents', 'r.reason'],
      ...['a.title', 'a.language', 'a.translations', 'a.slug', 'a.currency', 'a.start_time', 'a.end_time'],
      ...['a.status as auction_status', 'a.registration_require_verified as requires_verified'],
      't.slug as seller_slug',
      knex.raw('(a.conditions_version IS NOT NULL AND r.conditions_version IS NULL) AS must_accept'),
      knex.raw(`${DEPOSIT} AS deposit`),
    );
  return { rows, total: Number(counted?.n ?? 0) };
}

interface ShownRow extends OwnRow {
  readonly isOver: boolean;
  readonly next: NextStep;
}

function shownRow(row: OwnRow, who: SignedIn, language: Language): ShownRow {
  // Until a worker has seen it, a request that owes its deposit is one that waits.
  const status = row.status === 'pending' && row.deposit?.status === 'open' ? 'deposit_due' : row.status;
  return {
    ...inReadersWords(row, language),
    status,
    isOver: isOverAuction(row.auction_status),
    next: nextStep(
      {
        ...{ status, saleStatus: row.auction_status, slug: row.slug, sellerSlug: row.seller_slug },
        ...{ mustVerify: row.requires_verified && !who.verified, mustAccept: row.must_accept },
        deposit: row.deposit,
      },
      who.suspended,
    ),
  };
}
