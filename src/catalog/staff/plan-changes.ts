/** What staff change of the price list: a new plan, and what one costs and holds. */
import type { Knex } from 'knex';
import { isCurrency } from '../../shared/currencies.ts';
import { Refusal } from '../../shared/refusal.ts';
import type { CatalogForm } from './catalog-form.ts';
import type { Typed, TypedValues } from './typed-values.ts';

export const PLAN_FORM: CatalogForm = {
  table: 'plans',
  fieldNames: [
    'name',
    'price_monthly',
    'price_yearly',
    'currency',
    'commission_percentage',
    'features',
    'limits',
  ],
  read: (_trx, values, typed) => readPlan(values, typed),
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

function readPlan(values: TypedValues, typed: Typed) {
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
    limits: JSON.stringify(values.object('limits')),
  };
}
