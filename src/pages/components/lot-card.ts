/**
 * A lot as cards and rows show it, out of the JSON text that lists print: the components `lot-card.eta` and
 * `picture.eta` take it. Every page that lists lots builds on it.
 */
import type { MediaItem } from '../../catalog/media-presentation.ts';
import type { Language } from '../../shared/language.ts';
import { perUnitText, type UnitColumns } from '../../shared/lot-units.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import { inReadersWords } from '../../shared/translations.ts';

/** The fields of the API's lot item that a card shows. */
export interface LotListItem extends UnitColumns {
  readonly id: number;
  readonly auction_id: number;
  readonly auction_type: 'timed' | 'simulcast';
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly close_group: string | null;
  readonly choice_group: string | null;
  readonly title: string;
  readonly currency: string;
  readonly acres: number | null;
  /** In lists of lots near a place. */
  readonly distance_km?: number;
  readonly city: string | null;
  readonly county: string | null;
  readonly state: string | null;
  readonly category: { readonly id: number; readonly name: string } | null;
  readonly media: readonly MediaItem[];
  readonly status: string;
  readonly starting_bid: string;
  /** Null: it is told to nobody now. */
  readonly current_bid: string | null;
  readonly hammer_price?: string | null;
  readonly bid_count: number | null;
  readonly end_time: string;
  readonly minimum_next_bid?: string;
  /** Where the price is moved by the clock. */
  readonly next_price?: string | null;
}

export interface LotCard extends LotListItem {
  readonly locality: string;
  readonly picture: Picture | null;
  /** What the amount is: the current bid, the starting bid, what it sold for. */
  readonly amountLabel: string;
  readonly amount: string;
  /** What open amounts are for: `per acre`; empty where they are for the lot. */
  readonly per: string;
  readonly isOpen: boolean;
}

/** An image in the sizes that there are. */
export interface Picture {
  readonly url: string;
  readonly sources: string;
  readonly width: number;
  readonly height: number;
}

/** The address of the first picture that any of these cards has, or null. */
export function firstPicture(cards: readonly { readonly picture: Picture | null }[]): string | null {
  return cards.find(({ picture }) => picture !== null)?.picture?.url ?? null;
}

const THUMBNAIL_PIXELS = 400;
const MEDIUM_PIXELS = 1_200;

/** `language`: whose reader it is for; without one it is as the seller said it first. */
export function lotCardOf(text: string, language: Language | null = null): LotCard {
  const item: LotListItem = JSON.parse(text);
  return presentCard(inReadersWords(item, language));
}

function presentCard(item: LotListItem): LotCard {
  const isOpen = isOpenLot(item.status);
  const locality = [item.city ?? (item.county === null ? null : `${item.county} County`), item.state];
  return {
    ...item,
    isOpen,
    locality: locality.filter((part) => part !== null && part !== '').join(', '),
    picture: pictureOf(item.media),
    ...offerOf(item),
    per: perUnitText(item),
  };
}

function offerOf(item: LotListItem): { amountLabel: string; amount: string } {
  if (item.status === 'sold')
    return { amountLabel: 'Sold for', amount: item.hammer_price ?? item.current_bid ?? item.starting_bid };
  const { current_bid: current, minimum_next_bid: now } = item;
  if (item.next_price !== undefined && now !== undefined && isOpenLot(item.status))
    return { amountLabel: item.status === 'active' ? 'Price now' : 'Starts at', amount: now };
  // A tract that was bid on with others only has bids, and none of its own.
  if (current === null || Number(current) === 0)
    return { amountLabel: 'Starting bid', amount: item.starting_bid };
  const isOver = !isOpenLot(item.status);
  return { amountLabel: isOver ? 'Last bid' : 'Current bid', amount: current };
}

/** The first image, small first. */
export function pictureOf(media: readonly MediaItem[]): Picture | null {
  const image = media.find(({ type }) => type === 'image');
  return image === undefined ? null : sizesOf(image);
}

/** An image with what browsers choose from. */
export function sizesOf(image: MediaItem & { readonly medium_url?: string | null }): Picture {
  const { url, thumbnail_url: small, medium_url: medium = null } = image;
  const width = image.width ?? MEDIUM_PIXELS;
  const height = image.height ?? (MEDIUM_PIXELS * 3) / 4;
  // A size names the longer side.
  const widthOf = (pixels: number) =>
    Math.round(Math.min(width, width >= height ? pixels : (pixels * width) / height));
  const sources = [
    ...(small === null ? [] : [`${small} ${widthOf(THUMBNAIL_PIXELS)}w`]),
    ...(medium === null || medium === url ? [] : [`${medium} ${widthOf(MEDIUM_PIXELS)}w`]),
    `${url} ${width}w`,
  ];
  return { url: small ?? url, sources: sources.join(', '), width, height };
}
