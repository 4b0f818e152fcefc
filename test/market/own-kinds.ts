/** What people keep for themselves: the lots that they watch. */
import { seesLot, VISITOR } from './market-world.ts';
import { HIDDEN, type Kind, type Play, refusedPerson } from './operation.ts';

/** A kind that puts a lot on somebody's watchlist, or takes it off. */
function watching(
  name: string,
  weight: number,
  method: string,
  done: (watched: string[], lot: string, isSeen: boolean) => Play['expected'],
): Kind {
  return {
    name,
    weight,
    propose(world, dice) {
      if (world.lots.length === 0) return null;
      // Who sees a private sale may see it no longer, later.
      const shy = world.lots.filter(({ auction, published }) => {
        return published && auction.privacy === 'private' && auction.registrations.size > 0;
      });
      const [seen] = shy.length > 0 && dice.chance(0.4) ? [dice.pick(shy)] : [];
      if (seen !== undefined)
        return { lot: seen.name, by: dice.pick([...seen.auction.registrations.keys()]) };
      const by = dice.chance(0.05) ? VISITOR : dice.pick([...world.people.keys()]);
      const watched = world.watched.get(by) ?? [];
      const lot = watched.length > 0 && dice.chance(0.4) ? dice.pick(watched) : dice.pick(world.lots).name;
      return { lot, by };
    },
    play(world, { lot: lotName, by }) {
      const lot = world.lot(String(lotName));
      if (lot === null) return null;
      const person = String(by);
      const sent = { by: person, method, path: `/api/v1/lots/${lot.id}/watchlist` };
      const early = refusedPerson(world, person);
      if (early !== null) return { sent, expected: early };
      const watched = world.watched.get(person) ?? [];
      world.watched.set(person, watched);
      return { sent, expected: done(watched, lot.name, seesLot(lot, person)), touched: [lot.name] };
    },
  };
}

const watch = watching('watch lot', 5, 'POST', (watched, lot, isSeen) => {
  if (!isSeen) return HIDDEN;
  if (watched.includes(lot)) return { status: 200 };
  watched.push(lot);
  return { status: 201 };
});

const unwatch = watching('unwatch lot', 2, 'DELETE', (watched, lot, isSeen) => {
  const isWatched = watched.includes(lot);
  if (isWatched) watched.splice(watched.indexOf(lot), 1);
  return isWatched || isSeen ? { status: 200 } : HIDDEN;
});

export const OWN_KINDS: readonly Kind[] = [watch, unwatch];
