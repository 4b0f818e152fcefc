/**
 * Placing a bid and buying now from a lot's page. The forms carry the session's bid to the engine itself, work without
 * the script, and have an idempotency key, so that a second click is no second bid. What is unusual is confirmed about
 * first, on its own page or, for the script, with what its dialog shows; a refusal is a sentence with the way out.
 */

import { type Static, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { failure } from '../../../adapters/http/envelope.ts';
import { type RateLimiter, rateKey } from '../../../adapters/http/rate-limit.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { objectIn } from '../../../engine/objects.ts';
import { type BidInput, readBid } from '../../bidding/bids/bid.schema.ts';
import { type BidParts, buyNow, placeBid, type Sender } from '../../bidding/bids/place-bid.ts';
import type { Language } from '../../shared/language.ts';
import { inLanguage } from '../../shared/languages/phrasebook.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { plainAmount } from '../../shared/typed-amount.ts';
import { wayOut } from '../components/way-out.ts';
import { formatPage } from '../formats/format-pages.ts';
import { onwardOf, onwardQuery } from '../onward.ts';
import { languageOf, PAGE, type SignedIn, signedIn, wantsPage } from '../page.ts';
import { type Confirmation, confirmationBefore, confirmationOf } from './bid-confirmation.ts';
import { type LotPageParts, showLot } from './lot.pages.ts';
import { centsOf, type LotPage, readLotView } from './lot-view.ts';
import { codeOf, registrationOn, sentenceOf } from './refused-bid.ts';

export interface BidPageParts extends LotPageParts, BidParts {
  readonly rateLimiter: RateLimiter;
  /** 0: no limit. */
  readonly rateLimitPerMinute: number;
}

const Amount = Type.Optional(Type.String({ maxLength: 40 }));
const Key = Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }));
const Confirmed = Type.Optional(Type.Literal('yes'));
/** Where a page other than the lot's sends a bid from, and returns to. */
const Next = Type.Optional(
  Type.String({ pattern: '^/(account/board|auctions/[a-z0-9-]{1,400}(/parcels)?)$' }),
);
/** Has to be confirmed, whatever the amount is. */
const Confirm = Type.Optional(Type.Literal('yes'));
const BidForm = Type.Object({
  amount: Amount,
  max_amount: Amount,
  take: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })),
  /** The lots that it is for, by their ids. */
  lot_ids: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,15}$' })),
  standing: Type.Optional(Type.Literal('yes')),
  confirmed: Confirmed,
  key: Key,
  next: Next,
  confirm: Confirm,
});
/** What was typed, and the language that its amounts are read in. */
type BidFields = Partial<Static<typeof BidForm>> & { readonly language?: Language };

export function bidPages(parts: BidPageParts): Endpoint[] {
  return [bidOnPage(parts), buyOnPage(parts)];
}

function bidOnPage(parts: BidPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/lots/{lot}/bid',
    operationId: 'bidOnPage',
    summary: 'Places the session’s bid',
    params: LotParams,
    body: { form: BidForm },
    suspendedToo: true,
    unconfirmedToo: true,
    handle: (request) =>
      answerOnPage(parts, request, request.body, (view, who, filled) =>
        bid(parts, view, { ...senderOf(request), principal: who }, filled),
      ),
  });
}

function buyOnPage(parts: BidPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/lots/{lot}/buy-now',
    operationId: 'buyNowOnPage',
    summary: 'Buys the lot at its price',
    params: LotParams,
    body: { form: Type.Object({ confirmed: Confirmed, key: Key }) },
    suspendedToo: true,
    unconfirmedToo: true,
    handle: (request) =>
      answerOnPage(parts, request, {}, async (view, who) => {
        const { lot } = view;
        if (request.body.confirmed === undefined && lot.buy_now_price !== null) {
          const price = {
            straightCents: centsOf(lot.buy_now_price, lot.currency),
            ceilingCents: null,
            currency: null,
            confirm: false,
          };
          return {
            confirmation: confirmationOf(price, termsOf(view), 'You are buying this lot now, at this price.'),
          };
        }
        const sender = { ...senderOf(request), principal: who };
        return buyNow(parts, lot.id, sender, request.body.key, lot.currency);
      }),
  });
}

