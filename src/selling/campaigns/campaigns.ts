/**
 * The rules of ad campaigns: made as drafts, billed as a whole in advance, active by payment or by an admin. Every
 * change holds the team's money before the campaign itself, as payments do.
 */
import type { Knex } from 'knex';
import { usFromIso } from '../../../engine/time.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { createInvoice } from '../../billing/invoices/create-invoices.ts';
import type { InvoiceChange } from '../../billing/invoices/follow-up.ts';
import type { Invoice } from '../../billing/invoices/invoice.model.ts';
import { voidInvoice } from '../../billing/invoices/invoices.ts';
import { holdMoney } from '../../billing/ledger/money-lock.ts';
import { ownerOf } from '../../billing/subscriptions/subscriptions.ts';
import type { AddError } from '../../shared/add-error.ts';
import { wrongMoment } from '../../shared/moments.ts';
import { CAMPAIGN_MOVES, CAMPAIGN_POLICY, campaignMoves } from '../../shared/policy/campaign-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { teamWhos } from '../../shared/policy/relations.ts';
import type { Who } from '../../shared/policy/who.ts';
import { notFound } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { OWED_INVOICES } from '../../shared/statuses/billing-statuses.ts';
import type { CampaignStatus } from '../../shared/statuses/selling-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { AdCampaign, ShownLot, type StoredCampaign } from './campaign.model.ts';
import { type CampaignChangeBody, type NewCampaignBody, RATES_CENTS } from './campaign.schema.ts';
import { readCampaign, type ShownCampaign } from './campaign-rows.ts';

/** The caller. */
export interface CampaignCaller extends Seller {
  readonly userId: number;
  /** By a token with the ability `admin`: only then they are staff to other teams' campaigns. */
  readonly actsAsAdmin: boolean;
}

const CURRENCY = 'usd';

/** Makes a draft. Throws 422 for fields that do not fit, the lots of others among them. */
export async function createCampaign(
  knex: Knex,
  { teamId }: CampaignCaller,
  body: NewCampaignBody,
): Promise<ShownCampaign> {
  const { lot_ids: lotIds = [], ...columns } = body;
  await requireValid(async (addError) => {
    checkDates(columns, addError);
    await checkLots(knex, teamId, lotIds, addError);
  });
  const rate_cents = RATES_CENTS[columns.pricing_model];
  return knex.transaction(async (trx) => {
    const { id } = await AdCampaign.query(trx).insert({
      ...columns,
      name: columns.name.trim(),
      team_id: teamId,
      rate_cents,
    });
    await setLots(trx, id, lotIds);
    return readCampaign(trx, id);
  });
}

function checkDates(dates: Pick<StoredCampaign, 'start_date' | 'end_date'>, addError: AddError): void {
  let exist = true;
  for (const field of ['start_date', 'end_date'] as const) {
    const us = usFromIso(`${dates[field]}T00:00:00Z`);
    const wrong = us === null ? 'must be a valid date' : wrongMoment(us, Date.now());
    if (wrong === null) continue;
    exist &&= us !== null;
    addError(field, wrong);
  }
  if (exist && dates.end_date < dates.start_date) addError('end_date', 'must not be before the start date');
}

async function checkLots(
  knex: Knex,
  teamId: number,
  lotIds: readonly number[],
  addError: AddError,
): Promise<void> {
  if (lotIds.length === 0) return;
  const own = await Lot.query(knex)
    .where('team_id', teamId)
    .whereIn('id', [...lotIds])
    .select('id');
  const known = new Set(own.map(({ id }) => id));
  for (const [index, id] of lotIds.entries()) {
    if (!known.has(id)) addError(`lot_ids.${index}`, 'must be the id of one of the team’s lots');
  }
}

async function setLots(trx: Knex, campaignId: number, lotIds: readonly number[]): Promise<void> {
  await ShownLot.query(trx).where('campaign_id', campaignId).delete();
  if (lotIds.length === 0) return;
  await ShownLot.query(trx).insert(lotIds.map((lot_id) => ({ campaign_id: campaignId, lot_id })));
}

/**
 * Changes a campaign's fields, then moves it where `status` requests it. Throws 404, 409 `invalid_transition`, and 422;
 * what its invoice was made for (placement, pricing, budget, start) is settled once it has left `draft`.
 */
