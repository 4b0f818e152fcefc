/** Memberships, by the role of the person who is in the team. To leave is said by the team's table. */
import { policy } from './policy.ts';
import { KEEPERS, MEMBERS, TEAM } from './who.ts';

const MEMBERSHIP_STATES = ['member', 'admin', 'owner', 'left'] as const;
export type MembershipState = (typeof MEMBERSHIP_STATES)[number];
export type MembershipAction = keyof (typeof MEMBERSHIP_POLICY)['actions'];

export const MEMBERSHIP_POLICY = policy({
  resource: 'membership',
  about: 'What is done to somebody else’s. The owner of a team stays it.',
  states: MEMBERSHIP_STATES,
  actions: {
    remove: {
      does: 'changes',
      by: ['removeTeamMember', 'changeTeamMemberOnPage'],
      rows: [
        [['owner'], TEAM, 'forbidden'],
        [['member', 'admin'], MEMBERS, 'forbidden'],
        [['member', 'admin'], KEEPERS, 'allowed'],
      ],
    },
    // To be an admin, or a mere member.
    change_role: {
      does: 'changes',
      by: ['changeTeamMemberOnPage'],
      rows: [
        [['owner', 'member', 'admin'], MEMBERS, 'forbidden'],
        [['owner'], KEEPERS, 'forbidden'],
        [['member', 'admin'], KEEPERS, 'allowed'],
      ],
    },
  },
});
