/** How a viewer is on a lot with sealed bids: their own bid, opened for them alone, and whether they are in the end. */
import { userKey } from '../../engine/auction/record.ts';
import { ownSealed } from '../../engine/formats/formats.ts';
import { openSecret, type Seals } from '../../engine/lot/seals.ts';
import { isOpen, type LotState } from '../../engine/lot/state.ts';
import { totalText } from '../../engine/lot/unit-totals.ts';
import { formatCents } from '../../engine/money.ts';
import { isoFromUs } from '../../engine/time.ts';

interface OwnSealedBid {
  readonly id: string;
  /** Null: the key is not at hand. */
  readonly amount: string | null;
  /** What it comes to, where amounts are for a unit. */
  readonly total: string | null;
  readonly placed_at: string;
  readonly receipt: { readonly hash: string };
}

export interface SealedPosition {
  /** Null: they have none that stands. */
  readonly bid: OwnSealedBid | null;
  readonly in_final_round: boolean;
}

/** What a viewer is shown of their own on an open lot with sealed bids; null: nothing on it is sealed. */
export function sealedPosition(state: LotState, userId: number, seals: Seals): SealedPosition | null {
  const key = userKey(userId);
  const own = isOpen(state) ? ownSealed(state, key) : null;
  if (own === null) return null;
  const { lotKey, finalists } = own;
  const names = finalists === null || finalists === '' ? null : seals.open(lotKey, finalists);
  const allowed: readonly string[] = names === null ? [] : JSON.parse(names);
  return { bid: openedBid(state, own, seals), in_final_round: allowed.includes(key) };
}

function openedBid(
  { decimals, units }: LotState,
  { lotKey, bid }: NonNullable<ReturnType<typeof ownSealed>>,
  seals: Seals,
): OwnSealedBid | null {
  if (bid === null) return null;
  const secret = openSecret(seals, lotKey, bid.sealed);
  return {
    id: bid.bidId,
    amount: secret === null ? null : formatCents(secret.cents, decimals),
    total: secret === null ? null : totalText(units, secret.cents, decimals),
    placed_at: isoFromUs(bid.placedAtUs),
    receipt: { hash: bid.hash },
  };
}
