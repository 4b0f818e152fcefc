/** Who does something as a seller, and what is answered before the thing itself is looked at. */
import type { Dice } from '../simulation/dice.ts';
import { type AuctionModel, type Role, TEAMS, type TeamModel, type TeamName } from './market-terms.ts';
import { type MarketWorld, maySell, VISITOR } from './market-world.ts';
import { type Expected, HIDDEN, type Operation, type Play, refused } from './operation.ts';

/** Mostly somebody of the team in its context; now and then anybody, in any. */
export function someSeller(world: MarketWorld, dice: Dice, team: TeamModel): { by: string; as: TeamName } {
  if (dice.chance(0.85)) return { by: dice.pick([...team.roles.keys()]), as: team.name };
  const by = dice.chance(0.15) ? VISITOR : dice.pick([...world.people.keys()]);
  return { by, as: dice.chance(0.5) ? team.name : dice.pick(TEAMS) };
}

export interface Seller {
  readonly by: string;
  readonly team: TeamModel;
  readonly role: Role;
  readonly maySell: boolean;
}

/** The context of an operation, or the refusal that comes before all else. */
export function sellerIn(world: MarketWorld, operation: Operation): Seller | Expected {
  const { by, as } = operation;
  const person = world.person(String(by));
  if (person === null) return refused(401, 'unauthenticated');
  if (!person.sells) return refused(403, 'missing_ability');
  if (world.suspended.has(person.name)) return refused(403, 'account_suspended');
  const team = world.teams[as as TeamName];
  const role = team.roles.get(person.name);
  if (role === undefined) return refused(403, 'not_a_team_member');
  return { by: person.name, team, role, maySell: maySell(world, team) };
}

export const isRefusal = (one: Seller | Expected): one is Expected => 'status' in one;

/** The same for something of an auction: another team's is not there. */
export function sellerOf(world: MarketWorld, operation: Operation, auction: AuctionModel): Seller | Expected {
  const seller = sellerIn(world, operation);
  if (isRefusal(seller)) return seller;
  return seller.team === auction.team ? seller : HIDDEN;
}

/** Now and then by the form of the seller's desk. */
export const byForm = (dice: Dice): Partial<Operation> => (dice.chance(0.25) ? { form: true } : {});

/**
 * The same by a form of the desk, where somebody works for their own team: it leads on where the API says yes, and says
 * the same no.
 */
export function atDesk(
  world: MarketWorld,
  operation: Operation,
  play: Play,
  form: { readonly path: string; readonly fields: Readonly<Record<string, string>>; readonly page?: string },
): Play {
  const name = String(operation['by']);
  const isThere = world.teams[operation['as'] as TeamName].roles.has(name) && !world.suspended.has(name);
  if (operation['form'] !== true || !isThere) return play;
  const { path, fields, page } = form;
  const { status } = play.expected;
  return {
    ...play,
    sent: { by: name, method: 'POST', path, form: fields, ...(page === undefined ? {} : { page }) },
    expected: { status: status < 300 ? 303 : status },
  };
}

export const sentBy = (operation: Operation, method: string, path: string, body?: object) => ({
  by: String(operation['by']),
  team: operation['as'] as TeamName,
  method,
  path: `/api/v1/seller/${path}`,
  ...(body === undefined ? {} : { body }),
});