export function changeCampaign(
  knex: Knex,
  caller: CampaignCaller,
  id: number,
  body: CampaignChangeBody,
): Promise<ShownCampaign> {
  return inTransaction(knex, async (trx) => {
    const found = await AdCampaign.query(trx).findById(id);
    await holdMoney(trx, found?.team_id ?? null);
    const open = await AdCampaign.relatedQuery('invoices', trx)
      .for(id)
      .whereIn('status', [...OWED_INVOICES]);
    const before = await AdCampaign.query(trx).findById(id).forUpdate();
    if (before === undefined) throw notFound('There is no such campaign.');
    const who = await whosToCampaign(trx, caller, before);
    requireChangeable(before, body, who);
    const { status, lot_ids: lotIds, ...columns } = body;
    const after = { ...before, ...columns };
    await checkChange(trx, before, after, lotIds);
    if (lotIds !== undefined) await setLots(trx, id, lotIds);
    requireMovable(before.status, status, who);
    await move(trx, caller, after, status ?? before.status, open);
    const rate_cents =
      after.pricing_model === before.pricing_model ? before.rate_cents : RATES_CENTS[after.pricing_model];
    await AdCampaign.query(trx)
      .findById(id)
      .patch({ ...columns, rate_cents, status: status ?? before.status });
    return readCampaign(trx, id);
  });
}

/** What moves the money of a team, or decides what it is spent on, is requested in its own context. */
async function whosToCampaign(
  trx: Knex,
  caller: CampaignCaller,
  { team_id: teamId }: StoredCampaign,
): Promise<readonly Who[]> {
  if (teamId === caller.teamId) return whosOf(trx, caller);
  return teamWhos({ role: null, sells: false, isStaff: caller.actsAsAdmin });
}

function requireChangeable(
  { status }: StoredCampaign,
  { status: to, ...fields }: CampaignChangeBody,
  who: readonly Who[],
): void {
  if (Object.keys(fields).length === 0) {
    // Whoever may do nothing to it does not learn that it exists.
    if (to === undefined) requireAllowed(CAMPAIGN_POLICY, 'list', status, who);
    requireMovable(status, to, who);
    return;
  }
  const message = `The campaign is ${status}.`;
  requireAllowed(CAMPAIGN_POLICY, 'change', status, who, { message, data: { status, allowed: [] } });
}

const SETTLED = ['placement', 'pricing_model', 'budget_cents', 'start_date'] as const;

async function checkChange(
  trx: Knex,
  before: StoredCampaign,
  after: StoredCampaign,
  lotIds: CampaignChangeBody['lot_ids'],
): Promise<void> {
  await requireValid(async (addError) => {
    if (before.status !== 'draft') {
      for (const field of SETTLED) {
        if (after[field] !== before[field])
          addError(field, 'can only be changed while the campaign is a draft');
      }
    }
    checkDates(after, addError);
    await checkLots(trx, before.team_id, lotIds ?? [], addError);
  });
}

function requireMovable(from: CampaignStatus, to: CampaignStatus | undefined, who: readonly Who[]): void {
  if (to === undefined) return;
  requireAllowed(CAMPAIGN_POLICY, CAMPAIGN_MOVES[to], from, who, {
    message: `A campaign cannot be moved from ${from} to ${to}.`,
    data: { status: from, allowed: campaignMoves(from, who) },
  });
}

/** What a move brings about besides the status: an invoice made, or one given up. */
async function move(
  trx: Knex.Transaction,
  caller: CampaignCaller,
  campaign: StoredCampaign,
  to: CampaignStatus,
  open: readonly Invoice[],
): Promise<void> {
  const from = campaign.status;
  if (to === from) return;
  if (to === 'pending_payment') await bill(trx, caller, campaign);
  else if (from === 'pending_payment' && to !== 'active')
    for (const invoice of open) await voidInvoice(trx, invoice);
}

async function bill(trx: Knex.Transaction, caller: CampaignCaller, campaign: StoredCampaign) {
  const { name, start_date, end_date, budget_cents: amount_cents } = campaign;
  await createInvoice(trx, {
    kind: 'platform_fee',
    user_id: (await ownerOf(trx, campaign.team_id)) ?? caller.userId,
    team_id: campaign.team_id,
    campaign_id: campaign.id,
    currency: CURRENCY,
    lines: [{ kind: 'fee', description: `Ad campaign ${name}, ${start_date} to ${end_date}`, amount_cents }],
  });
}

/** What a payment of a campaign's invoice does to the campaign. */
export async function followCampaignInvoice(
  trx: Knex.Transaction,
  invoice: Invoice,
  what: InvoiceChange,
): Promise<void> {
  if (invoice.campaign_id !== null && what === 'paid') {
    await AdCampaign.query(trx)
      .where({ id: invoice.campaign_id, status: 'pending_payment' })
      .patch({ status: 'active' });
  }
}
