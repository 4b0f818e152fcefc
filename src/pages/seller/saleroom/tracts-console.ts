/**
 * The clerk's console of a sale of tracts: a call is the numbers of the tracts, an amount and a paddle, and beside it
 * stand the price to lead and the sets that lead. Called by the saleroom's pages, which have the routes.
 */
import { randomUUID } from 'node:crypto';
import type { HttpRequest, Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { callBid } from '../../../bidding/saleroom/clerk.ts';
import type { ConsoleParts } from '../../../bidding/saleroom/console.ts';
import { lotsByNumbers, readTractsConsole } from '../../../bidding/saleroom/tracts-on-block.ts';
import type { FoundLot } from '../../../bidding/simulcast/lot-finder.ts';
import { invalid, notFound } from '../../../shared/refusal.ts';
import { centsTyped } from '../../../shared/typed-amount.ts';
import { readAuctionInFull } from '../../auctions/auction-in-full.ts';
import { languageOf, signedIn } from '../../page.ts';
import { readSaleView } from '../../parcels/sale-view.ts';
import type { Desk, SellersAuction, Visit } from '../frame/desk.ts';

export interface TractsParts {
  readonly desk: Desk;
  readonly clerk: ConsoleParts;
}

/** A call as it was typed. */
export interface TypedCall {
  readonly lots: string;
  readonly amount?: string;
  readonly paddle?: string;
  readonly standing?: boolean;
}

/** What a form of the console has typed of a call; undefined: it is none. */
export function typedIn(body: unknown): TypedCall | undefined {
  const { lots, amount = '', paddle = '', standing } = objectIn(body);
  if (typeof lots !== 'string') return undefined;
  return { lots, amount: String(amount), paddle: String(paddle), standing: standing === 'yes' };
}

interface SetCall {
  readonly lots: string;
  readonly amount: string;
  readonly paddle: string;
  readonly standing?: string;
  readonly call_id: string;
}

/** A bid from the floor on a set of tracts. Throws 422 for what is typed wrong, and what the rules refuse. */
export async function callSet(
  { clerk }: TractsParts,
  request: Pick<HttpRequest, 'headers' | 'session'>,
  lot: FoundLot,
  { lots, amount, paddle, standing, call_id: callId }: SetCall,
): Promise<void> {
  const lotIds = await lotsByNumbers(clerk, lot.auctionId, lots);
  const amountCents = centsTyped(amount, lot.decimals, languageOf(request));
  if (amountCents === null || amountCents === 0) throw invalid({ amount: ['This is not a valid amount.'] });
  if (!/^[0-9]{1,6}$/.test(paddle.trim()))
    throw invalid({ paddle: ['Enter the paddle: a number of at most six digits.'] });
  const [first = lot.lotId] = lotIds;
  await callBid(clerk, {
    lot: { ...lot, lotId: first },
    ...{ paddle: paddle.trim(), amountCents, lotIds, standing: standing === 'yes', callId },
  });
}

interface Shown {
  readonly notice: string | null;
  readonly status: number;
  readonly typed?: TypedCall;
}

const NOTHING: TypedCall = { lots: '' };

/** The console, or its board alone for the script. */
export async function drawTracts(
  { desk, clerk }: TractsParts,
  visit: Visit,
  auction: SellersAuction,
  { notice, status, typed = NOTHING }: Shown,
): Promise<Reply> {
  const { request } = visit;
  const block = auction.status === 'draft' ? null : await readTractsConsole(clerk, auction.id);
  const inFull = await readAuctionInFull(desk.knex, String(auction.id), signedIn(request));
  if (inFull === null) throw notFound('There is no such auction.');
  const named =
    typed.lots.trim() === '' ? [] : await lotsByNumbers(clerk, auction.id, typed.lots).catch(() => []);
  const sale =
    block === null ? null : await readSaleView(clerk, inFull, null, () => named, languageOf(request));
  const isFragment = request.headers['x-fragment'] === 'board';
  return desk.html(visit, {
    title: ['Saleroom: {0}', auction.title],
    template: isFragment ? 'seller/saleroom/tracts-board' : 'seller/saleroom/tracts',
    status,
    data: {
      ...{ auction, tracts: block, sale, notice, typed },
      callId: randomUUID(),
      sheets: ['desk.css', 'parcels.css'],
      modules: ['saleroom.js'],
    },
  });
}
