import type { NaiveBidder } from '../../support/naive-terms.ts';
import { worked } from './build.ts';
import { bid, close, no, pause, withdraw } from './steps.ts';

/**
 * Worked cases: who may bid, in which currency, how much, and which refusal comes first (rule 12 and the table of
 * refusals).
 */
const first = bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]);
const registeredAs = (
  status: 'pending' | 'approved' | 'declined' | 'suspended',
  depositPaid = false,
  bidLimitCents: number | null = null,
): Partial<NaiveBidder> => ({ registration: { status, depositPaid, bidLimitCents } });

const known = { status: 'approved', depositPaid: false, bidLimitCents: null } as const;

export const refusalCases = [
  worked('order: withdrawn before paused, closed and everything else', {}, [
    withdraw(10),
    no('ann', 100, null, 20, 'lot_withdrawn'),
    pause(30),
    no('ann', 100, null, 40, 'lot_withdrawn'),
    no('sam', 1, null, 3_700, 'lot_withdrawn'),
  ]),
  worked('order: paused before closed, and before the seller', {}, [
    pause(10),
    no('ann', 100, null, 20, 'auction_paused'),
    no('sam', 1, null, 3_700, 'auction_paused'),
  ]),
  worked('order: the state of the lot before the seller', {}, [
    no('sam', 100, null, -1, 'lot_not_started'),
    no('sam', 100, null, 3_600, 'lot_closed'),
  ]),
  worked(
    'order: the seller before suspension, currency and price',
    { bidders: { sam: { suspended: true } } },
    [no('sam', 1, null, 10, 'seller_cannot_bid', { currency: 'eur' })],
  ),
  worked('the consignor of a lot cannot bid on it', { consignorUserId: 2 }, [
    no('bob', 100, null, 10, 'seller_cannot_bid'),
    first,
  ]),
  worked(
    'order: suspension before verification and registeredAs',
    { mode: 'approval', requireVerified: true, bidders: { ann: { suspended: true } } },
    [no('ann', 100, null, 10, 'bidder_suspended')],
  ),
  worked('a suspended registeredAs', { bidders: { ann: registeredAs('suspended') } }, [
    no('ann', 100, null, 10, 'bidder_suspended'),
  ]),
  worked('order: verification before registeredAs', { mode: 'approval', requireVerified: true }, [
    no('ann', 100, null, 10, 'verification_required'),
  ]),
  worked(
    'rule 12: verified where it is asked',
    { requireVerified: true, bidders: { ann: { verified: true } } },
    [first, no('bob', 200, null, 20, 'verification_required')],
  ),
  worked(
    'rule 12: registeredAs by approval (reading: a declined one is none)',
    {
      mode: 'approval',
      bidders: { ann: registeredAs('approved'), bob: registeredAs('pending'), cat: registeredAs('declined') },
    },
    [
      first,
      no('bob', 200, null, 20, 'registration_pending'),
      no('cat', 200, null, 30, 'registration_required'),
      no('dan', 200, null, 40, 'registration_required'),
    ],
  ),
  worked(
    'rule 12: registeredAs by deposit (reading: the paid deposit is all that is asked)',
    {
      mode: 'deposit',
      bidders: { ann: registeredAs('approved', true), bob: registeredAs('pending', false) },
    },
    [first, no('bob', 200, null, 20, 'deposit_required')],
  ),
  worked(
    'rule 12: conditions of sale are accepted by registering, also where the auction is open',
    {
      hasConditions: true,
      bidders: { ann: { registration: { ...known, hasAccepted: true } }, bob: { registration: known } },
    },
    [
      no('bob', 200, null, 5, 'registration_required'),
      no('cat', 200, null, 5, 'registration_required', { currency: 'eur' }),
      first,
    ],
  ),
  worked('order: registeredAs before currency', { mode: 'approval' }, [
    no('ann', 100, null, 10, 'registration_required', { currency: 'eur' }),
  ]),
  worked('the currency is compared without case, and may be left out', {}, [
    no('ann', 100, null, 10, 'currency_mismatch', { currency: 'eur' }),
    bid('ann', 100, null, 20, 'leading', 100, [100, 110, 'ann', 1, true], { currency: 'uSd' }),
  ]),
  worked('order: currency before max_not_increased and bid_too_low', {}, [
    first,
    no('ann', null, 50, 20, 'currency_mismatch', { currency: 'eur' }),
    no('bob', 50, null, 20, 'currency_mismatch', { currency: 'eur' }),
  ]),
  worked('order: too low before the limit', { limit: 50 }, [
    no('ann', 60, null, 10, 'bid_too_low'),
    no('ann', 60, 600, 10, 'bid_too_low'),
    no('ann', 100, null, 20, 'bid_limit_exceeded'),
  ]),
  worked('order: the limit before the confirmation', { limit: 500, factor: 2 }, [
    no('ann', null, 500.01, 10, 'bid_limit_exceeded'),
    no('ann', null, 500, 20, 'bid_confirmation_required'),
  ]),
  worked('order: too low before the confirmation', { factor: 2 }, [no('ann', 50, 900, 10, 'bid_too_low')]),
  worked('rule 12: exactly the factor needs no confirmation', { factor: 3 }, [
    bid('ann', 300, null, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
  ]),
  worked('rule 12: a straight amount above the factor', { factor: 3 }, [
    no('ann', 300.01, null, 10, 'bid_confirmation_required'),
    bid('ann', 300.01, null, 20, 'leading', 300.01, [300.01, 310.01, 'ann', 1, true], { confirm: true }),
  ]),
  worked('rule 12: a ceiling above the factor, alone or with an amount', { factor: 3 }, [
    no('ann', null, 301, 10, 'bid_confirmation_required'),
    no('ann', 100, 301, 20, 'bid_confirmation_required'),
    bid('ann', null, 301, 30, 'leading', 100, [100, 110, 'ann', 1, true], { confirm: true }),
  ]),
  worked(
    'rules 5 and 12: a raise above the factor (reading: it is a ceiling like any other)',
    { factor: 3 },
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('ann', null, 330, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
      no('ann', null, 331, 30, 'bid_confirmation_required'),
      bid('ann', null, 331, 40, 'max_raised', 100, [100, 110, 'ann', 1, true], { confirm: true }),
    ],
  ),
  worked('rule 12: no factor, no confirmation', {}, [
    bid('ann', 1_000_000, null, 10, 'leading', 1_000_000, [1_000_000, 1_002_500, 'ann', 1, true]),
  ]),
];

/** Worked cases: the limit over a bidder's open lots (rule 12). */
export const limitCases = [
  worked('rule 12: exactly the limit', { limit: 500 }, [
    no('ann', null, 500.01, 10, 'bid_limit_exceeded'),
    bid('ann', null, 500, 20, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rule 12: the ceilings of two lots are added', { limit: 500, lots: 2 }, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('ann', null, 200.01, 20, 'bid_limit_exceeded', { lot: 2 }),
    bid('ann', null, 200, 30, 'leading', 100, [100, 110, 'ann', 1, true], { lot: 2 }),
    no('ann', null, 300.01, 40, 'bid_limit_exceeded'),
  ]),
  worked('rule 12: a raise takes the place of the ceiling, it is not added', { limit: 500 }, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('ann', null, 500, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
    bid('ann', 150, null, 30, 'leading', 150, [150, 160, 'ann', 2, true]),
    no('ann', 150, 501, 40, 'bid_too_low'),
    no('ann', 160, 501, 50, 'bid_limit_exceeded'),
  ]),
  worked('rule 12: a lot where they are beaten no longer counts', { limit: 500, lots: 2 }, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('ann', null, 300, 20, 'bid_limit_exceeded', { lot: 2 }),
    bid('bob', 400, null, 30, 'leading', 400, [400, 410, 'bob', 2, true]),
    bid('ann', null, 300, 40, 'leading', 100, [100, 110, 'ann', 1, true], { lot: 2 }),
  ]),
  worked('rule 12: a bid that would be outbid counts too', { limit: 500, lots: 2 }, [
    bid('bob', null, 300, 10, 'leading', 100, [100, 110, 'bob', 1, true]),
    bid('cat', null, 400, 20, 'leading', 100, [100, 110, 'cat', 1, true], { lot: 2 }),
    no('bob', null, 250, 30, 'bid_limit_exceeded', { lot: 2 }),
    bid('bob', null, 200, 40, 'outbid', 200, [210, 220, 'cat', 2, true], { lot: 2 }),
  ]),
  worked('rules 9 and 12: a closed lot no longer counts', { limit: 500, lots: 2, stagger: 600 }, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('ann', null, 500, 3_590, 'bid_limit_exceeded', { lot: 2 }),
    close(3_600, 'sold'),
    bid('ann', null, 500, 3_601, 'leading', 100, [100, 110, 'ann', 1, true], { lot: 2 }),
    no('bob', 300, null, 4_200, 'lot_closed', { lot: 2 }),
  ]),
  worked(
    'rule 12: the limit of a registeredAs (reading: it stands in the place of the limit of the auction)',
    {
      limit: 500,
      bidders: {
        ann: registeredAs('approved', false, 1_000_00),
        bob: registeredAs('approved', false, 200_00),
      },
    },
    [
      no('bob', null, 200.01, 10, 'bid_limit_exceeded'),
      bid('ann', null, 1_000, 20, 'leading', 100, [100, 110, 'ann', 1, true]),
    ],
  ),
];
