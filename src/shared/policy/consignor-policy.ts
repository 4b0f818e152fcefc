/** Consignors: named by a seller on a lot, and part of its side once they have accepted. */
import { isOverLot } from '../statuses/lot-statuses.ts';
import { policy } from './policy.ts';
import { TEAM } from './who.ts';

/** `over`: named, and the lot is closed or withdrawn. */
const CONSIGNOR_STATES = ['named', 'accepted', 'over'] as const;
export type ConsignorState = (typeof CONSIGNOR_STATES)[number];
export type ConsignorAction = keyof (typeof CONSIGNOR_POLICY)['actions'];

/** The state of whoever is named on a lot. */
export function consignorState(lot: {
  readonly status: string;
  readonly consignment_accepted: boolean;
}): ConsignorState {
  if (lot.consignment_accepted) return 'accepted';
  return isOverLot(lot.status) ? 'over' : 'named';
}

export const CONSIGNOR_POLICY = policy({
  resource: 'consignor',
  about: 'Accepting is for the person named alone. To name one is to describe the lot: until its first bid.',
  states: CONSIGNOR_STATES,
  actions: {
    list: {
      does: 'reads',
      by: ['listConsignments'],
      rows: [['any', ['own'], 'allowed']],
    },
    accept: {
      does: 'changes',
      by: ['acceptConsignment'],
      rows: [
        [['over'], ['own'], 'invalid_transition'],
        ['any', ['own'], 'allowed'],
      ],
    },
    // A link by which somebody without an account reads of their lots, and of nothing else.
    read_by_link: {
      does: 'reads',
      by: ['consignorPage'],
      rows: [['any', ['holder'], 'allowed']],
    },
    list_links: {
      does: 'reads',
      by: ['listConsignorLinks', 'sellerConsignorsPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    revoke_link: {
      does: 'changes',
      by: ['revokeConsignorLink', 'revokeConsignorLinkOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
  },
});
