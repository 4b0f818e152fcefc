/** Faults of the formats beside the first that the simulation must find: what each is about is what its rule says. */
import type { Fault } from './faults.ts';

const OPENING = 'engine/formats/tender/opening-bids.ts';
const TENDER = 'engine/formats/tender/tender-bid.ts';
const FALLING = 'engine/formats/falling/falling-decide.ts';
const CLOCK = 'engine/formats/falling/falling-timetable.ts';
const LEAD = 'engine/formats/parcels/lead-price.ts';
const HAMMER = 'engine/formats/english/held-hammer.ts';
const PARCELS_END = 'engine/formats/parcels/parcels-close.ts';
const GROUP = 'engine/formats/english/choice-group.ts';
const CHOOSING = 'engine/formats/english/decide-choice.ts';

export const FORMAT_FAULTS: readonly Fault[] = [
  {
    name: 'a tender in which of equal bids the later one wins',
    file: OPENING,
    text: 'b.cents - a.cents || a.sequence - b.sequence',
    instead: 'b.cents - a.cents || b.sequence - a.sequence',
  },
  {
    name: 'a tender whose winner pays their own bid where the second is to be paid',
    file: OPENING,
    text: `if (pays === 'own') return top.cents;`,
    instead: 'if (pays !== undefined) return top.cents;',
  },
  {
    name: 'a final round for one bidder more than there may be',
    file: OPENING,
    text: 'const last = valid[Math.min(count, valid.length) - 1];',
    instead: 'const last = valid[Math.min(count + 1, valid.length) - 1];',
  },
  {
    name: 'a tender that takes the same bid again',
    file: TENDER,
    text: 'return round === 2 ? secret.cents : secret.cents + 1;',
    instead: 'return secret.cents;',
  },
  {
    name: 'a falling clock that sells at the price of before',
    file: FALLING,
    text: 'const cents = priceAt(state, nowUs);',
    instead: 'const cents = priceAt(state, state.recordedAtUs);',
  },
  {
    name: 'a falling clock of which more is taken than there is',
    file: FALLING,
    text: `if (take > left) return refuse('not_enough_left');`,
    instead: '',
  },
  {
    name: 'a falling clock that goes on in a pause',
    file: CLOCK,
    text: 'if (isAffected) heldUpUs += toUs - fromUs;',
    instead: '',
  },
  {
    name: 'a void that puts back nothing of what was taken',
    from: 28,
    file: 'engine/formats/falling/falling-evolve.ts',
    text: 'const taken = state.taken.filter((one) => one.bidId !== bidId);',
    instead: 'const taken = bidId === null ? [] : state.taken;',
  },
  {
    name: 'a set of tracts that leads with no more than those before it',
    file: LEAD,
    text: 'comesBefore(withIt, sequencesOf(leading)) ? missing : missing + 1',
    instead: 'comesBefore(withIt, sequencesOf(leading)) ? missing : missing',
  },
  {
    name: 'sets of tracts that lead though they overlap',
    file: LEAD,
    text: 'const beside = choiceOf(state.lots, state.bids, openSet(state) & ~set);',
    instead: 'const beside = choiceOf(state.lots, state.bids, openSet(state));',
  },
  {
    name: 'tracts whose shares are rounded up',
    from: 39,
    file: PARCELS_END,
    text: 'Number((BigInt(totalCents) * itemAt(weights, at)) / all)',
    instead: 'Number((BigInt(totalCents) * itemAt(weights, at) + all - 1n) / all)',
  },
  {
    name: 'a bidder for tracts who may have to pay for all sets at once',
    from: 70,
    file: LEAD,
    text: 'return chooserOf(bids, lotCount).best(open);',
    instead: 'return bids.reduce((sum, bid) => sum + bid.totalCents, 0);',
  },
  {
    name: 'a hammer whose result is final while it may be taken back',
    from: 65,
    file: HAMMER,
    text: 'if (held === null || nowUs < held.untilUs) return [];',
    instead: 'if (held === null) return [];',
  },
  {
    name: 'a hammer that is taken back after its time',
    from: 200,
    file: HAMMER,
    text: 'if (held === null || nowUs >= held.untilUs)',
    instead: 'if (held === null)',
  },
  {
    name: 'a lot that takes bids though the hammer has fallen',
    file: HAMMER,
    text: 'return { ...state, sequence, status, hammerCents, winner, saleFacts, held: { untilUs, close, row } };',
    instead:
      'return { ...state, sequence, hammerCents, winner, saleFacts, held: { untilUs, close, row }, ...(status === null ? { status } : {}) };',
  },
  {
    name: 'a call from the floor that counts after a later one',
    file: 'engine/formats/english/decide-bid.ts',
    text: 'if (floor !== null && floor.sequence <= (state.floorSequences[floor.platform] ?? -1))',
    instead: 'if (floor !== null && floor.sequence < 0)',
  },
  {
    name: 'a batch in which each command gives back what an outage took',
    from: 588,
    file: 'engine/actor/prepare.ts',
    text: 'const isLater = events.length > 0 && isOfItsMoment(format, record);',
    instead: 'const isLater = false;',
  },
  {
    name: 'time for a choice that runs out in a pause',
    file: GROUP,
    text: 'const isOver = now !== null && pausedSinceUs(record) === null && nowUs >= now.untilUs;',
    instead: 'const isOver = now !== null && nowUs >= now.untilUs;',
  },
  {
    name: 'a lot that is chosen while its own hammer may be taken back',
    file: 'engine/auction/choice-groups.ts',
    text: 'return isOffered(note, lotId) && note.held?.includes(lotId) !== true;',
    instead: 'return isOffered(note, lotId);',
  },
  {
    name: 'a lot that never hears that it was chosen',
    file: GROUP,
    text: 'if (sale !== undefined) return [...events, ...sold(present, sale, null, record)];',
    instead: '',
  },
  {
    name: 'lots that are offered together with the price of the bidding before',
    file: 'engine/formats/english/evolve.ts',
    text: '...(isOwn ? { leader, currentCents, bidCount } : { leader: null, currentCents: 0, bidCount: 0 }),',
    instead: '...{ leader, currentCents, bidCount },',
  },
  {
    name: 'a bidder in the room who may choose as the online winner does',
    file: CHOOSING,
    text: `if (choice === undefined && sale.channel === 'online' && offeredLots(state, record).length > 1) {`,
    instead: 'if (choice === undefined && offeredLots(state, record).length > 1) {',
  },
  {
    name: 'a bid that is taken while somebody chooses',
    file: CHOOSING,
    text: `return pendingOf(state) === null ? null : 'choice_pending';`,
    instead: 'return null;',
  },
];
