/**
 * `/lots/{id}`: a lot in full, live, with everything that can be done with it; and its watching and its standing for
 * the script.
 */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { totalOf } from '../../../engine/lot/units.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import { BidParams } from '../../bidding/explanations/explanations.endpoints.ts';
import { listQuestions, takesQuestions } from '../../catalog/questions/questions.ts';
import { addToWatchlist, removeFromWatchlist } from '../../catalog/watchlist/watchlist.ts';
import type { Language } from '../../shared/language.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { moneyText } from '../../shared/money-text.ts';
import { notFound } from '../../shared/refusal.ts';
import { saleAmounts } from '../../shared/sale-amounts.ts';
import { centsTyped } from '../../shared/typed-amount.ts';
import { seesLotSql } from '../../shared/visibility/visibility-sql.ts';
import { sizesOf } from '../components/lot-card.ts';
import type { WayOut } from '../components/way-out.ts';
import { formatPage } from '../formats/format-pages.ts';
import { locationMap } from '../map/location-map.ts';
import { onwardOf } from '../onward.ts';
import { languageOf, PAGE, type Pages, signedIn, wantsPage } from '../page.ts';
import { bidChoice } from './bid-choice.ts';
import { estimateText } from './lot-estimate.ts';
import { lotMeta, shownNumber } from './lot-meta.ts';
import { centsOf, type LotPage, type LotViewParts, readLotView } from './lot-view.ts';
import { ownPosition, readPaddle, readState, type VoidedBid } from './own-on-lot.ts';
import { pricePath, pricePoints } from './price-line.ts';

export interface LotPageParts extends LotViewParts {
  readonly pages: Pages;
}

/** What the page says above the form. */
export interface LotNotice {
  readonly kind: 'good' | 'bad' | 'warn';
  readonly text: string;
  readonly way?: WayOut | null;
}

const OUTCOMES: Readonly<Record<string, LotNotice>> = {
  leading: { kind: 'good', text: 'You are the high bidder.' },
  leading_reserve_not_met: {
    kind: 'warn',
    text: 'You are the high bidder, but the reserve is not met yet.',
  },
  max_raised: { kind: 'good', text: 'Your maximum bid has been raised.' },
  outbid: { kind: 'bad', text: 'You have been outbid: somebody’s maximum bid is higher.' },
  won: { kind: 'good', text: 'You have bought at this price.' },
};

/** Of sealed bids, about which nothing else is said before the end. */
const SEALED: Readonly<Record<string, LotNotice>> = {
  sealed: { kind: 'good', text: 'Your bid is sealed. Nobody else sees it before the end.' },
  withdrawn: { kind: 'good', text: 'Your bid no longer stands.' },
};

/** What is said after something was asked or reported. */
const SENT: Readonly<Record<string, string>> = {
  asked: 'Your question was sent to the seller. It is shown here once it is answered.',
  written: 'Your words were sent to the seller, who answers by mail.',
  reported: 'Thank you: staff will look at it.',
  chosen: 'The lots that you have chosen are yours.',
};

const OUTBID: LotNotice = { kind: 'bad', text: 'You have been outbid.' };

export function lotPages(parts: LotPageParts): Endpoint[] {
  return [lotPage(parts), watchPage(parts), standingEndpoint(parts)];
}

function lotPage(parts: LotPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/lots/{lot}',
    operationId: 'lotPage',
    summary: 'A lot, live',
    params: LotParams,
    query: Type.Object({
      bid: Type.Optional(Type.String({ maxLength: 40 })),
      id: Type.Optional(BidParams.properties.id),
      amount: Type.Optional(Type.String({ maxLength: 40 })),
      sent: Type.Optional(Type.String({ maxLength: 20 })),
    }),
    handle: (request) => {
      const { bid, id, amount, sent } = request.query;
      const text = sent === undefined ? undefined : SENT[sent];
      const notice = text === undefined ? {} : { notice: { kind: 'good', text } as const };
      const state = { outcome: bid ?? null, bidId: id ?? null, filled: { max_amount: amount }, ...notice };
      return showLot(parts, request, request.params.lot, state);
    },
  });
}

