/**
 * `/auctions/{slug}`: an auction's terms and its lots, with live prices over one stream while it runs, when it starts
 * before, and the results after; and registering to bid in it.
 */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { isOneOf } from '../../../engine/objects.ts';
import type { AuctionChannels } from '../../bidding/live/auction-channels.ts';
import { RESUMING, resumesAt } from '../../bidding/live/resuming.ts';
import { type RegistrationParts, requestRegistration } from '../../bidding/registrations/registrations.ts';
import { LISTED_STATUSES } from '../../catalog/lots/lot-filters.schema.ts';
import { EVERYTHING_ACTIVE } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { notFound } from '../../shared/refusal.ts';
import { streamSources, wrongStream } from '../../shared/saleroom-streams.ts';
import { ENDED_AUCTIONS, isLive } from '../../shared/statuses/auction-statuses.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { closingText } from '../components/auction-card.ts';
import { firstPicture, lotCardOf } from '../components/lot-card.ts';
import { registrationIn, wayOut } from '../components/way-out.ts';
import { policyWith } from '../content-policy.ts';
import { soldBy } from '../formats/format-pages.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';
import { type AuctionInFull, readAuctionInFull, readOwnRegistration } from './auction-in-full.ts';
import { auctionMeta } from './auction-meta.ts';
import { readOnBlock } from './on-block.ts';

export interface AuctionPageParts extends RegistrationParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly lists: LotLists;
  readonly pages: Pages;
  readonly channels: AuctionChannels;
  /** Where picture and sound of salerooms may come from. */
  readonly streamHosts: readonly string[];
}

const LOTS_PER_PAGE = 24;
const PATH = '/auctions/{auction}';

const Params = Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) });
const RegisteredNotice = Type.Optional(Type.String({ maxLength: 40 }));
/** What the bid on the lot on the block came to. */
const Placed = Type.Optional(Type.String({ maxLength: 40 }));

export function auctionPages(parts: AuctionPageParts): Endpoint[] {
  return [auctionPage(parts), registerPage(parts), streamEndpoint(parts)];
}

interface Notice {
  readonly kind: 'good' | 'bad' | 'warn';
  readonly text: string;
  readonly way?: { readonly href: string; readonly label: string } | null;
}

const NOTICES: Readonly<Record<string, Notice>> = {
  approved: { kind: 'good', text: 'You are registered. You can bid now.' },
  pending: { kind: 'good', text: 'Your request has been sent to the seller, who decides who may bid.' },
  leading: { kind: 'good', text: 'You are the high bidder.' },
  leading_reserve_not_met: {
    kind: 'warn',
    text: 'You are the high bidder, but the reserve has not been met.',
  },
  max_raised: { kind: 'good', text: 'Your maximum bid has been raised.' },
  outbid: { kind: 'bad', text: 'You have been outbid at once by an earlier maximum.' },
  deposit_due: { kind: 'warn', text: 'Pay the deposit to complete your registration.' },
};

function auctionPage(parts: AuctionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'auctionPage',
    summary: 'An auction and its lots',
    params: Params,
    query: Type.Object({ page: PageNumber, registered: RegisteredNotice, bid: Placed }),
    handle: (request) => {
      const { page, registered, bid } = request.query;
      const notice = NOTICES[registered ?? bid ?? ''] ?? null;
      return show(parts, request, request.params.auction, { page, notice });
    },
  });
}

interface Shown {
  readonly page?: number;
  readonly notice?: Notice | null;
  readonly status?: number;
}

async function show(
  parts: AuctionPageParts,
  request: HttpRequest,
  slug: string,
  { page = 1, notice = null, status = 200 }: Shown,
) {
  const moment = parts.channels.moment();
  const [viewer, language] = [signedIn(request), languageOf(request)];
  const auction = await requireAuction(parts, slug, request);
  const isInRoom = auction.type === 'simulcast' && auction.status === 'active';
  const [lots, registration, block] = await Promise.all([
    parts.lists.read({
      filter: {
        ...EVERYTHING_ACTIVE,
        statuses: LISTED_STATUSES,
        status: null,
        auctionId: auction.id,
        anyPrivacy: true,
      },
      order: { by: 'lot_number', descending: false },
      page,
      perPage: LOTS_PER_PAGE,
      baseUrl: '',
    }),
    viewer === null ? null : readOwnRegistration(parts, auction.id, viewer.userId),
    // Tracts are all on the block at once: their board has them.
    isInRoom && !auction.isOneSale ? readOnBlock(parts, auction, viewer, language) : null,
  ]);
  const stream = isInRoom ? streamOf(auction, parts.streamHosts) : null;
  const data = {
    auction,
    sold: soldBy(auction.format),
    isLive: isLive(auction.status),
    isEnded: isOneOf(ENDED_AUCTIONS, auction.status),
    closing: closingText({ ...auction, lots: lots.total, open: auction.openLots }),
    registration,
    notice,
    total: lots.total,
    lots: lots.rows.map((row) => lotCardOf(row, language)),
    stale: lots.stale,
    // What Postgres holds may be older than the moment: then everything that has moved is sent.
    moment: lots.stale ? 0 : moment,
    page,
    lastPage: lastPageOf({ perPage: LOTS_PER_PAGE, total: lots.total }),
    block,
    stream,
    modules: ['live-lots.js', ...(block === null ? [] : ['on-block.js'])],
  };
  const meta = auctionMeta(auction, lots.total, firstPicture(data.lots));
  const isFragment = request.headers['x-fragment'] === 'block' && block !== null;
  return parts.pages.html(request, {
    title: ['{0}', auction.title],
    template: isFragment ? 'auctions/on-block' : 'auctions/auction',
    data,
    status,
    meta,
    headers:
      stream === null
        ? {}
        : { 'Content-Security-Policy': policyWith({ frames: streamSources(parts.streamHosts) }) },
  });
}

