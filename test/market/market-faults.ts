// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the source.
/**
 * Faults outside the engine that the market's model must find, each kind that a review has found among them: one change
 * of one place each, planted in what a process of its own loads. The text must be there exactly once.
 */
import type { Fault } from '../simulation/faults.ts';
import { BIDDER_FAULTS } from './bidder-faults.ts';
import { SALE_FAULTS } from './sale-faults.ts';

const AUCTIONS = 'src/shared/policy/auction-policy.ts';
const LOTS = 'src/shared/policy/lot-policy.ts';
const VISIBILITY = 'src/shared/visibility/visibility-sql.ts';
const SETTINGS = 'src/selling/auctions/auction-settings.ts';
const BACK = 'src/billing/payments/apply-back.ts';
const TAKE_BACK = 'src/billing/payments/take-back.ts';
const PAYMENT = 'src/billing/payments/apply-payment.ts';
const INVOICES = 'src/billing/invoices/invoices.ts';
const SETTLEMENTS = 'src/billing/settlements/settlements.ts';

export const MARKET_FAULTS: readonly Fault[] = [
  {
    name: 'a refund that takes another payment’s money',
    file: 'src/billing/payments/provider-event.ts',
    text: ".where((own) => own.whereIn('payment_id', ids).orWhereIn('charge_id', ids))",
    instead: ".where((own) => own.whereIn('payment_id', ids).orWhereNot('payment_id', ''))",
  },
  {
    name: 'a refund that was told early and is forgotten',
    file: BACK,
    text: "await wait(trx, event.eventId, event);\n    return { status: 'pending' };\n  }\n  await applyNamed",
    instead: "return { status: 'pending' };\n  }\n  await applyNamed",
  },
  {
    name: 'what we sent back, booked again when it is told',
    file: BACK,
    text: 'const own = told.filter(({ confirmed }) => !confirmed);',
    instead: 'const own = told.filter(({ confirmed }) => confirmed);',
  },
  {
    name: 'refunds that are counted up, each taken for one of its own',
    file: BACK,
    text: 'return event.refundedInAllCents - sum(told);',
    instead: 'return event.refundedInAllCents;',
  },
  {
    name: 'a payment that counts again under another event',
    file: PAYMENT,
    text: "event.chargeId);\n    return { status: 'duplicate' };",
    instead: "event.chargeId);\n    return { status: 'applied' };",
  },
  {
    name: 'an event that is applied twice',
    file: 'src/billing/payments/apply-event.ts',
    text: "if (fresh.length === 0) return { status: 'duplicate' };",
    instead: "if (fresh.length === 0) return { status: 'ignored' };",
  },
  {
    name: 'too little, which pays an invoice',
    file: INVOICES,
    text: "if (now.status !== 'open' || outstandingCents(now) > 0) return now;",
    instead: "if (now.status !== 'open' || outstandingCents(now) > 100) return now;",
  },
  {
    name: 'a voided invoice that keeps what was paid on it',
    file: INVOICES,
    text: "{ cause: `deallocation:${id}`, kind: 'allocation', currency, entries: freed },",
    instead: "{ cause: `deallocation:${id}`, kind: 'allocation', currency, entries: freed.slice(0, 0) },",
  },
  {
    name: 'a part refund that ends an invoice',
    file: TAKE_BACK,
    text: 'const isBack = keptCents(now) === 0 && (whole || outstandingCents(now) > 0);',
    instead: 'const isBack = keptCents(now) < now.amount_due_cents;',
  },
  {
    name: 'what is paid twice and stays',
    file: 'src/billing/payments/return-surplus.ts',
    text: 'return surplus > 0 ? orderOfInvoice(',
    instead: 'return surplus > 10_000_000 ? orderOfInvoice(',
  },
  {
    name: 'a second payment of a paid invoice that stays nobody’s',
    file: 'src/billing/payments/return-surplus.ts',
    text: "const double = () => Payment.query(trx).where({ invoice_id: id, status: 'unallocated' }).orderBy('id');",
    instead:
      "const double = () => Payment.query(trx).where({ invoice_id: id, status: 'failed' }).orderBy('id');",
  },
  {
    name: 'a settlement that does not wait for its buyers',
    file: SETTLEMENTS,
    text: "if (settlement.status !== 'draft' || (await waitingFor(trx, settlement)).length > 0) return settlement;",
    instead: "if (settlement.status !== 'draft') return settlement;",
  },
  {
    name: 'a settlement that stays approved though an amount has changed',
    file: SETTLEMENTS,
    text: "if (change !== 'paid') await reviseSettlement(trx, invoice.auction_id);",
    instead: "if (change === 'voided') await reviseSettlement(trx, invoice.auction_id);",
  },
  {
    name: 'a settlement that is paid though nobody approved it',
    file: 'src/billing/settlements/settlement-decisions.ts',
    text: "await requireDecision(trx, settlement, 'pay');",
    instead: '',
  },
  {
    name: 'a premium that is rounded down',
    file: 'src/shared/sale-amounts.ts',
    text: 'return whole + Math.floor((rest + 5_000) / 10_000);',
    instead: 'return whole + Math.floor(rest / 10_000);',
  },
  {
    name: 'an invoice that anybody reads',
    file: 'src/billing/invoices/invoices.endpoints.ts',
    text: "'read', payerWho(invoice, userId)",
    instead: "'read', 'own'",
  },
  {
    name: 'a cancelled draft that everybody finds',
    file: VISIBILITY,
    text: "return status === null ? published : `l.status = '${status}' AND ${published}`;",
    instead: "return status === null ? published : `l.status = '${status}'`;",
  },
  {
    name: 'a lot of a cancelled draft that everybody reads',
    file: LOTS,
    text: "return status === 'withdrawn' ? 'discarded' : 'prepared';",
    instead: "return status === 'withdrawn' ? 'withdrawn' : 'prepared';",
  },
  {
    name: 'lots of a private sale in the lists',
    file: VISIBILITY,
    text: ': "a.published_at IS NOT NULL AND a.privacy_setting = \'public\'";',
    instead: ': "a.published_at IS NOT NULL AND a.privacy_setting <> \'unlisted\'";',
  },
  {
    name: 'unlisted sales in the list',
    file: VISIBILITY,
    text: "return `${auctions}.status = 'active' AND ${auctions}.privacy_setting = 'public'`;",
    instead: "return `${auctions}.status = 'active' AND ${auctions}.privacy_setting <> 'private'`;",
  },
  {
    name: 'a team that publishes after its approval was withdrawn',
    file: AUCTIONS,
    text: "[['draft', 'scheduled'], SELLERS, 'allowed'],\n        [['draft'], UNAPPROVED, 'seller_not_approved'],",
    instead: "[['draft', 'scheduled'], [...SELLERS, ...UNAPPROVED], 'allowed'],",
  },
  {
    name: 'a lot that a team puts up after its approval was withdrawn',
    file: AUCTIONS,
    text: "[OVER, TEAM, 'invalid_transition'],\n        [LIVE, UNAPPROVED, 'seller_not_approved'],\n        ['any', TEAM, 'allowed'],\n      ],\n    },\n    delete: {",
    instead:
      "[OVER, TEAM, 'invalid_transition'],\n        ['any', TEAM, 'allowed'],\n      ],\n    },\n    delete: {",
  },
  {
    name: 'a team that sells though its owner is suspended',
    file: 'src/accounts/teams/seller.ts',
    text: "AND o.role = 'owner' AND u.suspended_at IS NOT NULL",
    instead: "AND o.role = 'nobody' AND u.suspended_at IS NOT NULL",
  },
  {
    name: 'a sold lot rewritten',
    file: LOTS,
    text: "[['contested', ...CLOSED], TEAM, 'lot_locked'],\n        ['any', TEAM, 'allowed'],\n      ],\n    },\n    amend: {",
    instead: "['any', TEAM, 'allowed'],\n      ],\n    },\n    amend: {",
  },
  {
    name: 'a lot with a bid that is renamed without a word',
    file: 'src/selling/lots/lot-amendments.ts',
    text: 'if (await changesFixed(parts.knex, lot.id, columns)) await requireUnfixed(parts, lot);',
    instead: 'await changesFixed(parts.knex, lot.id, columns);',
  },
  {
    name: 'an amendment that keeps nothing of what was said before',
    file: 'src/selling/lots/lot-amendments.ts',
    text: 'return { before: only(old), after: only(since) };',
    instead: 'return { before: only(since), after: only(since) };',
  },
  {
    name: 'a draft that mere members delete',
    file: 'src/accounts/teams/team-roles.ts',
    text: '  await requireKeeper(knex, teamId, request.principal.userId);\n  return teamId;',
    instead: '  return teamId;',
  },
  {
    name: 'a published lot that is deleted',
    file: 'src/selling/lots/seller-deletions.endpoints.ts',
    text: ".where({ id: lotId, team_id: teamId, status: 'draft', journal_opened: false })",
    instead: '.where({ id: lotId, team_id: teamId, journal_opened: false })',
  },
  {
    name: 'another team’s lot, changed',
    file: 'src/selling/lots/teams-lot.ts',
    text: ".where({ 'lots.id': lotId, 'auction.team_id': teamId })",
    instead: ".where({ 'lots.id': lotId })",
  },
  {
    name: 'an auction with bids that its seller cancels',
    file: 'src/bidding/records/auction-changes.ts',
    text: 'if (unmoved !== null) return { record: next, unmoved };',
    instead: 'if (unmoved !== undefined) return { record: next };',
  },
  {
    name: 'a premium that rises after the first bid',
    file: SETTINGS,
    text: "if (next.premiumBps !== record.premiumBps) frozen.push('buyer_premium_percentage');",
    instead: '',
  },
  {
    name: 'an end that comes earlier after the first bid',
    file: SETTINGS,
    text: "if (next.endsAtUs < record.endsAtUs) frozen.push('end_time');",
    instead: '',
  },
  {
    name: 'a lot listed again twice',
    file: 'src/sales/offers/lot-outcomes.ts',
    text: '({ relisted }) => relisted !== null',
    instead: '({ relisted }) => relisted !== null && relisted.id < 0',
  },
  {
    name: 'a lot number that is given twice',
    file: 'src/selling/lots/lot-numbers.ts',
    text: 'return (top?.lot_number ?? 0) + 1;',
    instead: 'return (top?.lot_number ?? 0) + 2;',
  },
  {
    name: 'a bidder who is let in with another limit',
    file: 'src/bidding/registrations/registrations.endpoints.ts',
    text: 'return { status, limitCents, reason, waiveDeposit, paddle };',
    instead: 'return { status, limitCents: limitCents + 1, reason, waiveDeposit, paddle };',
  },
  {
    name: 'a reserve that is met in the rows where it is not',
    file: 'src/bidding/projection/write.ts',
    text: 'minimum_next_bid_cents = n.minimum_next_bid_cents, reserve_met = n.reserve_met,',
    instead: 'minimum_next_bid_cents = n.minimum_next_bid_cents, reserve_met = NOT n.reserve_met,',
  },
  {
    name: 'an auction that stays active in the lists while it is paused',
    file: 'src/bidding/projection/write.ts',
    text: "WHEN n.state = 'paused' AND a.status = 'active' THEN 'paused'",
    instead: "WHEN n.state = 'paused' AND a.status = 'scheduled' THEN 'paused'",
  },
  ...SALE_FAULTS,
  ...BIDDER_FAULTS,
];
