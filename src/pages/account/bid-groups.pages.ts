/**
 * `/account/bid-groups`: lots of one sale of which somebody wants only so many, with what the agent has come to on
 * each, a button that stops it, and the form that sets one up. All of it works without the script, which keeps it true.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { houseIncrements } from '../../../engine/auction/increments.ts';
import { lotView } from '../../../engine/formats/formats.ts';
import { type ChangeParts, createGroup, stopGroup } from '../../bidding/groups/change-groups.ts';
import { readChoices } from '../../bidding/groups/group-choices.ts';
import { type GroupInFull, type GroupLot, listGroups } from '../../bidding/groups/read-groups.ts';
import { Id } from '../../shared/fields.schema.ts';
import type { Language } from '../../shared/language.ts';
import { notFound, REFUSALS } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { type AuctionInFull, readAuctionInFull } from '../auctions/auction-in-full.ts';
import { readPictures } from '../components/lot-pictures.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';
import {
  formChoices,
  MAX_LOTS,
  NOTHING_WRONG,
  problemsOf,
  requireWish,
  type Wrong,
  wishOf,
} from './bid-group-form.ts';

export interface BidGroupPageParts extends ChangeParts {
  readonly pages: Pages;
}

const LIST = '/account/bid-groups';
const NEW = `${LIST}/new`;
const PER_PAGE = 10;

const Typed = Type.String({ maxLength: 40 });
const GroupForm = Type.Object(
  { wanted: Typed },
  { patternProperties: { '^(max|wish)_[1-9][0-9]{0,14}$': Typed } },
);
const Slug = Type.String({ pattern: '^[a-z0-9-]{1,400}$' });
/** Without a sale there is nothing to choose from: the list is shown. */
const Sale = Type.Object({ auction: Type.Optional(Slug) });

export function bidGroupPages(parts: BidGroupPageParts): Endpoint[] {
  return [list(parts), form(parts), create(parts), stop(parts)];
}

function list(parts: BidGroupPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: LIST,
    operationId: 'bidGroupsPage',
    summary: 'The bid groups of the session’s user',
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async ({ userId }) => {
        const { page } = request.query;
        const { groups, total, stale } = await listGroups(parts, userId, { page, perPage: PER_PAGE });
        const data = {
          groups: groups.map((group) => shownGroup(group, parts.journal.nowUs(), languageOf(request))),
          refusals: REFUSALS,
          stale,
          page,
          lastPage: lastPageOf({ perPage: PER_PAGE, total }),
          modules: ['bid-groups.js'],
        };
        return parts.pages.html(request, { title: 'Bid groups', template: 'account/bid-groups', data });
      }),
  });
}

function shownGroup({ group, auction, lots }: GroupInFull, nowUs: number, language: Language) {
  const { id, wanted, status, created_at } = group;
  const shown = lots.map((lot) => shownLot(lot, auction, nowUs, language));
  return { id, wanted, status, created_at, auction, lots: shown };
}

function shownLot(
  { row, state, status }: GroupLot,
  { currency }: GroupInFull['auction'],
  nowUs: number,
  language: Language,
) {
  const sight = { viewer: null, increments: houseIncrements(currency), nowUs };
  const view = state === null ? null : lotView(state, sight);
  return {
    id: row.lot_id,
    number: row.lot_number,
    title: inReadersWords(row, language).title,
    status,
    refusal: row.refusal,
    maxCents: row.max_cents,
    priceCents: view?.hammerCents ?? view?.currentCents ?? 0,
  };
}

function form(parts: BidGroupPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: NEW,
    operationId: 'newBidGroupPage',
    summary: 'The form that sets up a bid group in a sale',
    query: Sale,
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const { auction: slug } = request.query;
        if (slug === undefined) return parts.pages.go(LIST);
        const auction = await requireSale(parts, slug, who);
        return showForm(parts, request, who, auction, { filled: {}, wrong: NOTHING_WRONG, status: 200 });
      }),
  });
}

function create(parts: BidGroupPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: NEW,
    operationId: 'createBidGroupOnPage',
    summary: 'Sets up a bid group',
    query: Sale,
    body: { form: GroupForm },
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const auction = await requireSale(parts, request.query.auction ?? '', who);
        const wish = wishOf(auction.id, request.body, languageOf(request));
        try {
          requireWish(wish);
          const founder = { principal: who, ip: request.ip, browser: request.headers['user-agent'] ?? '' };
          await createGroup(parts, founder, wish);
          return parts.pages.go(LIST);
        } catch (error) {
          const problem = parts.pages.problemOf(error);
          if (problem === null || problem.status >= 500) throw error;
          const wrong = problemsOf(problem, wish, auction.slug);
          return showForm(parts, request, who, auction, {
            ...{ filled: request.body, wrong, status: problem.status },
          });
        }
      }),
  });
}

interface Shown {
  /** As it was typed. */
  readonly filled: Readonly<Record<string, string>>;
  readonly wrong: Wrong;
  readonly status: number;
}

async function showForm(
  { knex, pages }: BidGroupPageParts,
  request: HttpRequest,
  { userId }: SignedIn,
  auction: AuctionInFull,
  { filled, wrong, status }: Shown,
): Promise<Reply> {
  const language = languageOf(request);
  const choices = (await readChoices(knex, userId, auction.id)).map((choice) =>
    inReadersWords(choice, language),
  );
  const pictures = await readPictures(
    knex,
    choices.map(({ id }) => id),
  );
  const data = {
    auction: inReadersWords(auction, language),
    choices: formChoices(choices, filled, wrong),
    positions: Math.min(MAX_LOTS, choices.length),
    pictures: Object.fromEntries(pictures),
    wanted: filled['wanted'] ?? '1',
    problems: wrong.problems,
    notice: wrong.notice,
    action: `${NEW}?auction=${auction.slug}`,
  };
  return pages.html(request, { title: 'New bid group', template: 'account/bid-group-form', data, status });
}

async function requireSale({ knex }: BidGroupPageParts, slug: string, who: SignedIn): Promise<AuctionInFull> {
  const auction = await readAuctionInFull(knex, slug, who);
  if (auction === null) throw notFound('There is no such auction.');
  return auction;
}

function stop(parts: BidGroupPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${LIST}/{group}/stop`,
    operationId: 'stopBidGroupOnPage',
    summary: 'Stops a bid group',
    params: Type.Object({ group: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      parts.pages.forSignedIn(request, async ({ userId }) => {
        await stopGroup(parts, userId, request.params.group);
        return parts.pages.go(LIST);
      }),
  });
}
