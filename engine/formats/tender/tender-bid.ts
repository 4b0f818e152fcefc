/** Decides a sealed bid, and taking one back (rule 22): pure, with the journal's clock and the seals handed in. */
import { limitOf } from '../../auction/record.ts';
import { commitmentTo, type Digest } from '../../digest.ts';
import type { RefusalCode } from '../../lot/answers.ts';
import { isOver } from '../../lot/closing.ts';
import type { BidCommand, PlaceBid, WithdrawBid } from '../../lot/commands.ts';
import type { BidDecision, Context, LimitUse, Verdict } from '../../lot/decision.ts';
import { type Approved, eligibilityRefusal, isApproved, lotRefusal } from '../../lot/eligibility.ts';
import { NO_SEALS, openSecret, type Seals, sealSecret } from '../../lot/seals.ts';
import { isOpen } from '../../lot/state.ts';
import { isBeyondTotals, totalOf } from '../../lot/units.ts';
import { unusedField } from '../../lot/unused-fields.ts';
import { formatCents } from '../../money.ts';
import type { BidSealed, TenderEvent } from './tender-events.ts';
import { ownBidOf, type TenderState } from './tender-state.ts';

type Decided = BidDecision<TenderEvent, BidSealed>;

/** A tender has no price to buy at. */
export function decideEither(state: TenderState, command: BidCommand, context: Context): Decided {
  if (command.type === 'place_bid') return decideBid(state, command, context);
  const early = eligibilityRefusal(state, command.bidder, { ...command, channel: 'online' }, context);
  return refusing(state)(early ?? 'buy_now_unavailable');
}

/** `least` is what this bidder would have to bid, which only they are told. */
type RefuseBid = (
  code: RefusalCode,
  more?: { readonly limitUse?: LimitUse | null; readonly least?: number },
) => Decided;

function refusing({ decimals }: TenderState): RefuseBid {
  return (code, { limitUse = null, least } = {}) => {
    const fields = least === undefined ? {} : { least: formatCents(least, decimals) };
    return { refuse: code, limitUse, fields };
  };
}

function unused(field: string): Decided {
  return { refuse: 'field_unused', fields: { field }, limitUse: null };
}

function decideBid(state: TenderState, command: PlaceBid, context: Context): Decided {
  const { bidder, seals = NO_SEALS, digest } = context;
  const { bidder: who, straightCents: cents, ceilingCents } = command;
  if (ceilingCents !== null || cents === null) return unused('max_amount');
  const field = unusedField(command);
  if (field !== null) return unused(field);
  const refuse = refusing(state);
  const early = eligibilityRefusal(state, who, command, context);
  if (early !== null && early !== 'currency_mismatch') return refuse(early);
  // Nobody is registered by a bid: that would show that there is one.
  if (!isApproved(bidder)) return refuse('registration_required');
  if (early !== null) return refuse(early);
  const least = leastOf(state, who.key, seals);
  if (typeof least !== 'number') return refuse(least);
  if (cents < least) return refuse('bid_too_low', { least });
  const limitUse = limitUseOf(state, cents, context);
  if (limitUse?.refused || isBeyondTotals(state.units, cents))
    return refuse('bid_limit_exceeded', { limitUse });
  const event = digest && sealedBid(state, command, bidder, cents, { seals, digest });
  return event == null ? refuse('sealing_unavailable') : { event, limitUse };
}

/** The least that a bidder may bid now, or why they may not. */
function leastOf(state: TenderState, key: string, seals: Seals): number | RefusalCode {
  const { lotKey, round, mayLower, startingBidCents } = state;
  if (round === 2) {
    const refusal = finalistRefusal(state, key, seals);
    if (refusal !== null) return refusal;
  }
  const present = ownBidOf(state, key);
  // A finalist whose bid was voided has none that could be raised; one who has bid once more has done so.
  if (round === 2 && present?.round !== 1) return 'not_in_final_round';
  if (present === undefined || (round === 1 && mayLower)) return startingBidCents;
  const secret = openSecret(seals, lotKey, present.sealed);
  if (secret === null) return 'sealing_unavailable';
  return round === 2 ? secret.cents : secret.cents + 1;
}

/** Why somebody may not bid in the final round; an empty text: it has no finalists. */
function finalistRefusal({ lotKey, finalists }: TenderState, key: string, seals: Seals): RefusalCode | null {
  if (finalists === '') return 'not_in_final_round';
  const names = finalists === null ? null : seals.open(lotKey, finalists);
  if (names === null) return 'sealing_unavailable';
  const allowed: string[] = JSON.parse(names);
  return allowed.includes(key) ? null : 'not_in_final_round';
}

/** All standing bids count; what the bidder has on other lots is in the context. */
function limitUseOf({ units }: TenderState, cents: number, context: Context): LimitUse | null {
  const limitCents = limitOf(context.record, context.bidder);
  if (limitCents === null || context.bidder?.userId == null) return null;
  const increaseCents = totalOf(units, cents);
  return { limitCents, increaseCents, refused: context.exposureCents + increaseCents > limitCents };
}

function sealedBid(
  state: TenderState,
  { bidId, salt, channel }: PlaceBid,
  { key, userId, alias, paddle }: Approved,
  cents: number,
  { seals, digest }: { readonly seals: Seals; readonly digest: Digest },
): BidSealed | null {
  const sealed = sealSecret(seals, state.lotKey, { salt, cents });
  if (sealed === null) return null;
  return {
    type: 'bid_sealed',
    sequence: state.sequence + 1,
    bidId,
    bidder: { key, userId, alias, paddle },
    channel,
    round: state.round,
    sealed,
    commitment: commitmentTo(digest, salt, cents),
    replaces: ownBidOf(state, key)?.bidId ?? null,
  };
}

/** Where the seller allows it, a bid is taken back until the first end. */
export function decideWithdrawal(
  state: TenderState,
  { bidId, bidder }: WithdrawBid,
  { record, nowUs }: Context,
): Verdict<TenderEvent> {
  const present = ownBidOf(state, bidder.key);
  if (present?.bidId !== bidId) return { refuse: isOpen(state) ? 'bid_unknown' : 'withdrawal_not_allowed' };
  const early = lotRefusal(state, record, nowUs);
  if (early === 'auction_paused') return { refuse: early };
  const may = state.mayWithdraw && state.round === 1 && !isOver(state, record, nowUs);
  if (early !== null || !may) return { refuse: 'withdrawal_not_allowed' };
  return { events: [{ type: 'bid_unsealed', bidId, by: 'bidder', reason: null }] };
}
