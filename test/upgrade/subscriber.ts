/**
 * A seller who receives everything by webhook while releases change: each event arrives, under its one id, with the
 * same text on every attempt, and agrees with the journal about each bid. Some first attempts fail, so that retries
 * cross releases.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../adapters/postgres/database.ts';
import { formatCents } from '../../engine/money.ts';
import { eventIdOf, namesOf, storedTypesOf } from '../../src/events/event-names.ts';
import { FIRST_POSITION, readTeamEvents } from '../../src/events/read-events.ts';
import { createSubscription } from '../../src/webhooks/webhook-subscriptions.ts';
import type { LotHistory } from '../history/terms.ts';
import { aTeam } from '../support/builders.ts';
import { type Received, startReceiver, verify } from '../support/webhook-receiver.ts';

export interface Subscriber {
  readonly teamId: number;
  /** A sentence for every wrong or missing delivery; waits for those in flight. */
  faults(histories: readonly LotHistory[], say: (line: string) => void): Promise<string[]>;
  close(): Promise<void>;
}

const KINDS = ['lot.bid_placed', 'lot.sold', 'lot.passed', 'auction.ended', 'invoice.created'] as const;
/** What its processes are started with: a retry waits for longer than a replacement takes. */
export const DELIVERING = {
  WEBHOOK_ALLOW_LOOPBACK: '1',
  WEBHOOK_RETRY_SCHEDULE: '0,4,4,4,4,4,4,4,4,4,4,4',
};
/** One in this many first attempts fails. */
const FAILS_ONE_OF = 5;
const PATIENCE_MS = 120_000;
const MOST_FACTS = 1_000_000;

export async function subscribe(db: Database): Promise<Subscriber> {
  const receiver = await startReceiver();
  const team = await aTeam(db);
  const { secret } = await createSubscription(db.knex, ['only-for-tests'], team.id, {
    url: `${receiver.url}/hook`,
    events: KINDS,
  });
  const seen = new Set<string>();
  const unsigned: string[] = [];
  receiver.behave = (delivery) => {
    const { id } = delivery;
    // At once: signatures are of the moment.
    try {
      verify(delivery, secret);
    } catch (error) {
      unsigned.push(`${id}: ${error}`);
    }
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst && seen.size % FAILS_ONE_OF === 0 ? 503 : 204;
  };
  return {
    teamId: team.id,
    async faults(histories, say) {
      const wanted = await factsOf(db, team.id);
      const missing = () => [...wanted.keys()].filter((id) => !seen.has(id));
      for (const until = performance.now() + PATIENCE_MS; missing().length > 0; await sleep(200))
        if (performance.now() > until) break;
      const tries = receiver.received;
      say(`${wanted.size} facts were told by webhook in ${tries.length} tries`);
      return [
        ...missing().map((id) => `${id} was never told`),
        ...unsigned,
        ...tries.flatMap((delivery) => untrue(delivery, wanted.get(delivery.id))),
        ...untoldBids([...wanted.values()], histories),
      ].slice(0, 10);
    },
    close: () => receiver.die(),
  };
}

/** Everything that must be delivered, as the present release reads it, by id. */
async function factsOf(db: Database, teamId: number): Promise<Map<string, object>> {
  const query = { after: FIRST_POSITION, types: storedTypesOf(KINDS), limit: MOST_FACTS };
  const facts = await readTeamEvents(db.knex, teamId, query);
  return new Map(
    facts.flatMap(({ id, type, status, created_at, data_text }) =>
      namesOf(type, status)
        .filter((kind) => KINDS.some((one) => one === kind))
        .map((kind) => [
          eventIdOf(id, type, kind),
          { type: kind, timestamp: created_at, data: JSON.parse(data_text) },
        ]),
    ),
  );
}

function untrue(delivery: Received, fact: object | undefined): string[] {
  if (fact === undefined) return [`${delivery.id} is no fact: ${delivery.text}`];
  const [delivered, wanted] = [delivery.body, fact].map(sorted);
  return delivered === wanted ? [] : [`${delivery.id} was told as ${delivered}, not ${wanted}`];
}

/** As text, fields in the order of their names: releases may order them differently. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, one) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** Each bid of the journal that does not only raise a ceiling is delivered once, with its price. */
function untoldBids(facts: readonly object[], histories: readonly LotHistory[]): string[] {
  const delivered = facts
    .map((fact) => ({ type: '', data: {} as Record<string, unknown>, ...fact }))
    .filter(({ type }) => type === 'lot.bid_placed')
    .map(({ data }) => `${data['bid_id']} at ${data['current_bid']}`)
    .sort();
  const placed = histories
    .flatMap(({ items }) => items)
    .flatMap((item) =>
      item.kind === 'bid' && item.outcome !== 'max_raised'
        ? [`${item.bidId} at ${formatCents(item.currentCents, 2)}`]
        : [],
    )
    .sort();
  const at = placed.findIndex((bid, index) => bid !== delivered[index]);
  if (at < 0 && delivered.length === placed.length) return [];
  return [
    `${placed.length} bids are in the journals and ${delivered.length} are told: ${placed[at]}, ${delivered[at]}`,
  ];
}
