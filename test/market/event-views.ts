/** The feed of a team's events: each fact of its sales is there exactly once, whatever ran twice. */
import type { Seen } from './comparisons.ts';
import type { MarketService } from './market-service.ts';
import type { TeamModel } from './market-terms.ts';
import { type MarketWorld, memberOf } from './market-world.ts';

const COMPARED = [
  ...['auction.published', 'auction.started', 'auction.ended', 'lot.sold', 'lot.passed', 'lot.unsold'],
  ...['offer.created', 'offer.accepted', 'offer.declined', 'offer.expired'],
  ...['lot.bid_placed', 'bid.placed', 'invoice.created', 'invoice.paid', 'invoice.voided'],
];

/** How often each fact is told, by the model. */
function expected(world: MarketWorld, team: TeamModel): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (type: string, of: string | number, times = 1) => {
    if (times > 0) counts.set(`${type} ${of}`, (counts.get(`${type} ${of}`) ?? 0) + times);
  };
  for (const auction of world.auctions.filter((one) => one.team === team && one.published)) {
    add('auction.published', auction.id);
    if (auction.started) add('auction.started', auction.id);
    if (auction.status === 'ended' || auction.status === 'settled') add('auction.ended', auction.id);
    for (const lot of auction.lots) {
      const closedAs = lot.closedAs ?? lot.status;
      if (closedAs === 'sold') add('lot.sold', lot.id);
      if (closedAs === 'passed') add('lot.passed', lot.id);
      if (closedAs === 'passed' || closedAs === 'unsold') add('lot.unsold', lot.id);
      for (const name of ['lot.bid_placed', 'bid.placed']) add(name, lot.id, lot.bidsMade);
    }
  }
  // A second sale is told by its offer alone, and a bid that is accepted was never offered.
  for (const { lot, status, wasMade } of world.ledger.offers) {
    if (lot.auction.team !== team) continue;
    if (wasMade) add('offer.created', lot.id);
    if (status !== 'offered') add(`offer.${status}`, lot.id);
  }
  for (const { lot, number, status, bill } of world.ledger.invoices) {
    if (lot.auction.team !== team || number === '') continue;
    add('invoice.created', number);
    add('invoice.paid', number, bill.paidTimes);
    if (status === 'voided') add('invoice.voided', number);
  }
  return counts;
}

interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function readEvents(world: MarketWorld, market: MarketService, team: TeamModel): Promise<Seen> {
  const by = memberOf(world, team);
  const where = `GET /api/v1/events of ${team.name}`;
  if (by === '') return { where, by, differences: [] };
  const found = new Map<string, number>();
  for (let after = ''; ; ) {
    const path = `/api/v1/events?limit=100${after === '' ? '' : `&after=${after}`}`;
    const { body } = await market.service.call('GET', path, {
      token: world.person(by)?.token,
      headers: { 'x-team-id': String(team.id) },
    });
    for (const { id, type, data } of body.data as FeedEvent[]) {
      after = id;
      if (!COMPARED.includes(type) || (type.startsWith('invoice.') && data['kind'] !== 'winner')) continue;
      const of = type.startsWith('invoice.')
        ? data['invoice_number']
        : type.startsWith('auction.')
          ? data['auction_id']
          : data['lot_id'];
      found.set(`${type} ${of}`, (found.get(`${type} ${of}`) ?? 0) + 1);
    }
    if (body.meta.has_more !== true) break;
  }
  const wanted = expected(world, team);
  const names = [...new Set([...wanted.keys(), ...found.keys()])];
  const wrong = names.filter((name) => wanted.get(name) !== found.get(name));
  return {
    ...{ where, by },
    differences: wrong.map(
      (name) => `${name}: ${wanted.get(name) ?? 0} expected, not ${found.get(name) ?? 0}`,
    ),
  };
}
