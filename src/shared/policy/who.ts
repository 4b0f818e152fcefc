/**
 * The kinds of people that the tables tell apart. What somebody is to a thing is worked out by `relations.ts`; what an
 * account may do at all (suspended, address not confirmed, second factor missing) comes before it and is in
 * `account-policy.ts`.
 */
import { namesIn } from '../../../engine/objects.ts';

export const WHO = {
  visitor: 'nobody who is signed in',
  user: 'somebody signed in, who is nothing to it',
  stranger: 'a seller of another team',
  staff: 'an admin of the service, who is not in the team',
  own: 'the person whose it is, or to whom it is addressed',
  registered: 'a bidder whom the auction has admitted',
  pending: 'a bidder whose registration is not decided',
  declined: 'a bidder whose registration was declined',
  owing: 'a bidder who owes the deposit',
  barred: 'a bidder whom the seller has suspended',
  unverified: 'a bidder whose identity is not verified, where the auction demands it',
  consignor: 'the consignor, who has accepted',
  invited: 'somebody named as consignor, or invited, who has not accepted',
  holder: 'somebody without an account who has a consignor’s private link, in force',
  member: 'a member of the team',
  admin: 'an admin of the team',
  owner: 'the owner of the team',
  colleague: 'an admin of the service, who is also in the team',
  unapproved_member: 'a member of a team that is not approved, or is suspended',
  unapproved_admin: 'an admin of such a team',
  unapproved_owner: 'the owner of such a team',
  platform: 'a simulcast platform that the auction lets in',
  other_platform: 'a simulcast platform that it does not let in',
  provider: 'the payment provider',
} as const;

export type Who = keyof typeof WHO;

export const ANYBODY: readonly Who[] = namesIn(WHO);

/** The team whose it is, if it is approved. */
export const SELLERS: readonly Who[] = ['member', 'admin', 'owner'];
/** The same where it is not, or no longer, or is suspended. */
export const UNAPPROVED: readonly Who[] = ['unapproved_member', 'unapproved_admin', 'unapproved_owner'];
export const TEAM: readonly Who[] = [...SELLERS, ...UNAPPROVED];
/** Those of the team who keep its secrets and its people. */
export const KEEPERS: readonly Who[] = ['admin', 'owner', 'unapproved_admin', 'unapproved_owner'];
export const MEMBERS: readonly Who[] = ['member', 'unapproved_member'];
const OWNERS: readonly Who[] = ['owner', 'unapproved_owner'];
/** Admins of the service, whatever else they are. */
export const STAFF: readonly Who[] = ['staff', 'colleague'];
/** Signed in, and nothing to it. */
export const OTHERS: readonly Who[] = ['user', 'stranger', 'staff'];
/** Bidders whom the seller let in, whatever they owe. */
export const ADMITTED: readonly Who[] = ['registered', 'owing'];

/** What tables that are printed call several at once, the widest first. */
const GROUPS: readonly (readonly [name: string, who: readonly Who[]])[] = [
  ['anybody', ANYBODY],
  ['the team', TEAM],
  ['the team if approved', SELLERS],
  ['the team if not approved', UNAPPROVED],
  ['owners and admins of the team', KEEPERS],
  ['mere members of the team', MEMBERS],
  ['owners of the team', OWNERS],
  ['bidders let in', ADMITTED],
  ['others signed in', OTHERS],
];

/** People as a printed table names them. */
export function spokenWho(who: readonly Who[]): string {
  const left = new Set(who);
  const names: string[] = [];
  for (const [name, group] of GROUPS) {
    if (!group.every((one) => left.has(one))) continue;
    names.push(name);
    for (const one of group) left.delete(one);
  }
  return [...names, ...[...left].map((one) => one.replaceAll('_', ' '))].join(', ');
}
