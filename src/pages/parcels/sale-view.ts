/**
 * A sale of tracts as its page shows it: each tract with what leads on it and where it lies, the sets that lead and
 * those that stand, what a bid on the ticked tracts would come up against, and what the viewer's own bids may cost.
 */
import { userKey } from '../../../engine/auction/record.ts';
import { faceOf, formatOf, lotView, memberIds, saleOf } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { isPerUnit, shownUnits } from '../../../engine/lot/units.ts';
import { decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { objectIn, objectsIn } from '../../../engine/objects.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { type ParcelsParts, readSaleState } from '../../bidding/parcels/read-sale.ts';
import type { Language } from '../../shared/language.ts';
import { unitCountText } from '../../shared/lot-units.ts';
import { type SaleAmounts, saleAmounts } from '../../shared/sale-amounts.ts';
import { inReadersWords } from '../../shared/translations.ts';
import type { AuctionInFull } from '../auctions/auction-in-full.ts';
import { type Spot, tractMap } from './tract-map.ts';

/** A bid, as answers have it, with the numbers of its lots. */
export interface ShownBid {
  readonly numbers: string;
  readonly amount: string;
  readonly total: string | null;
  readonly paddle: string;
  readonly isOwn: boolean;
}

export interface Tract {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly units: string | null;
  readonly status: string;
  readonly isOpen: boolean;
  readonly isTicked: boolean;
  readonly startingBid: string;
  /** The best bid on it alone; null: there is none. */
  readonly alone: string | null;
  readonly leading: ShownBid | null;
  readonly hammer: string | null;
  /** The ids of what is ticked once this tract is ticked, or not any more. */
  readonly toggled: string;
}

/** What a bid on what is ticked would come up against. */
export interface Quote {
  readonly ids: string;
  readonly numbers: string;
  readonly best: string | null;
  readonly minimum: string;
  readonly price: string;
  /** What the price comes to; the price itself where amounts are for the set. */
  readonly total: string;
  /** A unit's share of it, where the tracts say how many they have. */
  readonly perUnit: string | null;
  readonly unitName: string;
  readonly displaces: readonly string[];
  readonly cost: SaleAmounts;
}

export interface SaleView {
  readonly tracts: readonly Tract[];
  readonly total: string;
  readonly reserveMet: boolean;
  readonly endTime: string;
  readonly isOpen: boolean;
  readonly leading: readonly ShownBid[];
  readonly standing: readonly ShownBid[];
  /** How many more stand than are shown. */
  readonly moreStanding: number;
  /** `per acre`, or empty where amounts are for sets. */
  readonly per: string;
  readonly quote: Quote | null;
  /** The most that the viewer's own bids may come to; null: they have none. */
  readonly atMost: string | null;
  readonly map: readonly Spot[] | null;
}

interface LotRow {
  readonly id: number;
  readonly title: string;
  readonly lat: number | null;
  readonly lng: number | null;
}

const STANDING_SHOWN = 60;

/** Throws 404 where the auction's lots are not sold so, or not yet. */
export async function readSaleView(
  parts: ParcelsParts,
  auction: AuctionInFull,
  viewer: { readonly userId: number; readonly paddle: string | null } | null,
  tickedOf: (ids: readonly number[]) => readonly number[],
  language: Language | null = null,
): Promise<SaleView> {
  const state = await readSaleState(parts, auction.id);
  const ids = memberIds(state);
  const found = await parts
    .knex('lots')
    .whereIn('id', [...ids])
    .select<LotRow[]>('id', 'title', 'translations', 'lat', 'lng');
  const rows = found.map((row) => inReadersWords(row, language));
  const wanted = tickedOf(ids);
  const chosen = ids.filter((id) => wanted.includes(id) && isOpenLot(state, id));
  const numberOf = new Map(ids.map((id) => [id, faceOf(state, id).lotNumber]));
  const bidOf = (value: unknown) => shownBid(objectIn(value), numberOf, viewer?.paddle ?? null);
  const board = saleOf(state).board();
  const standing = objectsIn(board['standing']).map(bidOf).reverse();
  const tracts = ids.map((id) => tractOf(state, id, { rows, auction, chosen, bidOf }));
  const mostCents = viewer === null ? 0 : formatOf(state).exposureOf(state, userKey(viewer.userId));
  return {
    tracts,
    total: String(board['total']),
    reserveMet: board['reserve_met'] === true,
    endTime: isoFromUs(state.endsAtUs),
    isOpen: tracts.some(({ isOpen }) => isOpen),
    leading: objectsIn(board['leading']).map(bidOf),
    standing: standing.slice(0, STANDING_SHOWN),
    moreStanding: Math.max(0, standing.length - STANDING_SHOWN),
    per: isPriced(state) ? `per ${unitName(state)}` : '',
    quote: chosen.length === 0 ? null : quoteOf(state, chosen, numberOf, auction),
    atMost: mostCents === 0 ? null : formatCents(mostCents, state.decimals),
    map: tractMap(tracts, rows),
  };
}

const isOpenLot = (state: LotState, id: number) => ['scheduled', 'active'].includes(faceOf(state, id).status);

/** Of all lots of a sale, or of none. */
function isPriced(state: LotState): boolean {
  return isPerUnit(faceOf(state, state.lotId).units);
}

function unitName(state: LotState): string {
  return faceOf(state, state.lotId).units?.name ?? 'unit';
}

function shownBid(
  bid: Readonly<Record<string, unknown>>,
  numberOf: ReadonlyMap<number, number>,
  paddle: string | null,
): ShownBid {
  const ids = Array.isArray(bid['lot_ids']) ? bid['lot_ids'].map(Number) : [];
  return {
    numbers: ids.map((id) => numberOf.get(id) ?? id).join(', '),
    amount: String(bid['amount']),
    total: typeof bid['total'] === 'string' ? bid['total'] : null,
    paddle: String(bid['paddle_number']),
    isOwn: paddle !== null && bid['paddle_number'] === paddle,
  };
}

interface Seen {
  readonly rows: readonly LotRow[];
  readonly auction: AuctionInFull;
  readonly chosen: readonly number[];
  readonly bidOf: (value: unknown) => ShownBid;
}

function tractOf(state: LotState, id: number, { rows, auction, chosen, bidOf }: Seen): Tract {
  const face = faceOf(state, id);
  const sight = { viewer: null, increments: auction.increments, nowUs: state.recordedAtUs };
  const { fields } = lotView(face, sight);
  const amount = (cents: number) => formatCents(cents, state.decimals);
  const { units, hammerCents, currentCents } = face;
  const without = chosen.filter((one) => one !== id);
  return {
    id,
    number: face.lotNumber,
    title: rows.find((row) => row.id === id)?.title ?? '',
    units: unitCountText(shownUnits(units)),
    status: face.status,
    isOpen: isOpenLot(state, id),
    isTicked: chosen.includes(id),
    startingBid: amount(face.startingBidCents),
    alone: currentCents === 0 ? null : amount(currentCents),
    leading: fields?.['leading_set'] == null ? null : bidOf(fields['leading_set']),
    hammer: hammerCents === null ? null : amount(hammerCents),
    toggled: (without.length < chosen.length ? without : [...chosen, id]).join(','),
  };
}

function quoteOf(
  state: LotState,
  ids: readonly number[],
  numberOf: ReadonlyMap<number, number>,
  auction: AuctionInFull,
): Quote | null {
  const quote = saleOf(state).quote(ids, auction);
  if (quote === null) return null;
  const price = String(quote['price_to_lead']);
  const total = typeof quote['total_to_lead'] === 'string' ? quote['total_to_lead'] : price;
  const decimals = decimalsOf(auction.currency);
  const totalCents = parseCents(total, decimals) ?? 0;
  const units = Number(quote['units'] ?? 0);
  return {
    ids: ids.join(','),
    numbers: ids.map((id) => numberOf.get(id) ?? id).join(', '),
    best: typeof quote['best_bid'] === 'string' ? quote['best_bid'] : null,
    minimum: String(quote['minimum_bid']),
    price,
    total,
    perUnit: units > 0 ? formatCents(Math.round(totalCents / units), decimals) : null,
    unitName: unitName(state),
    displaces: Array.isArray(quote['displaces']) ? quote['displaces'].map(String) : [],
    cost: saleAmounts(totalCents, auction.terms),
  };
}