interface NeedsConfirmation {
  readonly confirmation: Confirmation;
}

/** Places a bid, or says what has to be confirmed first. */
async function bid(
  parts: BidPageParts,
  view: LotPage,
  sender: Sender,
  form: BidFields,
): Promise<Reply | NeedsConfirmation> {
  const decimals = decimalsOf(view.lot.currency);
  const body = bidBodyOf(form, view.lot.format, decimals);
  const input = readBid(body, decimals);
  const mayBid = view.lot.status === 'active' && !view.isOwn && !sender.principal.suspended;
  // The board of a sale shows what a bid on several lots comes to before it is sent.
  if (!body.confirm && mayBid && form.lot_ids === undefined) {
    const confirmation =
      confirmationFor(view, input) ??
      (form.confirm === undefined ? null : confirmationOf(input, termsOf(view), RAISES));
    if (confirmation !== null) return { confirmation };
  }
  try {
    return await placeBid(parts, view.lot.id, sender, form.key, body);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'bid_confirmation_required') throw error;
  }
  return { confirmation: confirmationOf(input, termsOf(view), 'This is unusually high for this lot.') };
}

/** What the API takes, from what was typed. */
function bidBodyOf(form: BidFields, format: string, decimals: Decimals) {
  const amountOf = (field: string, text = '') => {
    const plain = plainAmount(text, form.language, decimals);
    return plain === '' ? {} : { [field]: plain };
  };
  // Where nobody bids up to a maximum, one that was typed is the amount.
  const isStraight = formatPage(format) !== null;
  return {
    ...amountOf('amount', isStraight ? (form.amount ?? form.max_amount) : form.amount),
    ...(isStraight ? {} : amountOf('max_amount', form.max_amount)),
    ...(form.take === undefined ? {} : { take: Math.max(1, Number(form.take)) }),
    ...(form.lot_ids === undefined ? {} : { lot_ids: form.lot_ids.split(',').map(Number) }),
    ...(form.standing === undefined ? {} : { standing: true }),
    confirm: form.confirmed !== undefined,
  };
}

const RAISES = 'You lead already. This raises your maximum.';

const senderOf = ({ ip, headers }: HttpRequest) => ({ ip, headers });

const termsOf = ({ terms, units: { units } }: LotPage) => ({ terms, units });

/** No confirmation for a bid that would be refused anyway. */
function confirmationFor(view: LotPage, input: BidInput): Confirmation | null {
  const { lot } = view;
  const minimumNextCents = centsOf(lot.minimum_next_bid, lot.currency);
  if (Math.max(input.straightCents ?? 0, input.ceilingCents ?? 0) < minimumNextCents) return null;
  return confirmationBefore(input, {
    minimumNextCents,
    leads: lot.viewer?.is_high_bidder === true,
    ...termsOf(view),
  });
}

/** Does it for the signed-in user, and answers as a page or, for the script, as the API does. */
async function answerOnPage(
  parts: BidPageParts,
  request: HttpRequest<{ lot: number }>,
  sent: BidFields,
  work: (view: LotPage, who: SignedIn, filled: BidFields) => Promise<Reply | NeedsConfirmation>,
): Promise<Reply> {
  const filled = { ...sent, language: languageOf(request) };
  const { lot: lotId } = request.params;
  const asPage = wantsPage(request);
  const who = signedIn(request);
  if (who === null && asPage) {
    const back = onwardOf({ next: `/lots/${lotId}`, amount: filled.max_amount ?? filled.amount });
    return parts.pages.go(`/sign-in?${onwardQuery(back)}`);
  }
  const view = await readLotView(parts, lotId, who, filled.language);
  if (view === null) throw notFound('There is no such lot.');
  const answer = await attempt(parts, request, who, view, (lot, bidder) => work(lot, bidder, filled));
  if ('confirmation' in answer) {
    if (!asPage) throw unconfirmed(view, answer.confirmation);
    return confirmPage(parts, request, view, answer.confirmation, filled);
  }
  if (!asPage) return withWayOut(answer, view, filled);
  if (answer.status === 201) {
    const { outcome, id } = placedBid(answer);
    if (isBoard(filled)) return parts.pages.go(`${filled.next}?bid=${outcome}`);
    if (filled.next !== undefined) return parts.pages.go(`${filled.next}?bid=${outcome}&lot=${lotId}`);
    return parts.pages.go(`/lots/${lotId}?bid=${outcome}&id=${id}`);
  }
  if (isBoard(filled)) return parts.pages.go(backToBoard(filled, codeOf(answer)));
  const text = sentenceOf(answer, view, filled);
  const way = wayOut(codeOf(answer), registrationOn(view, filled));
  return showLot(parts, request, lotId, {
    notice: { kind: 'bad', text, way },
    status: answer.status,
    filled,
  });
}

