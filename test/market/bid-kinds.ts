/** What bidders do: bids with ceilings, the same once more under its key, purchases. */

import { apply } from '../support/naive-rules.ts';
import {
  type AuctionModel,
  cents,
  iso,
  type KeyedBid,
  type LotModel,
  type Person,
  UNREGISTERED,
} from './market-terms.ts';
import { isOpen, isUnderHammer, liveView, type MarketWorld, seesLot, VISITOR } from './market-world.ts';
import { type Expected, HIDDEN, type Kind, refused } from './operation.ts';

const STATUS_OF: Readonly<Record<string, number>> = {
  ...{ bid_too_low: 422, currency_mismatch: 422, seller_cannot_bid: 403, registration_required: 403 },
  ...{ deposit_required: 403 },
  ...{ registration_pending: 403, bidder_suspended: 403, bid_limit_exceeded: 403, lot_not_started: 409 },
  ...{ lot_closed: 409, lot_withdrawn: 409, auction_paused: 409, max_not_increased: 409 },
  ...{ bid_confirmation_required: 409, buy_now_unavailable: 409 },
};

/** Brings what the rules know of a bidder up to date. */
function enter({ suspended }: MarketWorld, auction: AuctionModel, { name, userId }: Person): void {
  const known = auction.registrations.get(name);
  auction.world.bidders[name] = {
    ...{ userId, verified: false, suspended: suspended.has(name) },
    registration:
      known === undefined
        ? null
        : {
            // Who owes a deposit is let in but for that.
            status: known.status === 'deposit_due' ? 'approved' : known.status,
            depositPaid: known.status === 'approved',
            bidLimitCents: known.limitCents,
          },
  };
}

/** The refusal that comes before the rules of bidding, or null. */
function before(world: MarketWorld, lot: LotModel, by: string): Expected | null {
  if (world.person(by) === null) return refused(401, 'unauthenticated');
  // One that was never put up takes no bids, not even from those who see it.
  if (!seesLot(lot, by) || !lot.published) return HIDDEN;
  return null;
}

/** Whoever bids in an open auction is registered by that. */
function admit(auction: AuctionModel, { name }: Person): void {
  if (!auction.registrations.has(name))
    auction.registrations.set(name, { ...UNREGISTERED, status: 'approved' });
}

const letIn = ({ registrations }: AuctionModel) =>
  [...registrations].flatMap(([name, { status }]) => (status === 'approved' ? [name] : []));

let bids = 0;

const bid: Kind = {
  name: 'bid',
  weight: 45,
  propose(world, dice) {
    const running = world.lots.filter(
      (lot) => isUnderHammer(lot) && lot.auction.status === 'active' && isOpen(lot),
    );
    const isOpenToAll = ({ privacy, mode }: AuctionModel) => privacy !== 'private' && mode === 'open';
    const open = running.filter(({ auction }) => isOpenToAll(auction) || letIn(auction).length > 0);
    const lots =
      dice.chance(0.7) && open.length > 0
        ? open
        : dice.chance(0.8) && running.length > 0
          ? running
          : world.lots;
    if (lots.length === 0) return null;
    // A few of them, so that they are contested.
    const lot = lots[Math.min(dice.between(0, lots.length - 1), dice.between(0, lots.length - 1))]!;
    // Where not everybody is let in, mostly those who are.
    const admitted = isOpenToAll(lot.auction) ? [] : letIn(lot.auction);
    const anybody = dice.chance(0.93)
      ? `bidder${dice.between(1, 10)}`
      : dice.pick([VISITOR, ...world.people.keys()]);
    const limited = admitted.filter((name) => lot.auction.registrations.get(name)?.limitCents != null);
    const some = limited.length > 0 && dice.chance(0.3) ? limited : admitted;
    const by = some.length > 0 && dice.chance(0.7) ? dice.pick(some) : anybody;
    const minimum = isUnderHammer(lot) ? liveView(lot).minimumNextCents : lot.startingCents;
    const amount = Math.max(1, minimum + dice.pick([-100, 0, 0, 0, 500, 2_500, 10_000]));
    const shape = dice.between(0, 3);
    const ceiling = amount + dice.pick([0, 500, 5_000, 40_000]);
    return {
      ...{ lot: lot.name, by },
      amountCents: shape === 3 ? null : amount,
      maxCents: shape < 2 ? null : ceiling,
      confirm: dice.chance(0.8),
      ...(dice.chance(0.35) ? { key: `k${world.keyed.length + 1}x${dice.between(0, 999)}` } : {}),
      ...(dice.chance(0.15) ? { twice: true } : {}),
      ...(dice.chance(0.2) ? { form: true } : {}),
    };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const by = String(operation['by']);
    const straightCents = operation['amountCents'] as number | null;
    const ceilingCents = operation['maxCents'] as number | null;
    // The form of the lot's page confirms what it sends; a visitor has none.
    const form = operation['form'] === true && world.person(by) !== null;
    const confirm = form || operation['confirm'] === true;
    const body = {
      ...(straightCents === null ? {} : { amount: cents(straightCents) }),
      ...(ceilingCents === null ? {} : { max_amount: cents(ceilingCents) }),
      ...(confirm ? { confirm } : {}),
    };
    const key = operation['key'] === undefined ? undefined : String(operation['key']);
    const twice = key !== undefined && operation['twice'] === true;
    const sent = form
      ? onForm(by, lot, 'bid', { ...body, confirmed: 'yes', key: keyOf(world, key) })
      : { by, method: 'POST', path: pathOf(lot), body, key: keyOf(world, key), twice };
    const touched = [lot.name];
    const earlier = before(world, lot, by);
    const person = world.person(by);
    if (earlier !== null || person === null) return { sent, expected: earlier ?? HIDDEN, touched };
    const { auction } = lot;
    enter(world, auction, person);
    const answer = apply(auction.world, {
      ...{ kind: 'bid', lotId: lot.id, atUs: world.nowUs, bidId: `bid ${++bids}`, who: by, straightCents },
      ...{ ceilingCents, currency: null, confirm, channel: 'online' },
    });
    const keep = (code: string | null, data: KeyedBid['data']) => {
      // What was refused for want of a confirmation is answered anew.
      if (key !== undefined && code !== 'bid_confirmation_required')
        world.keyed.push({ name: key, lot, by, body, atUs: world.nowUs, code, data });
    };
    if (answer.refused !== null) {
      keep(answer.refused, null);
      return { sent, expected: refused(STATUS_OF[answer.refused] ?? 0, answer.refused), touched };
    }
    lot.hadBid = true;
    if (answer.outcome !== 'max_raised') lot.bidsMade += 1;
    admit(auction, person);
    const data = accepted(lot, by, answer, world.nowUs);
    return { sent, expected: { status: 201, data }, learn: (said) => keep(null, said), touched };
  },
};

