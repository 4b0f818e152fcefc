/** What the pages about webhooks show: the list of subscriptions, and one of them with its delivery log. */

import type { Knex } from 'knex';
import type { HttpRequest, Reply } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { Team } from '../../accounts/models/team.model.ts';
import { keepsSecrets } from '../../accounts/teams/team-roles.ts';
import { listDeliveries, readPayloads } from '../../webhooks/deliveries.ts';
import type { SubscriptionRow } from '../../webhooks/webhook-subscriptions.ts';
import { eventTicks } from '../components/event-ticks.ts';
import type { Pages, SignedIn } from '../page.ts';

interface ViewParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const PER_PAGE = 25;

interface Outcome {
  readonly wrong?: string;
  /** What was typed and ticked. */
  readonly form?: Readonly<Record<string, unknown>>;
}

/** The subscriptions of the caller's teams, over the form for a new one. */
export async function webhooksPage(parts: ViewParts, request: HttpRequest, who: SignedIn, outcome: Outcome) {
  const { knex, pages } = parts;
  const teamIds = who.teamIds.filter((id) => !who.lockedTeamIds.includes(id));
  const teams = await Team.query(knex).findByIds(teamIds).orderBy('id').select('id', 'name');
  const subscriptions = await knex('webhook_subscriptions as s')
    .join('teams as t', 't.id', 's.team_id')
    .whereIn('s.team_id', teamIds)
    .orderBy('s.id')
    .select(
      's.id',
      's.url',
      's.events',
      's.is_active',
      's.disabled_reason',
      's.failing_since',
      't.name as team',
    );
  const { wrong = null, form = { all: '1' } } = outcome;
  return pages.html(request, {
    title: 'Developer webhooks',
    template: 'developers/webhooks',
    status: wrong === null ? 200 : 422,
    data: { teams, subscriptions, wrong, form, ticks: eventTicks(form) },
    secret: true,
  });
}

interface Shown {
  readonly secret?: string;
  readonly page?: number;
  readonly status?: number;
}

/** One subscription; `secret` where it was just made. */
export async function webhookPage(
  { knex, pages }: ViewParts,
  request: HttpRequest,
  who: SignedIn,
  row: SubscriptionRow,
  { secret, page = 1, status = 200 }: Shown,
): Promise<Reply> {
  const keeper = await keepsSecrets(knex, row.team_id, who.userId);
  const { rows, total } = await listDeliveries(knex, row.id, { page, perPage: PER_PAGE });
  const payloads = await readPayloads(
    knex,
    rows.map(({ id }) => id),
  );
  const data = {
    subscription: row,
    keeper,
    made: secret !== undefined,
    secret: keeper ? (secret ?? null) : null,
    deliveries: rows.map((delivery) => ({ ...delivery, payload: payloads.get(delivery.id) ?? null })),
    pages: { current: page, last: lastPageOf({ perPage: PER_PAGE, total }) },
  };
  return pages.html(request, {
    title: 'Webhook',
    template: 'developers/webhook',
    status,
    data,
    secret: true,
  });
}
