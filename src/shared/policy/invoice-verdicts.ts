/**
 * Invoices and deposits are rows of one table of the database and have a policy each: which of the two judges a row is
 * said here. Billing, the office and the pages of an account call it.
 */
import type { RefusalDetail } from '../refusal.ts';
import type { InvoiceStatus } from '../statuses/billing-statuses.ts';
import { DEPOSIT_POLICY, depositState } from './deposit-policy.ts';
import { INVOICE_POLICY } from './invoice-policy.ts';
import { judge, requireAllowed, type Verdict } from './policy.ts';
import type { Who } from './who.ts';

/** What both can have done to them. */
type SharedAction = 'read' | 'read_page' | 'pay' | 'void' | 'refund';

interface Judged {
  readonly kind: string;
  readonly status: InvoiceStatus;
}

/** What somebody is to an invoice: nobody but the person who owes it is anything. */
export function payerWho(invoice: { readonly user_id: number }, userId: number): Who {
  return invoice.user_id === userId ? 'own' : 'user';
}

/** The verdict of the table that this invoice belongs to. */
export function judgeInvoice({ kind, status }: Judged, action: SharedAction, who: Who): Verdict {
  if (kind !== 'deposit') return judge(INVOICE_POLICY, action, status, who);
  return judge(DEPOSIT_POLICY, depositAction(action), depositState(status), who);
}

/** Throws the refusal of the table that this invoice belongs to, with this detail where its state is wrong. */
export function requireInvoiceAllowed(
  { kind, status }: Judged,
  action: SharedAction,
  who: Who,
  detail: RefusalDetail = {},
): void {
  const inState = (verdict: Verdict) => (verdict === 'invalid_transition' ? detail : {});
  if (kind !== 'deposit') requireAllowed(INVOICE_POLICY, action, status, who, inState);
  else requireAllowed(DEPOSIT_POLICY, depositAction(action), depositState(status), who, inState);
}

const depositAction = (action: SharedAction) => (action === 'refund' ? ('give_back' as const) : action);
