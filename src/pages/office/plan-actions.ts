/** The pages of plans under `/office/catalog`. */
import { Type } from '@sinclair/typebox';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { PLAN_LIMITS, type PlanLimit } from '../../accounts/teams/plan-limits.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { limitField, PLAN_FORM } from '../../catalog/staff/plan-changes.ts';
import { Id } from '../../shared/fields.schema.ts';
import { amountShown } from '../../shared/typed-amount.ts';
import type { Cell, FormField } from './office.ts';
import type { Subject } from './office-action.ts';
import { createAction, deletedNotices, nameField, type RowKind, rowActions } from './row-actions.ts';

export const CATALOG = '/office/catalog';

export const CATALOG_TABS = [
  [CATALOG, 'Plans'],
  [`${CATALOG}/categories`, 'Categories'],
  [`${CATALOG}/help`, 'Help articles'],
] as const;

const NoParams = Type.Object({});

const PLAN: RowKind = {
  operation: 'Plan',
  what: 'plan',
  button: 'plan',
  kept: 'plan',
  list: CATALOG,
  form: PLAN_FORM,
};

export const planList: Subject<readonly Plan[], typeof NoParams> = {
  path: CATALOG,
  operationId: 'officeCatalogPage',
  summary: 'The plans of the price list',
  params: NoParams,
  find: async (knex) => Plan.query(knex).orderBy(['price_monthly_cents', 'id']),
  show: async (plans) => ({
    section: 'catalog',
    heading: 'Catalog',
    tabs: CATALOG_TABS,
    tables: [
      {
        heading: 'Plans',
        columns: ['Plan', 'Slug', 'A month', 'A year', 'Commission'],
        rows: plans.map((plan): Cell[] => [
          { href: `${CATALOG}/plans/${plan.id}`, text: plan.name },
          plan.slug,
          { cents: plan.price_monthly_cents, currency: plan.currency },
          plan.price_yearly_cents === null
            ? null
            : { cents: plan.price_yearly_cents, currency: plan.currency },
          `${formatCents(plan.commission_bps, 2)} %`,
        ]),
        empty: 'There is no plan.',
      },
    ],
  }),
  actions: [
    createAction(PLAN, {
      fields: () => planFields(null),
    }),
  ],
  otherNotices: deletedNotices(PLAN),
};

const PlanParams = Type.Object({ plan: Id });

export const planSubject: Subject<Plan, typeof PlanParams> = {
  path: `${CATALOG}/plans/{plan}`,
  operationId: 'officePlanPage',
  summary: 'One plan',
  params: PlanParams,
  async find(knex, params, lock) {
    const query = Plan.query(knex).findById(params.plan);
    return (await (lock ? query.forUpdate() : query)) ?? null;
  },
  show: async ({ name, slug }) => ({
    section: 'catalog',
    heading: name,
    crumbs: [[CATALOG, 'Plans']],
    facts: [['Slug', slug]],
  }),
  actions: rowActions({
    kind: PLAN,
    fields: (plan: Plan) => planFields(plan),
    rowOf: (plan: Plan) => plan,
  }),
};

const LIMITS: Readonly<Record<PlanLimit, string>> = {
  auctions: 'Auctions at a time',
  lots: 'Lots at a time',
  members: 'Members, with the owner',
  media_gb: 'Pictures and files, in gigabytes',
};

function planFields(plan: Plan | null): FormField[] {
  const price = { kind: 'money', hint: 'In the currency above, such as 1,200.00.' } as const;
  const amount = (cents: number | null | undefined) =>
    cents === null || cents === undefined ? '' : amountShown(cents, decimalsOf(plan?.currency ?? 'usd'));
  return [
    nameField(plan?.name),
    { name: 'currency', label: 'Currency', kind: 'line', maxLength: 3, value: plan?.currency ?? 'usd' },
    { name: 'price_monthly', label: 'Price per month', ...price, value: amount(plan?.price_monthly_cents) },
    { name: 'price_yearly', label: 'Price per year', ...price, value: amount(plan?.price_yearly_cents) },
    {
      name: 'commission_percentage',
      label: 'Commission in percent',
      kind: 'line',
      value: plan === null ? '' : formatCents(plan.commission_bps, 2),
    },
    {
      name: 'features',
      label: 'Features',
      kind: 'text',
      hint: 'One per line.',
      value: (plan?.features ?? []).join('\n'),
    },
    ...PLAN_LIMITS.map((limit): FormField => {
      const value = plan?.limits[limit];
      return {
        name: limitField(limit),
        label: LIMITS[limit],
        kind: 'line',
        hint: 'Empty: no limit.',
        maxLength: 13,
        value: typeof value === 'number' ? String(value) : '',
      };
    }),
  ];
}