const pathOf = ({ id }: LotModel) => `/api/v1/lots/${id}/bids`;
/** No two seeds of a database share a key. */
const keyOf = ({ tag }: MarketWorld, key: string | undefined) =>
  key === undefined ? undefined : `${tag}-${key}`;
/** The same from the lot's page. */
function onForm(by: string, lot: LotModel, verb: string, body: object) {
  const fields = Object.entries(body).filter(([name, value]) => name !== 'confirm' && value !== undefined);
  const form = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
  return { by, method: 'POST', path: `/lots/${lot.id}/${verb}`, form };
}

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;

/** A bid that is sent once more, later: whatever has happened since, it is answered as it was. */
const bidAgain: Kind = {
  name: 'bid again',
  weight: 4,
  propose(world, dice) {
    if (world.keyed.length === 0) return null;
    const { name } = dice.pick(world.keyed);
    return { key: name, otherwise: dice.chance(0.25), twice: dice.chance(0.3) };
  },
  play(world, { key, otherwise, twice }) {
    const known = world.keyed.find(({ name }) => name === key);
    if (known === undefined || world.nowUs - known.atUs >= DAY_US - HOUR_US) return null;
    const { lot, by, data, code } = known;
    if (!world.lots.includes(lot)) return null;
    const body = otherwise === true ? { amount: '987654.00' } : known.body;
    const request = { by, method: 'POST', path: pathOf(lot), body, key: keyOf(world, known.name) };
    const sent = { ...request, twice: twice === true };
    const touched = [lot.name];
    const earlier = before(world, lot, by);
    if (earlier !== null) return { sent, expected: earlier, touched };
    if (otherwise === true) return { sent, expected: refused(422, 'idempotency_key_reused'), touched };
    if (code !== null) return { sent, expected: refused(STATUS_OF[code] ?? 0, code), touched };
    return { sent, expected: { status: 201, data: data ?? {} }, touched };
  },
};

type Accepted = Extract<ReturnType<typeof apply>, { refused: null }>;

/** The answer to a bid that is recorded. */
function accepted(lot: LotModel, by: string, answer: Accepted, nowUs: number) {
  const view = liveView(lot);
  return {
    ...{ lot_id: lot.id, auction_id: lot.auction.id, outcome: answer.outcome, channel: 'online' },
    ...{ amount: cents(answer.listedCents ?? 0), max_amount: cents(answer.bidderCeilingCents ?? 0) },
    placed_at: iso(nowUs),
    lot: {
      ...{ current_bid: cents(view.currentCents), minimum_next_bid: cents(view.minimumNextCents) },
      ...{ bid_count: view.bidCount, reserve_met: view.reserveMet, is_high_bidder: view.leader === by },
      ...{ end_time: iso(view.endsAtUs), extended: answer.extended },
    },
  };
}

const buyNow: Kind = {
  name: 'buy now',
  weight: 3,
  propose(world, dice) {
    const offered = world.lots.filter(({ buyNowCents }) => buyNowCents !== null);
    if (offered.length === 0) return null;
    const free = offered.filter((lot) => lot.auction.status === 'active' && !lot.hadBid && isOpen(lot));
    const by = `bidder${dice.between(1, 10)}`;
    return { lot: dice.pick(free.length > 0 ? free : offered).name, by, form: dice.chance(0.3) };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const by = String(operation['by']);
    const request = { by, method: 'POST', path: `/api/v1/lots/${lot.id}/buy-now`, body: { currency: 'usd' } };
    const isForm = operation['form'] === true;
    const sent = isForm ? onForm(by, lot, 'buy-now', { confirmed: 'yes' }) : request;
    const touched = [lot.name, lot.auction.name];
    const earlier = before(world, lot, by);
    const person = world.person(by);
    if (earlier !== null || person === null) return { sent, expected: earlier ?? HIDDEN, touched };
    const { auction } = lot;
    enter(world, auction, person);
    const order = { kind: 'buyNow', lotId: lot.id, atUs: world.nowUs, bidId: `bid ${++bids}` } as const;
    const answer = apply(auction.world, { ...order, who: by, currency: 'usd' });
    if (answer.refused !== null)
      return { sent, expected: refused(STATUS_OF[answer.refused] ?? 0, answer.refused), touched };
    lot.hadBid = true;
    lot.bidsMade += 1;
    lot.status = 'sold';
    admit(auction, person);
    const price = cents(answer.listedCents ?? 0);
    const data = { outcome: 'won', amount: price, lot_id: lot.id, placed_at: iso(world.nowUs) };
    return { sent, expected: { status: 201, data }, touched };
  },
};

export const BID_KINDS: readonly Kind[] = [bid, bidAgain, buyNow];
