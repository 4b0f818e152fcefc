/** Simulcast platforms: what the floor says counts where the seller has let its platform in. */
import { policy } from './policy.ts';
import { ANYBODY } from './who.ts';

/** `timed`: let in, in an auction that the clock closes. */
const CONSENT_STATES = ['let_in', 'left_out', 'timed'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];
export type ConsentAction = keyof (typeof PLATFORM_POLICY)['actions'];

const PLATFORMS = ['platform', 'other_platform'] as const;

export const PLATFORM_POLICY = policy({
  resource: 'platform_consent',
  about: 'A platform speaks by its signature. The seller names those that may in each auction.',
  states: CONSENT_STATES,
  actions: {
    bid: {
      does: 'changes',
      by: ['receiveFloorBids'],
      rows: [
        [['let_in', 'timed'], ['platform'], 'allowed'],
        ['any', PLATFORMS, 'platform_not_allowed'],
        ['any', ANYBODY, 'invalid_signature'],
      ],
    },
    sell: {
      does: 'changes',
      by: ['receiveFloorSales'],
      rows: [
        [['let_in'], ['platform'], 'allowed'],
        [['timed'], ['platform'], 'not_simulcast'],
        ['any', PLATFORMS, 'platform_not_allowed'],
        ['any', ANYBODY, 'invalid_signature'],
      ],
    },
  },
});
