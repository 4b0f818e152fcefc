/** What the bids of a tender come to once they are opened (rule 22): pure, from amounts and the order they stood in. */
import type { LotClosed } from '../../lot/events.ts';
import { openSecret, type Seals } from '../../lot/seals.ts';
import { totalOf } from '../../lot/units.ts';
import type { OpenedBid, SealedBid, TenderState } from './tender-state.ts';

/** All bids that are to be opened, the highest first; null: the lot's key is not at hand. */
export function openAll(
  { bids, firsts, lotKey }: Pick<TenderState, 'bids' | 'firsts' | 'lotKey'>,
  seals: Seals,
): OpenedBid[] | null {
  const open = (bid: SealedBid): OpenedBid | null => {
    const { sealed, ...told } = bid;
    const secret = openSecret(seals, lotKey, sealed);
    return secret === null ? null : { ...told, ...secret, rank: null };
  };
  const all = [...bids, ...firsts].map(open);
  const opened = all.filter((bid) => bid !== null);
  // An empty tender needs no key.
  if (opened.length < all.length) return null;
  return ranked(opened.slice(0, bids.length), opened.slice(bids.length));
}

/** The highest first, of equals the one that stood earlier; then what was replaced, in its order. */
export function ranked(valid: readonly OpenedBid[], replaced: readonly OpenedBid[]): OpenedBid[] {
  const inOrder = [...valid].sort((a, b) => b.cents - a.cents || a.sequence - b.sequence);
  const first = [...replaced].sort((a, b) => a.sequence - b.sequence);
  return [
    ...inOrder.map((bid, index) => ({ ...bid, rank: index + 1 })),
    ...first.map((bid) => ({ ...bid, rank: null })),
  ];
}

/** Those who may bid in the final round: the highest `count`, and all equal to the last of them. */
export function finalistsOf(opened: readonly OpenedBid[], count: number): string[] {
  const valid = opened.filter(({ rank }) => rank !== null);
  const last = valid[Math.min(count, valid.length) - 1];
  return last === undefined ? [] : valid.filter(({ cents }) => cents >= last.cents).map(({ key }) => key);
}

type Outcome = Pick<
  TenderState,
  'top' | 'secondCents' | 'pays' | 'reserveCents' | 'startingBidCents' | 'units'
>;

/** What the winner pays, as bids are: for a unit, where the lot is sold by it. */
export function priceCents({ top, secondCents, pays, reserveCents, startingBidCents }: Outcome): number {
  if (top === null) return 0;
  if (pays === 'own') return top.cents;
  return secondCents === null
    ? (reserveCents ?? startingBidCents)
    : Math.max(secondCents, reserveCents ?? secondCents);
}

/** Whether somebody has bid what the seller wants at least. */
export function isReserveMet({ top, reserveCents }: Pick<TenderState, 'top' | 'reserveCents'>): boolean {
  return reserveCents === null || (top !== null && top.cents >= reserveCents);
}

/** Sold to the highest, unless that is below the reserve. */
export function closed(state: Outcome): Omit<LotClosed, 'sequence'> {
  const { top, units } = state;
  const common = { type: 'lot_closed', reason: 'time', flags: [], floor: null, saleFacts: null } as const;
  if (top === null) return { ...common, status: 'unsold', hammerCents: null, winner: null };
  if (!isReserveMet(state)) return { ...common, status: 'passed', hammerCents: null, winner: null };
  const { key, userId, alias, paddle } = top;
  return {
    ...common,
    status: 'sold',
    hammerCents: totalOf(units, priceCents(state)),
    winner: { key, userId, alias, paddle },
  };
}