/** Picture and sound of the saleroom; null where there are none, or their host is not allowed any more. */
function streamOf(
  { saleTerms: { stream_url: url } }: AuctionInFull,
  hosts: readonly string[],
): string | null {
  return url === null || wrongStream(url, hosts) !== null ? null : url;
}

function registerPage(parts: AuctionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/registration`,
    operationId: 'registerOnPage',
    summary: 'Registers to bid in an auction',
    params: Params,
    body: {
      form: Type.Object({
        next: Type.Optional(Type.String({ maxLength: 400 })),
        conditions_version: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$' })),
      }),
    },
    async handle(request) {
      const { auction: slug } = request.params;
      const who = signedIn(request);
      const back = `/auctions/${slug}`;
      const lot = /^\/lots\/[1-9][0-9]*(\?amount=[\w.,%'-]+)?$/.exec(request.body.next ?? '')?.[0];
      if (who === null) return parts.pages.go(`/sign-in?next=${encodeURIComponent(lot ?? back)}`);
      await requireAuction(parts, slug, request);
      try {
        const version = request.body.conditions_version;
        const conditionsVersion = version === undefined ? undefined : Number(version);
        const { row, bidder } = await requestRegistration(parts, slug, who, { conditionsVersion });
        if (lot !== undefined) return parts.pages.go(`${lot}#to-bid-here`);
        return parts.pages.go(`${back}?registered=${bidder?.status ?? row.status}#registration`);
      } catch (error) {
        const problem = parts.pages.problemOf(error);
        if (problem === null || problem.status >= 500) throw error;
        const notice: Notice = {
          kind: 'bad',
          text: problem.message,
          way: wayOut(problem.code, registrationIn(slug)),
        };
        return show(parts, request, slug, { notice, status: problem.status });
      }
    },
  });
}

/** Prices of all lots of the auction over one connection, for as long as the page is open. */
function streamEndpoint(parts: AuctionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/stream`,
    operationId: 'auctionPageStream',
    summary: 'Live changes of the lots of an auction',
    params: Params,
    ...RESUMING,
    responses: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
    async handle(request) {
      const auction = await requireAuction(parts, request.params.auction, request);
      const stop = new AbortController();
      const signal = AbortSignal.any([request.signal, stop.signal]);
      const caller = rateKey(signedIn(request)?.userId ?? null, request.ip);
      const sinceUs = resumesAt(request);
      const reply = await parts.channels.follow(auction.id, { caller, sinceUs, signal });
      endWithAccess(parts, request, reply, stop);
      return reply;
    },
  });
}

const ACCESS_MS = 3_000;

/** The stream ends once its viewer may no longer see the auction. */
function endWithAccess(
  parts: AuctionPageParts,
  request: HttpRequest<{ auction: string }>,
  { raw: stream }: Reply,
  stop: AbortController,
) {
  if (!(stream instanceof Readable) || stream.destroyed) return;
  const slug = request.params.auction;
  const timer = setInterval(async () => {
    try {
      if (await isPublic(parts.knex, slug)) return;
      if ((await readAuctionInFull(parts.knex, slug, signedIn(request))) === null) stop.abort();
    } catch {
      // Postgres is unavailable: the next round checks again.
    }
  }, ACCESS_MS);
  stream.once('close', () => clearInterval(timer));
}

const accessChecks = new Map<string, Promise<boolean>>();

/** Whether everybody may see the auction: checked once for all who follow it at this moment. */
function isPublic(knex: Knex, slug: string): Promise<boolean> {
  let check = accessChecks.get(slug);
  if (check === undefined) {
    check = readAuctionInFull(knex, slug, null).then((auction) => auction !== null);
    accessChecks.set(slug, check);
    setTimeout(() => accessChecks.delete(slug), ACCESS_MS / 8).unref();
  }
  return check;
}

async function requireAuction(
  { knex }: AuctionPageParts,
  slug: string,
  request: HttpRequest,
): Promise<AuctionInFull> {
  const auction = await readAuctionInFull(knex, slug, signedIn(request));
  if (auction === null) throw notFound('There is no such auction.');
  return inReadersWords(auction, languageOf(request));
}
