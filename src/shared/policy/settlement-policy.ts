/** Settlements: the team reads its statements, staff approve, pay and reopen them. Their states are their statuses. */
import { statusesOf } from '../statuses/billing-statuses.ts';
import { decidedByStaff, policy } from './policy.ts';
import { TEAM } from './who.ts';

export type SettlementAction = keyof (typeof SETTLEMENT_POLICY)['actions'];

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
      rows: decidedByStaff(['pending']),
    },
    pay: {
      does: 'changes',
      by: [
        ...['paySettlementInOffice', 'officeSettlementsSelectedInOffice', 'officeMoneySelectedInOffice'],
        'rostrum settlement pay',
      ],
      rows: decidedByStaff(['approved']),
    },
    reopen: {
      does: 'changes',
      by: ['reopenSettlementInOffice', 'rostrum settlement reopen'],
      // A draft moves nowhere: its lines are made anew.
      rows: decidedByStaff(['draft', 'pending', 'approved']),
    },
  },
});
