/** Settlements: the team reads its statements, staff approve, pay and reopen them. Their states are their statuses. */
import { statusesOf } from '../statuses/billing-statuses.ts';
import { policy } from './policy.ts';
import { ANYBODY, TEAM } from './who.ts';

export type SettlementAction = keyof (typeof SETTLEMENT_POLICY)['actions'];

const STAFF = ['staff', 'colleague'] as const;

export const SETTLEMENT_POLICY = policy({
  resource: 'settlement',
  about: 'A draft waits for its buyers; nobody of the team moves one.',
  states: statusesOf('settlement'),
  actions: {
    list: {
      does: 'reads',
      by: ['listSettlements', 'sellerSettlementsPage', 'sellerSettlementPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    approve: {
      does: 'changes',
      by: [
        ...['approveSettlementInOffice', 'officeSettlementsSelectedInOffice'],
        ...['officeMoneySelectedInOffice', 'rostrum settlement approve'],
      ],
      rows: [
        [['pending'], STAFF, 'allowed'],
        ['any', STAFF, 'invalid_transition'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
    pay: {
      does: 'changes',
      by: [
        ...['paySettlementInOffice', 'officeSettlementsSelectedInOffice', 'officeMoneySelectedInOffice'],
        'rostrum settlement pay',
      ],
      rows: [
        [['approved'], STAFF, 'allowed'],
        ['any', STAFF, 'invalid_transition'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
    reopen: {
      does: 'changes',
      by: ['reopenSettlementInOffice', 'rostrum settlement reopen'],
      rows: [
        [['pending', 'approved'], STAFF, 'allowed'],
        ['any', STAFF, 'invalid_transition'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
  },
});
