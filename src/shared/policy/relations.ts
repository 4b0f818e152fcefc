/**
 * What somebody is to a thing, as the tables name it: worked out here from what was read of them and of the team whose
 * it is.
 */
import type { Who } from './who.ts';

/** What is known of somebody in a team. */
export interface TeamStanding {
  /** Null: they are not in it. */
  readonly role: 'owner' | 'admin' | 'member' | null;
  /** The team may put something before the public: it is approved, and its owner is not suspended. */
  readonly sells: boolean;
  /** They are an admin of the service. */
  readonly isStaff: boolean;
}

/** Everything that somebody is to a thing of a team, the role first; the best of it counts. */
export function teamWhos({ role, sells, isStaff }: TeamStanding): readonly Who[] {
  if (role === null) return [isStaff ? 'staff' : 'stranger'];
  const own: Who = sells ? role : `unapproved_${role}`;
  return isStaff ? [own, 'colleague'] : [own];
}

/** SQL: whether somebody left a team so short a time ago, by `left_memberships`, that they are still on its side. */
export const JUST_LEFT_SQL = "left_at > now() - interval '30 days'";

/** What a viewer is to an auction and to one of its lots; several things may be true of one person. */
export interface Relation {
  /** In the team that owns the auction, whatever the role. */
  readonly isMember: boolean;
  /** Admitted as a bidder of the auction: approved, or owing only the deposit. */
  readonly isRegistered: boolean;
  /** Has accepted to be the lot's consignor. */
  readonly isConsignor: boolean;
}

export const NOBODY: Relation = { isMember: false, isRegistered: false, isConsignor: false };

/** Everything that somebody is to an auction or lot; the best of it counts. */
export function viewerWhos({ isMember, isRegistered, isConsignor }: Relation): readonly Who[] {
  const whos: Who[] = ['visitor'];
  if (isMember) whos.push('member');
  if (isRegistered) whos.push('registered');
  if (isConsignor) whos.push('consignor');
  return whos;
}
