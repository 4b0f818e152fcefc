/** What the clerk of a saleroom sees of the lot on the block, by the journal: prices, who leads, and the next calls. */
import type { LogTail } from '../../../adapters/redis/log-tail.ts';
import { DEFAULT_INCREMENTS, incrementAt } from '../../../engine/auction/increments.ts';
import { formatOf, lotView } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { shownUnits } from '../../../engine/lot/units.ts';
import { type Decimals, formatCents } from '../../../engine/money.ts';
import { readOffer } from '../../shared/group-offers.ts';
import { perUnitText } from '../../shared/lot-units.ts';
import type { Translations } from '../../shared/translations.ts';
import { listBids } from '../bids/bid-list.ts';
import type { BidView } from '../bids/bid-views.ts';
import { readArchivedState } from '../journal/archived-history.ts';
import { readBlock } from './block.ts';
import type { ClerkParts } from './clerk.ts';
import { type HeldResult, readHeld } from './held-result.ts';
import { type LeftOnBlock, readLeftOnBlock } from './left-on-block.ts';
import { firstThumbnail } from './next-lots.ts';
import { type OfferOnBlock, offerOnBlock } from './offer-on-block.ts';

export interface ConsoleParts extends ClerkParts {
  readonly tail: LogTail;
}

export interface LotOnBlock {
  readonly id: number;
  readonly auctionId: number;
  readonly number: number | string;
  readonly title: string;
  readonly translations: Translations;
  readonly thumbKey: string | null;
  readonly condition: string | null;
  readonly status: LotState['status'];
  readonly isOpen: boolean;
  /** How far the lot's journal was. */
  readonly sequence: number;
  /** What amounts are for, where that is not the lot: `per acre`. */
  readonly per: string;
  readonly currentBid: string;
  readonly startingBid: string;
  readonly bidCount: number;
  readonly reserve: string | null;
  readonly reserveMet: boolean;
  readonly hammerPrice: string | null;
  readonly leaderPaddle: string | null;
  readonly isWarned: boolean;
  /** The amounts of the next calls, the lowest first. */
  readonly calls: readonly string[];
  readonly bids: readonly BidView[];
  /** The newest bid of the floor that is not void. */
  readonly lastFloorBid: BidView | null;
  /** What can be taken back, of this lot or of the one before it. */
  readonly held: HeldResult | null;
  /** The lots that are offered together with this one, which carries their bidding; null: it is offered alone. */
  readonly offer: OfferOnBlock | null;
  /** What was left with the house before the sale. */
  readonly left: LeftOnBlock;
}

const MAX_BIDS = 12;
const CALLS = 5;

/** The lot on the block, or null where the auction has none. Throws the journal's faults. */
export async function readConsole(parts: ConsoleParts, auctionId: number): Promise<LotOnBlock | null> {
  const block = await readBlock(parts.knex, auctionId);
  if (block.lotId === null) return null;
  const offer = await readOffer(parts.journal, { auctionId, lotId: block.lotId });
  const lotId = offer?.carrierId ?? block.lotId;
  const lotIds = { auctionId, lotId };
  const { warnedSequence } = block;
  const [state, record, row, bids, held] = await Promise.all([
    stateOf(parts, auctionId, lotId),
    parts.journal.loadRecord(auctionId),
    readLot(parts, lotId),
    listBids(parts, lotIds, { page: 1, perPage: MAX_BIDS }, null),
    readHeld(parts, auctionId),
  ]);
  if (state === null || row === undefined) return null;
  const open = isOpen(state);
  const increments = record?.increments ?? DEFAULT_INCREMENTS;
  const view = lotView(state, { viewer: null, increments, nowUs: parts.journal.nowUs() });
  const [leader] = formatOf(state).leadersOf(state);
  const calls = open && record !== null ? nextCalls(view.minimumNextCents, increments) : [];
  const leaderPaddle = leader?.paddle ?? state.winner?.paddle ?? null;
  const left = await readLeftOnBlock(parts.knex, state, offer?.lots.map((one) => one.lotId) ?? [lotId], {
    ...{ leaderPaddle, increments },
    minimumCents: calls.length === 0 ? null : view.minimumNextCents,
  });
  return {
    ...{
      id: lotId,
      auctionId,
      number: row.catalog_number ?? row.lot_number,
      title: row.title,
      translations: row.translations,
      thumbKey: row.thumb_key,
    },
    condition: row.condition,
    status: state.status,
    isOpen: open,
    sequence: state.sequence,
    per: perUnitText(shownUnits(state.units)),
    currentBid: formatCents(state.currentCents, state.decimals),
    startingBid: formatCents(state.startingBidCents, state.decimals),
    bidCount: state.bidCount,
    reserve: amountText(state.reserveCents, state.decimals),
    reserveMet: view.reserveMet === true,
    hammerPrice: amountText(state.hammerCents, state.decimals),
    leaderPaddle,
    isWarned: open && warnedSequence === state.sequence,
    calls: calls.map((cents) => formatCents(cents, state.decimals)),
    bids: bids.rows,
    lastFloorBid: bids.rows.find(({ channel, status }) => channel === 'floor' && status !== 'voided') ?? null,
    held,
    offer: offer && (await offerOnBlock(parts, offer, state)),
    left,
  };
}

const amountText = (cents: number | null, decimals: Decimals) =>
  cents === null ? null : formatCents(cents, decimals);

/** The lot's state: by the journal, or as it was when it left it. */
export async function stateOf(parts: ClerkParts, auctionId: number, lotId: number): Promise<LotState | null> {
  return (await parts.journal.load(auctionId, lotId)) ?? (await readArchivedState(parts, lotId));
}

interface LotRow {
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly translations: Translations;
  readonly condition: string | null;
  readonly thumb_key: string | null;
}

function readLot({ knex }: ClerkParts, lotId: number): Promise<LotRow | undefined> {
  return knex('lots as l')
    .where('l.id', lotId)
    .first<LotRow | undefined>(
      'l.lot_number',
      'l.catalog_number',
      'l.title',
      'l.translations',
      'l.condition',
      firstThumbnail(knex),
    );
}

function nextCalls(firstCents: number, increments: Parameters<typeof incrementAt>[0]): number[] {
  const calls = [firstCents];
  for (let last = firstCents; calls.length < CALLS; calls.push(last)) last += incrementAt(increments, last);
  return calls;
}
