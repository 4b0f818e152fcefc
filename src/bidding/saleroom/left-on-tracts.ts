/**
 * What the clerk of a sale of tracts sees of bids that were left with the house: each is for one tract alone, at most
 * its maximum. It is called for what it takes to lead, or, where that is out of its reach, to stand at its maximum: it
 * may lead later by what others bid.
 */
import type { Knex } from 'knex';
import type { Increment } from '../../../engine/auction/increments.ts';
import { faceOf, memberIds, saleOf } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { formatCents, parseCents } from '../../../engine/money.ts';
import { objectsIn } from '../../../engine/objects.ts';
import { readBook } from './left-bids.ts';
import { type AbsenteeBid, byMaximum, nextLeftBid } from './next-left-bid.ts';

/** What can be done with an absentee bid: `in` may lead, `stand` may stand, `out` is below what is taken. */
type LeftState = 'leading' | 'stands' | 'in' | 'stand' | 'out';

export interface LeftOnTracts {
  /** By tract, the highest maximum first. */
  readonly absentee: readonly {
    readonly number: number;
    readonly paddle: string;
    readonly maximum: string;
    readonly state: LeftState;
  }[];
  /** What one key calls; null: nothing. */
  readonly next: {
    readonly number: number;
    readonly paddle: string;
    readonly amount: string;
    readonly standing: boolean;
  } | null;
  readonly phones: readonly {
    readonly number: number;
    readonly paddle: string;
    readonly phone: string;
    readonly language: string | null;
    readonly clerk: string | null;
  }[];
}

/** What was left for the tracts that are still for sale. */
export async function readLeftOnTracts(
  knex: Knex,
  state: LotState,
  increments: readonly Increment[],
): Promise<LeftOnTracts> {
  const open = memberIds(state).filter((id) => isOpen(faceOf(state, id)));
  const book = open.length === 0 ? [] : await readBook(knex, state.auctionId, open);
  const tracts = open.map((id) => {
    const left = book.flatMap(({ lot_id, paddle, max_cents: maxCents }) =>
      lot_id === id && maxCents !== null ? [{ paddle, maxCents }] : [],
    );
    return { number: faceOf(state, id).lotNumber, ...playedOn(state, id, left, increments) };
  });
  const numberOf = new Map(open.map((id) => [id, faceOf(state, id).lotNumber]));
  const nexts = tracts.flatMap(({ number, next }) => (next === null ? [] : [{ number, ...next }]));
  return {
    absentee: tracts.flatMap(({ number, shown }) => shown.map((one) => ({ number, ...one }))),
    // Whoever can lead comes before those who can only stand.
    next: nexts.find(({ standing }) => !standing) ?? nexts[0] ?? null,
    phones: book
      .flatMap(({ lot_id, paddle, phone, language, clerk }) =>
        phone === null ? [] : [{ number: numberOf.get(lot_id) ?? 0, paddle, phone, language, clerk }],
      )
      .toSorted((one, other) => one.number - other.number),
  };
}

/** The absentee bids for one tract, and the call that comes next of them. */
function playedOn(
  state: LotState,
  lotId: number,
  left: readonly AbsenteeBid[],
  increments: readonly Increment[],
) {
  const quote = saleOf(state).quote([lotId], { increments });
  if (quote === null || left.length === 0) return { shown: [], next: null };
  const centsOf = (field: string) => parseCents(String(quote[field]), state.decimals) ?? 0;
  const [leadCents, leastCents] = [centsOf('price_to_lead'), centsOf('minimum_bid')];
  const leading = paddlesOn(state, lotId, 'leading');
  const standing = paddlesOn(state, lotId, 'standing');
  const stateOf = ({ paddle, maxCents }: AbsenteeBid): LeftState => {
    if (leading.includes(paddle)) return 'leading';
    if (maxCents >= leadCents) return 'in';
    if (standing.includes(paddle)) return 'stands';
    return maxCents >= leastCents ? 'stand' : 'out';
  };
  const ranked = byMaximum(left);
  const call = nextLeftBid(left, {
    leaderPaddle: leading[0] ?? null,
    minimumCents: leadCents,
    increments,
  });
  const stands = ranked.find((one) => stateOf(one) === 'stand');
  const amount = (cents: number) => formatCents(cents, state.decimals);
  return {
    shown: ranked.map((one) => ({
      paddle: one.paddle,
      maximum: amount(one.maxCents),
      state: stateOf(one),
    })),
    next:
      call !== null
        ? { paddle: call.paddle, amount: amount(call.cents), standing: false }
        : stands === undefined || leading.includes(ranked[0]?.paddle ?? '')
          ? null
          : { paddle: stands.paddle, amount: amount(stands.maxCents), standing: true },
  };
}

/** The paddles whose bids on this tract alone lead, or stand. */
function paddlesOn(state: LotState, lotId: number, which: 'leading' | 'standing'): readonly string[] {
  return objectsIn(saleOf(state).board()[which]).flatMap(({ lot_ids: ids, paddle_number: paddle }) =>
    Array.isArray(ids) && ids.length === 1 && ids[0] === lotId ? [String(paddle)] : [],
  );
}
