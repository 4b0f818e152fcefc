/**
 * The live lot page: how a lot stands, a form to bid with, and a script that follows the lot's stream. The form carries the
 * session's bid to the engine itself, since the API's bidding routes take tokens only; it works without the script, counts
 * against the caller's request limit like the API, and has an idempotency key, so that a second click is no second bid.
 */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../adapters/http/endpoint.ts';
import { failure } from '../../adapters/http/envelope.ts';
import { notFound, Problem, refuse } from '../../adapters/http/problem.ts';
import { type RateLimiter, rateKey } from '../../adapters/http/rate-limit.ts';
import type { Journal } from '../../engine/actor/journal.ts';
import { readBid } from '../bidding/bids/bid.schema.ts';
import { type BidEngine, placeBid } from '../bidding/bids/place-bid.ts';
import { readLotDetail } from '../catalog/lots/lot-detail.ts';
import { LotParams } from '../shared/lot-params.ts';
import { PAGE, type Pages, signedIn, wantsPage } from './page.ts';

export interface LotPageParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly engine: BidEngine;
  readonly pages: Pages;
  readonly rateLimiter: RateLimiter;
  /** 0: no limit. */
  readonly rateLimitPerMinute: number;
}

const Amount = Type.Optional(Type.String({ maxLength: 40 }));
const BidForm = Type.Object({
  amount: Amount,
  max_amount: Amount,
  confirm: Type.Optional(Type.String({ maxLength: 10 })),
  key: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' })),
});

/** What the page says above the form. */
interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

export function lotPages(parts: LotPageParts): Endpoint[] {
  return [lotPage(parts), bidOnPage(parts)];
}

const OUTCOMES: Readonly<Record<string, Notice>> = {
  leading: { kind: 'good', text: 'You are the high bidder.' },
  leading_reserve_not_met: { kind: 'good', text: 'You are the high bidder, but the reserve is not met yet.' },
  max_raised: { kind: 'good', text: 'Your maximum bid has been raised.' },
  outbid: { kind: 'bad', text: 'Your bid stands, but somebody’s maximum is higher.' },
};

function lotPage(parts: LotPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/lots/{lot}',
    operationId: 'lotPage',
    summary: 'A lot, live',
    params: LotParams,
    query: Type.Object({ bid: Type.Optional(Type.String({ maxLength: 40 })) }),
    handle: (request) => show(parts, request, request.params.lot, OUTCOMES[request.query.bid ?? ''] ?? null),
  });
}

function bidOnPage(parts: LotPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/lots/{lot}/bid',
    operationId: 'bidOnPage',
    summary: 'Places the session’s bid',
    params: LotParams,
    body: { form: BidForm },
    suspendedToo: true,
    async handle(request) {
      const { lot } = request.params;
      const asPage = wantsPage(request);
      const answer = await bid(parts, request, lot, request.body).catch(asAnswer);
      if (!asPage) return answer;
      if (answer.status === 401) return parts.pages.go(`/sign-in?next=${encodeURIComponent(`/lots/${lot}`)}`);
      if (answer.status === 201) return parts.pages.go(`/lots/${lot}?bid=${outcomeOf(answer)}`);
      const notice: Notice = { kind: 'bad', text: sentenceOf(answer) };
      return show(parts, request, lot, notice, answer.status, request.body);
    },
  });
}

/** The bid as the API would answer it. */
async function bid(
  { engine, rateLimiter, rateLimitPerMinute }: LotPageParts,
  request: HttpRequest,
  lotId: number,
  form: { amount?: string; max_amount?: string; confirm?: string; key?: string },
): Promise<Reply> {
  const who = signedIn(request);
  if (who === null) throw refuse('unauthenticated', { message: 'Sign in to bid.' });
  if (rateLimitPerMinute > 0) {
    const decision = await rateLimiter
      .take(rateKey(who.userId, request.ip), rateLimitPerMinute)
      .catch(() => null);
    if (decision?.allowed === false) {
      throw refuse('rate_limited', { headers: { 'Retry-After': String(decision.retryAfterS) } });
    }
  }
  const input = readBid({
    ...amountOf('amount', form.amount),
    ...amountOf('max_amount', form.max_amount),
    confirm: form.confirm !== undefined,
  });
  return placeBid(engine, lotId, who, form.key, input);
}

/** People write `1,250` and `$1250`. */
function amountOf(field: string, text: string | undefined): Record<string, string> {
  const plain = text?.replaceAll(/[$,\s]/g, '') ?? '';
  return plain === '' ? {} : { [field]: plain };
}

function asAnswer(error: unknown): Reply {
  if (error instanceof Problem) return failure(error);
  throw error;
}

function outcomeOf(answer: Reply): string {
  return (JSON.parse(String(answer.raw)) as { data: { outcome: string } }).data.outcome;
}

function sentenceOf({ body }: Reply): string {
  const { message, errors } = body as { message: string; errors?: Record<string, string[]> };
  return Object.values(errors ?? {})[0]?.[0] ?? message;
}

async function show(
  { knex, journal, pages }: LotPageParts,
  request: HttpRequest,
  lotId: number,
  notice: Notice | null,
  status = 200,
  filled: object = {},
): Promise<Reply> {
  const found = await readLotDetail(knex, journal, lotId, signedIn(request));
  if (found === null) throw notFound('There is no such lot.');
  const data = {
    lot: found.detail,
    stale: found.stale,
    notice,
    filled,
    key: randomUUID(),
    now: new Date().toISOString(),
  };
  const title = `${found.detail['title']} · Lot ${found.detail['lot_number']}`;
  return pages.html(request, { title, template: 'lot', data, status });
}
