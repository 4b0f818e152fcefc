/** What staff change of the price list: a new plan, and what one costs and holds. */
import type { Knex } from 'knex';
import { isCurrency } from '../../shared/currencies.ts';
import { Refusal } from '../../shared/refusal.ts';
import { Plan } from '../directory/plan.model.ts';
import { type Typed, TypedValues } from './typed-values.ts';

export const PLAN_FIELDS = [
  'name',
  'price_monthly',
  'price_yearly',
  'currency',
  'commission_percentage',
  'features',
  'limits',
] as const;

/** Makes a plan. Throws 422 with every wrong field, for a slug that is taken too. */
export async function createPlan(knex: Knex, typed: Typed): Promise<string> {
  const values = new TypedValues(typed);
  const slug = values.slug('slug');
  const columns = readPlan(values, typed);
  if ((await Plan.query(knex).findOne({ slug })) !== undefined)
    values.addError('slug', 'Another plan has this slug.');
  values.finish();
  await knex('plans').insert({ slug, ...columns });
  return slug;
}

/** Changes everything of a plan but its slug. Throws 422 with every wrong field. */
export async function changePlan(knex: Knex, id: number, typed: Typed): Promise<void> {
  const values = new TypedValues(typed);
  const columns = readPlan(values, typed);
  values.finish();
  await knex('plans').where({ id }).update(columns);
}

/** Deletes a plan that nobody has or had: what was billed for it names it. Throws 409 for another. */
export async function deletePlan(trx: Knex, id: number): Promise<void> {
  await trx('plans').where({ id }).forUpdate().first('id');
  const used = await trx('subscriptions').where('plan_id', id).count<{ n: string }[]>({ n: '*' });
  const subscriptions = Number(used[0]?.n ?? 0);
  if (subscriptions > 0) {
    const what = subscriptions === 1 ? 'A subscription uses' : `${subscriptions} subscriptions use`;
    throw new Refusal('invalid_transition', {
      message: `${what} this plan or once did: it cannot be deleted.`,
    });
  }
  await trx('plans').where({ id }).delete();
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
    price_monthly_cents: values.cents('price_monthly') ?? 0,
    price_yearly_cents: values.cents('price_yearly'),
    currency,
    commission_bps: values.basisPoints('commission_percentage'),
    features: JSON.stringify(features),
    limits: JSON.stringify(values.object('limits')),
  };
}
