/** Invitations into teams, by the link that was mailed and by the team's list. */
import { policy } from './policy.ts';
import { ANYBODY, KEEPERS, MEMBERS } from './who.ts';

const INVITATION_STATES = ['open', 'expired', 'accepted'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];
export type InvitationAction = keyof (typeof INVITATION_POLICY)['actions'];

export const INVITATION_POLICY = policy({
  resource: 'invitation',
  about: 'For the address that it was sent to, once, for a week; taken back by those who invite.',
  states: INVITATION_STATES,
  actions: {
    see: {
      does: 'reads',
      by: ['invitationPage'],
      rows: [
        [['open', 'accepted'], ['own'], 'allowed'],
        [['open'], ANYBODY, 'forbidden'],
      ],
    },
    accept: {
      does: 'changes',
      by: ['acceptInvitation'],
      rows: [
        [['open', 'accepted'], ['own'], 'allowed'],
        [['open'], ANYBODY, 'forbidden'],
      ],
    },
    withdraw: {
      does: 'changes',
      by: ['withdrawTeamInvitationOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['open', 'expired'], KEEPERS, 'allowed'],
      ],
    },
  },
});