export interface LotPageState {
  readonly notice?: LotNotice;
  /** Of the bid that led here. */
  readonly outcome?: string | null;
  readonly bidId?: string | null;
  readonly status?: number;
  /** What was typed into the form. */
  readonly filled?: { readonly amount?: string | undefined; readonly max_amount?: string | undefined };
}

/** The page of a lot; 404 where it is not there or not for the caller. */
export async function showLot(
  parts: LotPageParts,
  request: HttpRequest,
  lotId: number,
  state: LotPageState,
): Promise<Reply> {
  const [who, language] = [signedIn(request), languageOf(request)];
  const view = await readLotView(parts, lotId, who, language);
  if (view === null) throw notFound('There is no such lot.');
  const { lot } = view;
  const filled = state.filled?.max_amount ?? state.filled?.amount ?? null;
  const shown = presented(view, language);
  const [questions, takes] = await Promise.all([
    listQuestions(parts.knex, lotId, who),
    takesQuestions(parts.knex, lotId),
  ]);
  const filledCents =
    centsTyped(filled ?? '', decimalsOf(lot.currency), language) ?? ownSealedCents(lot.viewer, lot.currency);
  return parts.pages.html(request, {
    title: ['{0} · Lot {1}', lot.title, String(shownNumber(lot))],
    template: 'lot/lot',
    meta: lotMeta(view),
    status: state.status ?? 200,
    data: {
      ...view,
      ...shown,
      questions,
      takesQuestions: takes,
      notice: state.notice ?? standingNotice(view, state),
      filled,
      here: onwardOf({ next: `/lots/${lotId}`, amount: filled }),
      filledCost:
        filledCents === null ? shown.cost : saleAmounts(totalOf(view.units.units, filledCents), view.terms),
      key: randomUUID(),
      raiseKey: randomUUID(),
      desk: formatPage(lot.format)?.desk ?? null,
      modules: [formatPage(lot.format)?.module ?? 'live-lot.js', ...(who === null ? [] : ['push.js'])],
    },
  });
}

/** What they have bid under seal; null: nothing, or it cannot be read now. */
function ownSealedCents(viewer: unknown, currency: string): number | null {
  const { amount } = objectIn(objectIn(viewer)['bid']);
  return typeof amount === 'string' ? centsOf(amount, currency) : null;
}

/** What the bid that led here came to, as far as it still holds, and what does not go away with a reload. */
function standingNotice(
  { standing, lot, voidedBid }: LotPage,
  { outcome = null, bidId = null }: LotPageState,
): LotNotice | null {
  if (lot.status !== 'active') return null;
  if (lot.bid_count === null) return SEALED[outcome ?? ''] ?? null;
  const note = OUTCOMES[outcome ?? ''] ?? null;
  const receipt = bidId === null ? null : { href: `/bids/${bidId}#receipt`, label: 'Receipt' };
  const placed = note === null ? null : { ...note, way: receipt };
  if (standing === 'leading') return outcome === 'outbid' ? null : placed;
  if (standing === 'outbid') return outcome === 'outbid' ? placed : OUTBID;
  return voidedBid === null ? null : voidedNotice(voidedBid, lot.currency);
}

function voidedNotice({ amount_cents: cents, void_reason: reason }: VoidedBid, currency: string): LotNotice {
  const amount = moneyText(formatCents(cents, decimalsOf(currency)), currency);
  return { kind: 'warn', text: `Your bid of ${amount} was voided${reason ? `: ${reason}` : ''}.` };
}

