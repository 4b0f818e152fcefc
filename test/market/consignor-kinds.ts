/** Whose lots they are: the seller names somebody, who is of the seller's side from the moment they accept. */
import { isBeforePublic, onLot } from './lot-kinds.ts';
import { type MarketWorld, OVER, VISITOR } from './market-world.ts';
import { consign } from './moves.ts';
import { HIDDEN, type Kind, refused, refusedPerson } from './operation.ts';
import { hasBid } from './own-views.ts';

const INVALID = refused(409, 'invalid_transition');
const LOCKED = refused(409, 'lot_locked');

const name = onLot(
  'name consignor',
  4,
  (_lot, dice) => ({ bidder: dice.chance(0.85) ? `bidder${dice.between(1, 10)}` : null }),
  (lot, { bidder }, { maySell }, world) => {
    const named = bidder === null ? null : world.person(String(bidder));
    const body = { consignor_id: named?.userId ?? null };
    const done = () => ({ status: 200, data: { ...body, consignor_status: statusOf(lot) } });
    // Who is named already is not named again.
    if (named === lot.named) return { body, expected: done() };
    if (['sold', 'passed', 'unsold'].includes(lot.status)) return { body, expected: LOCKED };
    if (isBeforePublic(lot) && !maySell) return { body, expected: NOT_APPROVED };
    // Whose a lot is belongs to what bidders relied on.
    if (lot.hadBid) return { body, expected: LOCKED };
    // To take somebody from the seller's side is to change what the lot is offered by.
    if (lot.consigned && lot.status === 'withdrawn' && lot.published) return { body, expected: LOCKED };
    consign(lot, named, false);
    return { body, expected: done() };
  },
);

const NOT_APPROVED = refused(403, 'seller_not_approved');
const statusOf = ({ named, consigned }: { named: object | null; consigned: boolean }) =>
  named === null ? null : consigned ? 'accepted' : 'invited';

const namedIn = ({ lots }: MarketWorld) => lots.filter(({ named }) => named !== null);

const accept: Kind = {
  name: 'accept consignment',
  weight: 5,
  propose(world, dice) {
    const lots = namedIn(world);
    if (lots.length === 0) return null;
    const lot = dice.pick(lots);
    const anybody = dice.pick([VISITOR, ...world.people.keys()]);
    return { lot: lot.name, by: dice.chance(0.85) ? (lot.named?.name ?? '') : anybody };
  },
  play(world, { lot: lotName, by }) {
    const lot = world.lot(String(lotName));
    if (lot === null) return null;
    const sent = { by: String(by), method: 'POST', path: `/api/v1/consignments/${lot.id}/accept` };
    const person = world.person(String(by));
    const early = refusedPerson(world, String(by));
    if (early !== null || person === null) return early === null ? null : { sent, expected: early };
    if (lot.named !== person) return { sent, expected: HIDDEN };
    const done = { status: 200, data: { lot_id: lot.id, consignor_status: 'accepted' } };
    if (lot.consigned) return { sent, expected: done };
    if (OVER.includes(lot.status)) return { sent, expected: INVALID };
    if (hasBid(lot, person.name)) return { sent, expected: refused(409, 'has_open_bids') };
    // Others have bid on what it was.
    if (lot.hadBid) return { sent, expected: LOCKED };
    consign(lot, person, true);
    return { sent, expected: done, touched: [lot.name] };
  },
};

export const CONSIGNOR_KINDS: readonly Kind[] = [name, accept];
