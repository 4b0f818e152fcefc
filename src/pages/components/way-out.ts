/** What somebody whose bid or registration was refused can do about it: a link for each code that has one. */

export interface WayOut {
  readonly href: string;
  readonly label: string;
}

/** `slug`: the auction in question. `depositInvoice`: the number of the deposit's invoice where there is one. */
export function wayOut(
  code: string | null,
  { slug, depositInvoice = null }: { readonly slug: string; readonly depositInvoice?: string | null },
): WayOut | null {
  switch (code) {
    case 'registration_required':
      return { href: `/auctions/${slug}#registration`, label: 'Register to bid' };
    case 'registration_pending':
    case 'bid_limit_exceeded':
      return { href: `/auctions/${slug}#registration`, label: 'See your registration' };
    case 'deposit_required':
      return depositInvoice === null
        ? { href: `/auctions/${slug}#registration`, label: 'Pay the deposit' }
        : { href: `/account/invoices/${depositInvoice}`, label: 'Pay the deposit' };
    case 'verification_required':
      return { href: '/account/profile#verification', label: 'Verify your account' };
    case 'email_unconfirmed':
      return { href: '/account/security', label: 'Confirm your e-mail address' };
    case 'two_factor_required':
      return { href: '/account/security', label: 'Set up two factors' };
    case 'bidder_suspended':
    case 'account_suspended':
      return { href: '/help', label: 'Get help' };
    default:
      return null;
  }
}
