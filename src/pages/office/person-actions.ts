/** What staff do about a person: verify, suspend, end their sessions. */
import type { Knex } from 'knex';
import { endSessions } from '../../accounts/credentials/password-changes.ts';
import type { User } from '../../accounts/models/user.model.ts';
import { unsuspendUser, verifyUser } from '../../accounts/people/accounts.ts';
import { rejectVerification } from '../../accounts/people/verification.ts';
import { LEADING_BIDS, type SuspendParts, suspendBidder } from '../../bidding/staff/suspend-bidder.ts';
import type { OfficeParts } from './office.ts';
import type { Action } from './office-action.ts';

export type PeopleParts = OfficeParts & SuspendParts;

/** All of them, as their page offers them. */
export function personActions(parts: PeopleParts): Action<User>[] {
  return [...verificationActions(parts), ...suspensionActions(parts), ...sessionActions(parts)];
}

/** A change of somebody that their sessions and tokens have to be told of. */
const announced =
  ({ announce }: PeopleParts, change: (knex: Knex, email: string) => Promise<User>): Action<User>['act'] =>
  async (knex, user) => {
    await change(knex, user.email);
    return { aboutUserId: user.id, after: () => announce([user.id]) };
  };

function verificationActions(parts: PeopleParts): Action<User>[] {
  return [
    {
      operationId: 'verifyUserInOffice',
      name: 'verify',
      title: 'Verify',
      button: 'Verify',
      notice: 'This person is verified now.',
      blockedBy: (user) =>
        user.verification_status === 'verified' ? 'This person is already verified.' : null,
      act: announced(parts, verifyUser),
    },
    {
      operationId: 'rejectVerificationInOffice',
      name: 'reject-verification',
      title: 'Reject verification',
      button: 'Reject',
      danger: true,
      notice: 'The verification is rejected: this person can request it again.',
      blockedBy: ({ verification_status: status }) =>
        status === 'pending' ? null : `The verification is ${status}: there is no pending request.`,
      act: announced(parts, rejectVerification),
    },
  ];
}

function suspensionActions(parts: PeopleParts): Action<User>[] {
  return [
    {
      operationId: 'suspendUserInOffice',
      name: 'suspend',
      title: 'Suspend',
      button: 'Suspend',
      danger: true,
      notice: 'This person is suspended: they can read, but change nothing.',
      beyondPostgres: true,
      fieldNames: ['leading_bids'],
      fieldsOptional: true,
      fields: () => [
        {
          name: 'leading_bids',
          label: 'Bids with which they lead',
          kind: 'select',
          options: [
            ['', 'Choose, if they lead anywhere'],
            ['leave', 'Leave: they stand, and win at the close'],
            ['void', 'Void: as if they had never been placed'],
          ],
        },
      ],
      blockedBy: (user) => (user.suspended_at === null ? null : 'This person is already suspended.'),
      async act(_, { id, email }, { values, reason }) {
        const chosen = LEADING_BIDS.find((one) => one === values['leading_bids']) ?? null;
        const announce = () => parts.announce([id]);
        const order = { email, leadingBids: chosen, reason, announce };
        const { lots } = await suspendBidder(parts, order);
        return { aboutUserId: id, detail: { leading_bids: chosen, lots: lots.join(', ') } };
      },
    },
    {
      operationId: 'unsuspendUserInOffice',
      name: 'unsuspend',
      title: 'Unsuspend',
      button: 'Unsuspend',
      notice: 'This person is no longer suspended.',
      blockedBy: (user) => (user.suspended_at === null ? 'This person is not suspended.' : null),
      act: announced(parts, unsuspendUser),
    },
  ];
}

function sessionActions(parts: PeopleParts): Action<User>[] {
  return [
    {
      operationId: 'endSessionsInOffice',
      name: 'end-sessions',
      title: 'End sessions',
      button: 'End sessions',
      danger: true,
      notice: 'All sessions of this person have ended.',
      async act(knex, user) {
        await endSessions(knex, [user.id]);
        return { aboutUserId: user.id, after: () => parts.announce([user.id]) };
      },
    },
  ];
}
