/** What somebody whose bid or registration was refused can do about it: a link for each code that has one. */

export interface WayOut {
  readonly href: string;
  readonly label: string;
}

/** Where somebody was refused who wanted to bid. */
export interface Sale {
  /** Where its registration stands: on the page that they are on, or would come back to. */
  readonly registration: string;
}

/** Where it stands on the auction's own page. */
export const registrationIn = (slug: string): Sale => ({ registration: `/auctions/${slug}#registration` });

/** `sale` is null where it was about no auction: then only what the account lacks has a way out. */
export function wayOut(code: string | null, sale: Sale | null): WayOut | null {
  return accountWayOut(code) ?? (sale === null ? null : saleWayOut(code, sale));
}

function saleWayOut(code: string | null, { registration: href }: Sale): WayOut | null {
  switch (code) {
    case 'registration_required':
      return { href, label: 'Register to bid' };
    case 'registration_pending':
    case 'bid_limit_exceeded':
      return { href, label: 'See your registration' };
    case 'deposit_required':
      return { href, label: 'Pay the deposit' };
    default:
      return null;
  }
}

function accountWayOut(code: string | null): WayOut | null {
  switch (code) {
    case 'verification_required':
      return { href: '/account/profile#verification', label: 'Verify your account' };
    case 'email_unconfirmed':
      return { href: '/account/security', label: 'Confirm your email address' };
    case 'two_factor_required':
      return { href: '/account/security', label: 'Set up two factors' };
    case 'bidder_suspended':
    case 'account_suspended':
      return { href: '/help', label: 'Get help' };
    default:
      return null;
  }
}
