/** What somebody who is registered for a sale can do next: one sentence, and where. */
import type { BidderStatus } from '../../../engine/auction/record.ts';
import { isOverAuction } from '../../shared/statuses/auction-statuses.ts';
import { registrationIn, type WayOut, wayOut } from './way-out.ts';

/** What the next step depends on. */
export interface OwnStanding {
  readonly status: BidderStatus;
  readonly saleStatus: string;
  readonly slug: string;
  readonly sellerSlug: string;
  readonly mustVerify: boolean;
  /** The sale has conditions that they have not accepted. */
  readonly mustAccept: boolean;
  readonly deposit: { readonly number: string; readonly status: string } | null;
}

export interface NextStep {
  readonly sentence: string;
  readonly way: WayOut | null;
  /** They cannot bid before they have done it. */
  readonly isNeeded: boolean;
}

/** In the order in which a bid would be refused. */
export function nextStep(standing: OwnStanding, isSuspended: boolean): NextStep {
  const { saleStatus, slug } = standing;
  if (isOverAuction(saleStatus)) {
    const isCancelled = saleStatus === 'cancelled';
    const sentence = isCancelled ? 'The auction is cancelled.' : 'The sale is over.';
    return {
      sentence,
      way: isCancelled ? null : at(`/auctions/${slug}`, 'See the results'),
      isNeeded: false,
    };
  }
  if (isSuspended)
    return {
      sentence: 'You are not allowed to bid.',
      way: wayOut('account_suspended', null),
      isNeeded: false,
    };
  return refusedStep(standing) ?? missingStep(standing) ?? bidStep(standing);
}

/** What somebody is told whose registration alone keeps them from bidding, whatever they do. */
export const WAITING_SENTENCES: Readonly<Partial<Record<string, string>>> = {
  pending: 'The seller decides who may bid. We notify you; there is nothing to do until then.',
  declined: 'The seller has declined your registration: you cannot bid in this sale.',
  suspended: 'The seller has suspended you: you cannot bid in this sale.',
} satisfies Partial<Record<BidderStatus, string>>;

function refusedStep({ status, sellerSlug }: OwnStanding): NextStep | null {
  const sentence = WAITING_SENTENCES[status];
  if (sentence === undefined || status === 'pending') return null;
  return { sentence, way: at(`/sellers/${sellerSlug}`, 'See the seller'), isNeeded: false };
}

function missingStep({ status, slug, deposit, mustVerify, mustAccept }: OwnStanding): NextStep | null {
  if (mustVerify) return needed('Verify your account before bidding.', wayOut('verification_required', null));
  if (mustAccept)
    return needed(
      'Read the conditions of sale as they are now, and accept them.',
      wayOut('registration_required', registrationIn(slug)),
    );
  if (status !== 'deposit_due') return null;
  return needed(
    'Pay the deposit to complete your registration.',
    deposit?.status === 'open'
      ? at(`/account/invoices/${deposit.number}/pay`, 'Pay the deposit')
      : wayOut('deposit_required', registrationIn(slug)),
  );
}

function bidStep({ status, saleStatus, slug }: OwnStanding): NextStep {
  const way = at(`/auctions/${slug}`, 'Show the lots');
  return { sentence: bidSentence(status, saleStatus), way, isNeeded: false };
}

function bidSentence(status: BidderStatus, saleStatus: string): string {
  const waiting = WAITING_SENTENCES[status];
  if (waiting !== undefined) return waiting;
  if (saleStatus === 'scheduled') return 'You are registered. You can bid as soon as the sale starts.';
  if (saleStatus === 'paused') return 'The seller has paused this auction; nothing ends while it is paused.';
  return 'You are registered. You can bid now.';
}

const at = (href: string, label: string): WayOut => ({ href, label });
const needed = (sentence: string, way: WayOut | null): NextStep => ({ sentence, way, isNeeded: true });
