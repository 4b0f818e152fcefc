/** What sellers do to their lots: made, put up, changed, amended, withdrawn, deleted, listed again. */
import type { Dice } from '../simulation/dice.ts';
import { apply } from '../support/naive-rules.ts';
import { draftLot, takesLots } from './lot-ends.ts';
import { cents, type LotModel, orNull } from './market-terms.ts';
import { isContested, isLive, isUnderHammer, type MarketWorld, OVER } from './market-world.ts';
import { open, reprice, withdraw } from './moves.ts';
import { type Expected, type Kind, type Operation, type Play, refused } from './operation.ts';
import { atDesk, byForm, isRefusal, type Seller, sellerOf, sentBy, someSeller } from './seller-context.ts';

const INVALID: Expected = refused(409, 'invalid_transition');
const LOCKED: Expected = refused(409, 'lot_locked');
const NOT_APPROVED: Expected = refused(403, 'seller_not_approved');

const createLot: Kind = {
  name: 'create lot',
  weight: 12,
  propose(world, dice) {
    if (world.auctions.length === 0) return null;
    const taking = world.auctions.filter(takesLots);
    const auction = dice.pick(taking.length > 0 && dice.chance(0.85) ? taking : world.auctions);
    const startingCents = dice.between(1, 400) * 100;
    const reserve = dice.chance(0.5) ? startingCents + dice.between(0, 500) * 100 : null;
    return {
      ...{ name: `l${world.lots.length + 1}-${auction.name}`, auction: auction.name },
      ...someSeller(world, dice, auction.team),
      ...{ startingCents, reserveCents: reserve },
      buyNowCents: dice.chance(0.2) ? startingCents * 4 : null,
      status: dice.pick(['draft', 'draft', 'scheduled']),
    };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    if (auction === null) return null;
    const { name, startingCents, status } = operation;
    const reserveCents = operation['reserveCents'] as number | null;
    const buyNowCents = operation['buyNowCents'] as number | null;
    const title = `${world.tag} lot ${name}`;
    const body = {
      ...{ auction_id: auction.id, title, status, starting_bid: cents(Number(startingCents)) },
      ...{ reserve_price: orNull(reserveCents), buy_now_price: orNull(buyNowCents) },
    };
    const sent = sentBy(operation, 'POST', 'lots', body);
    const seller = sellerOf(world, operation, auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    if (!takesLots(auction)) return { sent, expected: INVALID };
    const puts = status === 'scheduled';
    if (puts && isLive(auction) && !seller.maySell) return { sent, expected: NOT_APPROVED };
    const parts = { title, startingCents: Number(startingCents), reserveCents, buyNowCents };
    const lot = draftLot(auction, { name: String(name), ...parts });
    return {
      sent,
      expected: {
        status: 201,
        data: {
          ...{ title, auction_id: auction.id, lot_number: lot.number, bid_count: 0, current_bid: '0.00' },
          ...{ starting_bid: body.starting_bid, reserve_price: body.reserve_price },
          ...{ buy_now_price: body.buy_now_price },
        },
      },
      learn({ id }) {
        lot.id = id;
        auction.lots.push(lot);
        if (puts) lot.status = 'scheduled';
        if (puts && isLive(auction)) open(lot);
      },
      touched: [lot.name],
    };
  },
};

interface Changed {
  readonly body: object;
  readonly expected: Expected;
  readonly method?: string;
  readonly path?: string;
  /** The form that does the same, under the lot's page at the desk; '' is that page's own, filled in. */
  readonly form?: { readonly path: string; readonly fields: Readonly<Record<string, string>> };
}

/** A kind that does something to one lot: the request, and what a seller of its team is answered. */
export function onLot(
  name: string,
  weight: number,
  propose: (lot: LotModel, dice: Dice) => Partial<Operation>,
  play: (lot: LotModel, operation: Operation, seller: Seller, world: MarketWorld) => Changed,
  elsewhere: Pick<Changed, 'body' | 'method' | 'path'> = { body: {} },
): Kind {
  return {
    name,
    weight,
    propose(world, dice) {
      if (world.lots.length === 0) return null;
      const lot = dice.pick(world.lots);
      const seller = someSeller(world, dice, lot.auction.team);
      return { lot: lot.name, ...seller, ...byForm(dice), ...propose(lot, dice) };
    },
    play(world, operation): Play | null {
      const lot = world.lot(String(operation['lot']));
      if (lot === null) return null;
      const seller = sellerOf(world, operation, lot.auction);
      const changed = isRefusal(seller)
        ? { ...elsewhere, expected: seller }
        : play(lot, operation, seller, world);
      const { method = 'PATCH', path = '', body, expected, form } = changed;
      const sent = sentBy(operation, method, `lots/${lot.id}${path}`, body);
      const done = { sent, expected, touched: [lot.name, lot.auction.name] };
      if (form === undefined) return done;
      const page = `/seller/lots/${lot.id}`;
      const own = { path: `${page}${form.path}`, fields: form.fields };
      return atDesk(world, operation, done, form.path === '' ? { ...own, page } : own);
    },
  };
}

const toStatus = (status: string) => ({ body: { status }, form: { path: '/status', fields: { status } } });

/** Changes the public must be asked about: only a team that may sell makes them. */
export const isBeforePublic = (lot: LotModel) => isUnderHammer(lot) && !OVER.includes(lot.status);

const rename = onLot(
  'rename lot',
  4,
  (_lot, dice) => ({ word: dice.pick(['oak', 'elm', 'ash', 'fir']) }),
  (lot, operation, { maySell }) => {
    const title = `${lot.title.split(' ').slice(0, 3).join(' ')} ${operation['word']}`;
    const form = { path: '', fields: { title } };
    const at = { body: { title }, form };
    const isSame = title === lot.title;
    // What is as it was is not sent by a form.
    if (isSame && operation['form'] === true) return { ...at, expected: { status: 200 } };
    if (['sold', 'passed', 'unsold'].includes(lot.status)) return { ...at, expected: LOCKED };
    if (isBeforePublic(lot) && !maySell) return { ...at, expected: NOT_APPROVED };
    // What a buyer relied on stays, whatever has become of the lot.
    if (lot.hadBid && !isSame) return { ...at, expected: LOCKED };
    lot.title = title;
    return { ...at, expected: { status: 200, data: { title } } };
  },
);

const changeStart = onLot(
  'change starting bid',
  3,
  (_lot, dice) => ({ toCents: dice.between(1, 400) * 100 }),
  (lot, { toCents }, { maySell }) => {
    const body = { starting_bid: cents(Number(toCents)) };
    if (OVER.includes(lot.status)) return { body, expected: LOCKED };
    const isRaised = Number(toCents) > lot.startingCents;
    if (isRaised && isBeforePublic(lot) && !maySell) return { body, expected: NOT_APPROVED };
    if (lot.hadBid && Number(toCents) !== lot.startingCents) return { body, expected: LOCKED };
    lot.startingCents = Number(toCents);
    reprice(lot);
    return { body, expected: { status: 200, data: body } };
  },
);

const changeReserve = onLot(
  'change reserve',
  5,
  (lot, dice) => ({
    toCents: dice.pick([null, Math.round((lot.reserveCents ?? 20_000) / 200) * 100 || 100, 50_000]),
  }),
  (lot, operation, { maySell }, { nowUs }) => {
    const toCents = operation['toCents'] as number | null;
    const body = { reserve_price: orNull(toCents) };
    if (OVER.includes(lot.status)) return { body, expected: LOCKED };
    const isRaised = (toCents ?? 0) > (lot.reserveCents ?? 0);
    if (isRaised && isBeforePublic(lot) && !maySell) return { body, expected: NOT_APPROVED };
    if (isUnderHammer(lot)) {
      const { world } = lot.auction;
      const { refused: code } = apply(world, { kind: 'reserve', lotId: lot.id, atUs: nowUs, toCents });
      if (code !== null) return { body, expected: refused(409, code) };
    }
    lot.reserveCents = toCents;
    return { body, expected: { status: 200, data: { reserve_price: body.reserve_price } } };
  },
);

const schedule = onLot(
  'schedule lot',
  4,
  () => ({}),
  (lot, _operation, { maySell }) => {
    const at = toStatus('scheduled');
    const { auction } = lot;
    if (lot.status === 'scheduled') return { ...at, expected: { status: 200 } };
    if (lot.status !== 'draft') return { ...at, expected: INVALID };
    if (!takesLots(auction)) return { ...at, expected: INVALID };
    if (isLive(auction) && !maySell) return { ...at, expected: NOT_APPROVED };
    lot.status = 'scheduled';
    if (isLive(auction)) open(lot);
    return { ...at, expected: { status: 200 } };
  },
);

const withdrawLot = onLot(
  'withdraw lot',
  2,
  () => ({}),
  (lot, _operation, _seller, { nowUs }) => {
    const at = toStatus('withdrawn');
    if (lot.status === 'withdrawn') return { ...at, expected: { status: 200 } };
    if (lot.status === 'draft' || OVER.includes(lot.status)) return { ...at, expected: INVALID };
    if (isContested(lot)) return { ...at, expected: INVALID };
    withdraw(lot, nowUs);
    return { ...at, expected: { status: 200, data: { status: 'withdrawn' } } };
  },
);

const amend = onLot(
  'amend lot',
  4,
  (_lot, dice) => ({ word: dice.pick(['larger', 'smaller', 'older']), reason: 'as measured' }),
  (lot, { word, reason }, { maySell }) => {
    const title = `${lot.title.split(' ').slice(0, 3).join(' ')} ${word}`;
    const at = { method: 'POST', path: '/amendments', body: { changes: { title }, reason } };
    if (OVER.includes(lot.status)) {
      const isHidden = lot.status === 'withdrawn' && !lot.published;
      return { ...at, expected: isHidden ? INVALID : LOCKED };
    }
    if (isBeforePublic(lot) && !maySell) return { ...at, expected: NOT_APPROVED };
    if (!isContested(lot)) return { ...at, expected: INVALID };
    if (title === lot.title) return { ...at, expected: refused(422, 'validation_failed') };
    const amendment = { reason: String(reason), before: { title: lot.title }, after: { title } };
    lot.amendments.push(amendment);
    lot.title = title;
    return { ...at, expected: { status: 201, data: amendment } };
  },
  { method: 'POST', path: '/amendments', body: { changes: { title: 'Another' }, reason: 'none' } },
);

export const LOT_KINDS: readonly Kind[] = [
  ...[createLot, rename, changeStart, changeReserve, schedule, withdrawLot, amend],
];