/** Whether the bid came from the board of a sale of several lots, which says itself what became of it. */
function isBoard({ next }: BidFields): boolean {
  return next?.endsWith('/parcels') === true;
}

function backToBoard({ next, lot_ids: set = '', amount = '' }: BidFields, code: string | null): string {
  const query = new URLSearchParams({ set, amount, refused: code ?? 'validation_failed' });
  return `${next}?${query}`;
}

async function attempt(
  { pages, rateLimiter, rateLimitPerMinute }: BidPageParts,
  request: HttpRequest<{ lot: number }>,
  who: SignedIn | null,
  view: LotPage,
  work: (view: LotPage, who: SignedIn) => Promise<Reply | NeedsConfirmation>,
): Promise<Reply | NeedsConfirmation> {
  try {
    if (who === null) throw new Refusal('unauthenticated', { message: 'Sign in to bid.' });
    if (!who.confirmed) throw new Refusal('email_unconfirmed');
    if (rateLimitPerMinute > 0) {
      const decision = await rateLimiter
        .take(rateKey(who.userId, request.ip), rateLimitPerMinute)
        .catch(() => null);
      if (decision?.allowed === false) {
        throw new Refusal('rate_limited', { retryAfterS: decision.retryAfterS });
      }
    }
    return await work(view, who);
  } catch (error) {
    const problem = pages.problemOf(error);
    if (problem === null) throw error;
    return failure(problem);
  }
}

function confirmPage(
  { pages }: BidPageParts,
  request: HttpRequest<{ lot: number }>,
  view: LotPage,
  confirmation: Confirmation,
  filled: BidFields,
): Reply {
  const isPurchase = request.path.endsWith('/buy-now');
  const { key } = objectIn(request.body);
  const title = isPurchase ? 'Confirm your purchase' : 'Confirm your bid';
  return pages.html(request, {
    title,
    template: 'lot/confirm',
    data: { title, isPurchase, lot: view.lot, confirmation, filled, key: String(key ?? '') },
  });
}

/** The confirmation for the script's dialog: nothing is placed yet. */
function unconfirmed({ lot }: LotPage, { reason, cost, isCeiling }: Confirmation): Refusal {
  const decimals = decimalsOf(lot.currency);
  return new Refusal('bid_confirmation_required', {
    message: reason,
    data: {
      is_ceiling: isCeiling,
      amount: formatCents(cost.hammerCents, decimals),
      premium: formatCents(cost.premiumCents, decimals),
      tax: formatCents(cost.taxCents, decimals),
      total: formatCents(cost.totalCents, decimals),
      currency: lot.currency,
    },
  });
}

/** What became of the bid, and which one it was, for its receipt. */
function placedBid(answer: Reply): { outcome: string; id: string } {
  const { data }: { data: { outcome: string; id: string } } = JSON.parse(String(answer.raw));
  return data;
}

function withWayOut(answer: Reply, view: LotPage, filled: BidFields): Reply {
  const code = codeOf(answer);
  if (code === null && answer.status < 400) return answer;
  const way = wayOut(code, registrationOn(view, filled));
  const { language = 'en' } = filled;
  const sentence = inLanguage(language, sentenceOf(answer, view, filled));
  const way_out = way === null ? null : { ...way, label: inLanguage(language, way.label) };
  return { ...answer, body: { ...objectIn(answer.body), sentence, way_out } };
}
