/**
 * What people are told of the ends of the lots that they bid on: whoever bought one that they won, everybody else that
 * they did not; each once, whatever ran twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../support/service.ts';
import { slowness } from '../support/slowness.ts';
import type { Read } from './comparisons.ts';
import type { MarketWorld } from './market-world.ts';
import { hasBid } from './own-views.ts';

/** How often each is told to somebody, by the model: a second sale is told by its offer alone. */
function expected({ lots, ledger }: MarketWorld, name: string): Map<string, number> {
  const told = new Map<string, number>();
  for (const lot of lots.filter((one) => hasBid(one, name))) {
    const closedAs = lot.closedAs ?? lot.status;
    const buyer = ledger.invoices.find((one) => one.lot === lot)?.buyer;
    if (closedAs === 'sold' && buyer === name) told.set(`won ${lot.id}`, 1);
    else if (closedAs === 'sold' || closedAs === 'passed') told.set(`lost ${lot.id}`, 1);
  }
  return told;
}

export const noticesRead: Read = async (world, market, by) => {
  const isBidder = (name: string) => world.lots.some((lot) => hasBid(lot, name));
  const name = isBidder(by) ? by : ([...world.people.keys()].find(isBidder) ?? '');
  const path = '/api/v1/me/notifications?per_page=100';
  if (name === '') return { where: path, by, differences: [] };
  const wanted = expected(world, name);
  for (const startedMs = performance.now(); ; await sleep(20)) {
    await market.notify();
    const { body } = await market.service.get(path, world.person(name)?.token);
    const found = new Map<string, number>();
    for (const { kind, lot_id: id } of body.data as JsonValue[]) {
      const what = `${kind} ${id}`;
      if (kind === 'won' || kind === 'lost') found.set(what, (found.get(what) ?? 0) + 1);
    }
    const all = [...new Set([...wanted.keys(), ...found.keys()])];
    const wrong = all.filter((what) => (wanted.get(what) ?? 0) !== (found.get(what) ?? 0));
    const isLate = wrong.every((what) => (found.get(what) ?? 0) < (wanted.get(what) ?? 0));
    // Facts are read once nothing older can come, which another transaction may hold up for a moment.
    if (wrong.length > 0 && isLate && performance.now() - startedMs < 1_000 * slowness()) continue;
    const times = (what: string) => `${what}: ${wanted.get(what) ?? 0} expected, not ${found.get(what) ?? 0}`;
    return { where: `GET ${path}`, by: name, differences: wrong.map(times) };
  }
};
