/**
 * What an account may do at all, before anything is asked of a thing: the HTTP side judges by it before it reads path
 * or body (`accounts/people/account-gate.ts`), for the API and pages alike.
 */
import { policy } from './policy.ts';

/**
 * `absent`: nobody is signed in. `locked`: in a team that demands a second factor, without one, for that team's
 * matters.
 */
export type AccountState = 'absent' | 'active' | 'suspended' | 'unconfirmed' | 'locked';

const EVERYBODY = ['own'] as const;

export type AccountAction = keyof (typeof ACCOUNT_POLICY)['actions'];

export const ACCOUNT_POLICY = policy({
  resource: 'account',
  about:
    'Comes first, for every route. A suspended account reads and signs in and out; bids have their own code.',
  states: ['absent', 'active', 'suspended', 'unconfirmed', 'locked'] satisfies AccountState[],
  actions: {
    // What only somebody who is signed in may read, and what anybody may.
    read: {
      does: 'reads',
      by: [],
      rows: [
        [['absent'], EVERYBODY, 'unauthenticated'],
        ['any', EVERYBODY, 'allowed'],
      ],
    },
    read_for_team: {
      does: 'reads',
      by: [],
      rows: [
        [['absent'], EVERYBODY, 'unauthenticated'],
        [['suspended'], EVERYBODY, 'account_suspended'],
        [['locked'], EVERYBODY, 'two_factor_required'],
        ['any', EVERYBODY, 'allowed'],
      ],
    },
    change: {
      does: 'changes',
      by: [],
      rows: [
        [['absent'], EVERYBODY, 'unauthenticated'],
        [['suspended'], EVERYBODY, 'account_suspended'],
        [['unconfirmed'], EVERYBODY, 'email_unconfirmed'],
        ['any', EVERYBODY, 'allowed'],
      ],
    },
    change_for_team: {
      does: 'changes',
      by: [],
      rows: [
        [['absent'], EVERYBODY, 'unauthenticated'],
        [['suspended'], EVERYBODY, 'account_suspended'],
        [['unconfirmed'], EVERYBODY, 'email_unconfirmed'],
        [['locked'], EVERYBODY, 'two_factor_required'],
        ['any', EVERYBODY, 'allowed'],
      ],
    },
  },
});
