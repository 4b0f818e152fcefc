/** What staff change of the price list: a new plan, and what one costs and holds. */
import type { Knex } from 'knex';
import { PLAN_LIMITS, type PlanLimit } from '../../accounts/teams/plan-limits.ts';
import { isCurrency } from '../../shared/currencies.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { CatalogForm } from './catalog-form.ts';
import type { Typed, TypedValues } from './typed-values.ts';

/** The name of the field for one of a plan's limits. */
export function limitField(limit: PlanLimit): string {
  return `limit_${limit}`;
}

export const PLAN_FORM: CatalogForm = {
  table: 'plans',
  fieldNames: [
    'name',
    'price_monthly',
    'price_yearly',
    'currency',
    'commission_percentage',
    'features',
    ...PLAN_LIMITS.map(limitField),
  ],
  read: async (trx, values, typed, id) => readPlan(values, typed, await otherLimits(trx, id)),
  requireUnused,
};

/** A plan that somebody has or had stays: what was billed for it names it. */
async function requireUnused(trx: Knex, id: number): Promise<void> {
  const used = await trx('subscriptions').where('plan_id', id).count<{ n: string }[]>({ n: '*' });
  const subscriptions = Number(used[0]?.n ?? 0);
  if (subscriptions === 0) return;
  const what = subscriptions === 1 ? 'A subscription uses' : `${subscriptions} subscriptions use`;
  throw new Refusal('invalid_transition', {
    message: `${what} this plan or once did: it cannot be deleted.`,
  });
}

/** What a plan's limits have besides those that are enforced: an import may give them, and the API shows them. */
async function otherLimits(trx: Knex, id: number | null): Promise<Record<string, unknown>> {
  const plan = id === null ? undefined : await trx('plans').where({ id }).first('limits');
  const known: readonly string[] = PLAN_LIMITS;
  return Object.fromEntries(Object.entries(plan?.limits ?? {}).filter(([name]) => !known.includes(name)));
}

function readPlan(values: TypedValues, typed: Typed, others: Record<string, unknown>) {
  const currency = (typed['currency'] ?? '').toLowerCase() || 'usd';
  if (!isCurrency(currency)) values.addError('currency', 'It must be an ISO 4217 currency code such as usd.');
  const features = (typed['features'] ?? '')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (features.length > 200 || features.some((one) => one.length > 300))
    values.addError('features', 'At most 200 lines of 300 characters.');
  return {
    name: values.line('name', 200),
    price_monthly_cents: values.cents('price_monthly', currency) ?? 0,
    price_yearly_cents: values.cents('price_yearly', currency),
    currency,
    commission_bps: values.basisPoints('commission_percentage'),
    features: JSON.stringify(features),
    limits: JSON.stringify({ ...others, ...limitsTyped(values) }),
  };
}

function limitsTyped(values: TypedValues): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const limit of PLAN_LIMITS) {
    const amount = values.amount(limitField(limit), limit === 'media_gb' ? 3 : 0);
    if (amount !== null) limits[limit] = amount;
  }
  return limits;
}
