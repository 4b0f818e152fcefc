/** What the hammer has decided last in a saleroom, while it may be taken back; nothing is kept of it afterwards. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { choosing, formatOf, isHeld } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';

export interface HeldResult {
  readonly state: LotState;
  /** When it is final, by the journal's clock, and how long that is from now. */
  readonly finalAtUs: number;
  readonly leftMs: number;
}

interface HeldParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load' | 'loadRecord' | 'nowUs'>;
}

/** Null: the hammer has not fallen, or its result is final. Throws the journal's faults. */
export async function readHeld({ knex, journal }: HeldParts, auctionId: number): Promise<HeldResult | null> {
  const row = await knex('salerooms')
    .where('auction_id', auctionId)
    .first<{ hammer_lot_id: number | null } | undefined>('hammer_lot_id');
  if (row == null || row.hammer_lot_id === null) return null;
  const [state, record] = await Promise.all([
    journal.load(auctionId, row.hammer_lot_id),
    journal.loadRecord(auctionId),
  ]);
  if (state === null || record === null) return null;
  const finalAtUs = isHeld(state)
    ? formatOf(state).dueUs(state, record)
    : liftedUntilUs(state, journal.nowUs());
  if (finalAtUs === null) return null;
  return { state, finalAtUs, leftMs: Math.max(0, Math.ceil((finalAtUs - journal.nowUs()) / 1_000)) };
}

/** Of lots that are offered together the one that carries the bidding stays open while the hammer is held. */
function liftedUntilUs(state: LotState, nowUs: number): number | null {
  const { liftUntilUs = 0 } = choosing(state) ?? {};
  return liftUntilUs > nowUs ? liftUntilUs : null;
}