function presented(
  { lot, history, terms, channel, increments, units: { units } }: LotPage,
  language: Language,
) {
  const whole = (cents: number) => saleAmounts(totalOf(units, cents), terms);
  const images = lot.media.filter(({ type }) => type === 'image');
  const isOver = lot.status === 'sold';
  const nextCents = centsOf(lot.minimum_next_bid, lot.currency);
  const hammerCents = centsOf(lot.hammer_price ?? '0.00', lot.currency);
  // In other formats the list of bids is no price that rises.
  const points = formatPage(lot.format) === null ? pricePoints(history) : [];
  const own = lot.viewer?.max_amount ?? null;
  const choice = bidChoice({
    minimumNextCents: nextCents,
    ownMaximumCents: own === null ? null : centsOf(own, lot.currency),
    increments,
    currency: lot.currency,
    language,
  });
  return {
    images: images.map((image) => ({ ...sizesOf(image), full: image.url })),
    documents: lot.media.filter(({ type }) => type === 'document'),
    choice,
    cost: isOver ? saleAmounts(hammerCents, terms, channel) : whole(choice.maximumCents),
    bands: increments.map(({ fromCents, incrementCents }) => [fromCents, incrementCents]),
    buyCost: lot.buy_now_price === null ? null : whole(centsOf(lot.buy_now_price, lot.currency)),
    estimate: estimateText(lot),
    points,
    pricePath: pricePath(points),
    map: locationMap(coordinate(lot.location['lat']), coordinate(lot.location['lng'])),
  };
}

function watchPage({ knex, pages, ...rest }: LotPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/lots/{lot}/watch',
    operationId: 'watchOnPage',
    summary: 'Puts a lot on the watchlist, or takes it off',
    unconfirmedToo: true,
    params: LotParams,
    body: {
      form: Type.Object({
        watch: Type.Union([Type.Literal('yes'), Type.Literal('no')]),
        next: Type.Optional(Type.Literal('/account/board')),
      }),
    },
    async handle(request) {
      const { lot } = request.params;
      const who = signedIn(request);
      if (who === null) return pages.go(`/sign-in?next=${encodeURIComponent(`/lots/${lot}`)}`);
      if (request.body.watch === 'no') await removeFromWatchlist(knex, who.userId, lot);
      else {
        if ((await readLotView({ knex, ...rest }, lot, who, 'en')) === null)
          throw notFound('There is no such lot.');
        await addToWatchlist(knex, who.userId, lot);
      }
      return pages.go(request.body.next ?? `/lots/${lot}`);
    },
  });
}

/**
 * The standing of the session's user, for the script: read when a bid comes that may be theirs, from another tab or
 * device.
 */
function standingEndpoint(parts: LotPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/lots/{lot}/standing',
    operationId: 'standingOnLot',
    summary: 'The position of the session’s user on a lot',
    params: LotParams,
    responses: { 200: { description: 'The standing.' } },
    async handle(request) {
      if (wantsPage(request)) return parts.pages.go(`/lots/${request.params.lot}`);
      const who = signedIn(request);
      const auctionId = who === null ? null : await seenLotsAuction(parts, request.params.lot, who.userId);
      if (who === null || auctionId === null) throw notFound();
      const lotIds = { lotId: request.params.lot, auctionId };
      const [state, paddle] = await Promise.all([
        readState(parts, lotIds),
        readPaddle(parts, lotIds.auctionId, who.userId),
      ]);
      const own = state === null ? null : ownPosition(state, who.userId);
      const cents = own?.ceilingCents ?? null;
      const ceiling = cents === null ? null : formatCents(cents, state?.decimals ?? 2);
      return {
        status: 200,
        body: { paddle, leads: own?.leads === true, max_amount: ceiling },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  });
}

/** The auction of a lot that this user sees; null where they do not, as where there is none. */
async function seenLotsAuction(
  { knex }: Pick<LotPageParts, 'knex'>,
  lotId: number,
  userId: number,
): Promise<number | null> {
  // SQL: who sees a lot is a separate condition.
  const { rows } = await knex.raw<{ rows: { auction_id: number }[] }>(
    `SELECT l.auction_id FROM lots l JOIN auctions a ON a.id = l.auction_id
     WHERE l.id = :lotId AND ${seesLotSql(':userId')}`,
    { lotId, userId },
  );
  return rows[0]?.auction_id ?? null;
}

const coordinate = (value: unknown): number | null => (typeof value === 'number' ? value : null);
