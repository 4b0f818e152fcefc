/** Money as people see it: a buyer's invoices, a seller's settlements, and the books. */
import { readBooks } from '../../src/billing/books/books.ts';
import type { JsonValue } from '../support/service.ts';
import { differences, type Read, readOne } from './comparisons.ts';
import { shownInvoice } from './ledger.ts';
import type { MarketService } from './market-service.ts';
import { type AuctionModel, cents } from './market-terms.ts';
import { type MarketWorld, memberOf } from './market-world.ts';
import type { InvoiceModel } from './money-terms.ts';

/** Reads the numbers of new invoices and settlements as their owners do: only the service can say them. */
export async function learnMoney(world: MarketWorld, market: MarketService): Promise<void> {
  const { invoices, settlements } = world.ledger;
  const buyers = new Set(invoices.filter(({ number }) => number === '').map(({ buyer }) => buyer));
  for (const buyer of buyers) {
    const path = '/api/v1/invoices?kind=winner&per_page=100';
    const { body } = await market.service.get(path, world.person(buyer)?.token);
    for (const invoice of invoices.filter((one) => one.buyer === buyer && one.number === '')) {
      const rows = body.data.filter((row: JsonValue) => row.lot?.id === invoice.lot.id);
      if (rows.length !== 1) throw new Error(`${rows.length} invoices of lot ${invoice.lot.id} for ${buyer}`);
      invoice.number = rows[0].invoice_number;
    }
  }
  for (const settlement of settlements.filter(({ id }) => id === 0)) {
    const { team, id } = settlement.auction;
    const owner = memberOf(world, team);
    if (owner === '') continue;
    const { body } = await market.service.call('GET', `/api/v1/settlements?auction_id=${id}`, {
      token: world.person(owner)?.token,
      headers: { 'x-team-id': String(team.id) },
    });
    const [first] = body.data.filter(({ lines }: JsonValue) => !lines.some(isAdjustment));
    if (first === undefined) throw new Error(`no settlement of auction ${id}`);
    settlement.id = first.id;
  }
}

const isAdjustment = ({ kind }: JsonValue) => kind === 'adjustment';

/** Its buyer reads it; others are told that it is another's. */
export const invoiceRead =
  (invoice: InvoiceModel): Read =>
  async (world, market, by) => {
    const { ledger } = world;
    if (by === invoice.buyer || world.person(by) === null)
      return readOne(world, market, {
        ...{ by: invoice.buyer, path: `/api/v1/invoices/${invoice.number}` },
        wanted: shownInvoice(ledger, invoice),
      });
    const path = `/api/v1/invoices/${invoice.number}`;
    const { status } = await market.service.get(path, world.person(by)?.token);
    const wrong = status === 403 ? [] : [`status: 403 expected, not ${status}`];
    return { where: `GET ${path}`, by, differences: wrong };
  };

export const settlementRead =
  (auction: AuctionModel): Read =>
  async (world, market) => {
    const { ledger } = world;
    const settlement = ledger.settlements.find((one) => one.auction === auction);
    const { team, id } = auction;
    const by = memberOf(world, team);
    const path = `/api/v1/settlements?auction_id=${id}`;
    if (by === '') return { where: path, by, differences: [] };
    const headers = { 'x-team-id': String(team.id) };
    const token = world.person(by)?.token;
    const { body } = await market.service.call('GET', path, { token, headers });
    const rows = body.data.filter(
      (row: JsonValue) => !row.lines.every(isAdjustment) || row.id === settlement?.id,
    );
    const wanted =
      settlement === undefined
        ? []
        : [
            {
              ...{ id: settlement.id, status: settlement.settled.status },
              waiting_for: settlement.settled.status === 'draft' ? ledger.waitingFor(auction) : [],
            },
          ];
    const found = rows.map((row: JsonValue) => ({ ...row, waiting_for: [...row.waiting_for].sort() }));
    return { where: `GET ${path}`, by, differences: differences(wanted, found) };
  };

/** What staff read with `rostrum books`: it meets, and says what the naive ledger says. */
export const booksRead =
  (auction: AuctionModel): Read =>
  async (world, market) => {
    const { totals, differences: own } = await readBooks(market.service.database.knex, auction.id);
    const wrong = own.map((one) => `the books do not meet: ${one.what}`);
    for (const [name, cents] of Object.entries(world.ledger.totals(auction))) {
      const found = Number(totals[name as keyof typeof totals]);
      if (found !== cents) wrong.push(`${name}: ${cents} expected, not ${found}`);
    }
    return { where: `rostrum books --auction ${auction.id}`, by: 'staff', differences: wrong };
  };

/** What was offered to somebody: theirs alone. */
export const offersRead: Read = async (world, market, by) => {
  const path = '/api/v1/me/offers?per_page=100';
  const to = world.person(by) === null ? (world.ledger.offers[0]?.to ?? '') : by;
  if (to === '') return { where: path, by, differences: [] };
  const own = world.ledger.offers.filter((offer) => offer.to === to).reverse();
  const wanted = own.map((offer) => ({
    ...{ id: offer.id, lot_id: offer.lot.id, amount: cents(offer.cents) },
    // One whose time is over counts as expired, whether or not a worker has said so.
    status: offer.status === 'offered' && offer.untilUs <= world.nowUs ? 'expired' : offer.status,
  }));
  const { body } = await market.service.get(path, world.person(to)?.token);
  return { where: `GET ${path}`, by: to, differences: differences(wanted, body.data) };
};
