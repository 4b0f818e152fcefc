/** What a lot's page shows of the group that the lot is offered with (rule 25), and of whoever is choosing from it. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { choosing } from '../../../engine/formats/formats.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { readOffer } from '../../shared/group-offers.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';

export interface OfferedLot {
  readonly id: number;
  /** As the catalogue has it. */
  readonly number: string;
  readonly title: string;
}

export interface ShownOffer {
  readonly name: string;
  /** The lot that carries the bidding, and how far its journal was: the page follows that one. */
  readonly carrierId: number;
  readonly sequence: number;
  /** Those that are still offered, by their numbers, with this one. */
  readonly lots: readonly OfferedLot[];
  readonly choosing: ShownChoice | null;
}

export interface ShownChoice {
  readonly isOwn: boolean;
  readonly paddle: string;
  readonly price: string;
  readonly until: string;
  /** It is chosen already: the hammer has said what it has fallen on. */
  readonly isMade: boolean;
}

interface LotOnPage {
  readonly id: number;
  readonly status: string;
  readonly auction: { readonly id: number; readonly type: string };
}

/** Null: the lot is offered alone, or not any more, or the journal cannot be read. */
export async function readShownOffer(
  { knex, journal }: { readonly knex: Knex; readonly journal: Journal },
  { id: lotId, status, auction }: LotOnPage,
  userId: number | null,
): Promise<ShownOffer | null> {
  const lotIds = { lotId, auctionId: auction.id };
  if (auction.type !== 'simulcast' || !isOpenLot(status)) return null;
  try {
    const offer = await readOffer(journal, lotIds);
    if (offer === null) return null;
    const carrier = await journal.load(lotIds.auctionId, offer.carrierId);
    if (carrier === null) return null;
    // SQL: the number that the catalogue has, where it is another.
    const lots: OfferedLot[] = await knex('lots')
      .whereIn(
        'id',
        offer.lots.map(({ lotId }) => lotId),
      )
      .orderBy('lot_number')
      .select({ id: 'id', title: 'title', number: knex.raw('coalesce(catalog_number, lot_number::text)') });
    const now = choosing(carrier);
    return {
      name: offer.name,
      carrierId: offer.carrierId,
      sequence: carrier.sequence,
      lots,
      choosing: now && {
        isOwn: userId !== null && now.userId === userId,
        paddle: now.paddle,
        price: formatCents(now.hammerCents, carrier.decimals),
        until: isoFromUs(now.untilUs),
        isMade: now.numbers !== null,
      },
    };
  } catch {
    return null;
  }
}
