/** What somebody reads of their own: their bids with what each lot is to them, and the lots that they watch. */
import type { Dice } from '../simulation/dice.ts';
import { entriesOf } from '../support/naive-lead.ts';
import type { JsonValue } from '../support/service.ts';
import { differences, type Read } from './comparisons.ts';
import type { LotModel } from './market-terms.ts';
import { isOpen, isUnderHammer, liveView, type MarketWorld, seesLot } from './market-world.ts';
import { offersRead } from './money-views.ts';
import { noticesRead } from './notice-views.ts';

const STATUSES = ['leading', 'outbid', 'won', 'lost', 'defaulted'] as const;

export const hasBid = (lot: LotModel, name: string): boolean =>
  isUnderHammer(lot) &&
  entriesOf(lot.auction.world.log, lot.id).some(
    ({ input }) => (input.kind === 'bid' || input.kind === 'buyNow') && input.who === name,
  );

function ownStatusOf({ ledger }: MarketWorld, lot: LotModel, name: string): (typeof STATUSES)[number] {
  const { leader } = liveView(lot);
  if (isOpen(lot)) return leader === name ? 'leading' : 'outbid';
  const own = ledger.invoices.findLast((one) => one.lot === lot && one.buyer === name);
  if (own?.defaulted === true) return 'defaulted';
  return lot.status === 'sold' && leader === name ? 'won' : 'lost';
}

/** Each lot that they have bid on, in whatever state it is by now, and whether or not they still see it. */
const ownBidsRead =
  (dice: Dice): Read =>
  async (world, market, by) => {
    const isBidder = (name: string) => world.lots.some((lot) => hasBid(lot, name));
    const name = isBidder(by) ? by : ([...world.people.keys()].find(isBidder) ?? '');
    const filter = dice.chance(0.5) ? dice.pick(STATUSES) : null;
    const path = `/api/v1/me/bids?per_page=100${filter === null ? '' : `&status=${filter}`}`;
    if (name === '') return { where: path, by, differences: [] };
    const { body } = await market.service.get(path, world.person(name)?.token);
    const found: Record<string, string> = {};
    for (const { lot_id: id, status } of body.data as JsonValue[]) {
      const known = found[id];
      found[id] = known === undefined || known === status ? status : `${known} and ${status}`;
    }
    const own = world.lots.filter((lot) => hasBid(lot, name));
    const statuses = own.map((lot) => [String(lot.id), ownStatusOf(world, lot, name)] as const);
    const wanted = statuses.filter(([, status]) => filter === null || status === filter);
    const where = `GET ${path}`;
    const ids = Object.keys(found).filter((id) => !wanted.some(([one]) => one === id));
    const wrong = differences(Object.fromEntries(wanted), found);
    return { where, by: name, differences: [...wrong, ...ids.map((id) => `${id} is in the list`)] };
  };

/** The newest first, without those that they may no longer see. */
const watchlistRead: Read = async (world, market, by) => {
  const name = world.watched.has(by) ? by : ([...world.watched.keys()][0] ?? '');
  const path = '/api/v1/me/watchlist?per_page=100';
  if (name === '') return { where: path, by, differences: [] };
  const { body } = await market.service.get(path, world.person(name)?.token);
  const lots = (world.watched.get(name) ?? []).map((one) => world.lot(one)).reverse();
  const wanted = lots.flatMap((lot) => (lot !== null && seesLot(lot, name) ? [{ lot_id: lot.id }] : []));
  return { where: `GET ${path}`, by: name, differences: differences(wanted, body.data) };
};

/** The lots that somebody consigns, or is asked to, the newest first. */
const consignmentsRead: Read = async (world, market, by) => {
  const isNamed = (name: string) => world.lots.some(({ named }) => named?.name === name);
  const name = isNamed(by) ? by : ([...world.people.keys()].find(isNamed) ?? '');
  const path = '/api/v1/consignments?per_page=100';
  if (name === '') return { where: path, by, differences: [] };
  const { body } = await market.service.get(path, world.person(name)?.token);
  const own = world.lots.filter(({ named }) => named?.name === name).sort((one, other) => other.id - one.id);
  const wanted = own.map(({ id, title, consigned }) => ({
    ...{ lot_id: id, title, consignor_status: consigned ? 'accepted' : 'invited' },
  }));
  return { where: `GET ${path}`, by: name, differences: differences(wanted, body.data) };
};

interface OwnView {
  readonly kind: string;
  /** Whether there is anything of theirs in it. */
  readonly isTheirs: (world: MarketWorld, name: string) => boolean;
  readonly read: (dice: Dice) => Read;
}

export const OWN_VIEWS: readonly OwnView[] = [
  {
    kind: 'own bids',
    isTheirs: ({ lots }, name) => lots.some((lot) => hasBid(lot, name)),
    read: ownBidsRead,
  },
  {
    kind: 'notices',
    isTheirs: ({ lots }, name) => lots.some((lot) => hasBid(lot, name)),
    read: () => noticesRead,
  },
  { kind: 'watchlist', isTheirs: ({ watched }, name) => watched.has(name), read: () => watchlistRead },
  {
    kind: 'consignments',
    isTheirs: ({ lots }, name) => lots.some(({ named }) => named?.name === name),
    read: () => consignmentsRead,
  },
  {
    kind: 'offers',
    isTheirs: ({ ledger }, name) => ledger.offers.some(({ to }) => to === name),
    read: () => offersRead,
  },
];
