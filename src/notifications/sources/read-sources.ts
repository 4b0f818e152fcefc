/**
 * Asks the source of a kind whom it has news for. Who wants to be told of a kind, and who has been told already, is
 * part of the query: every row that it returns is put into an inbox, so that no number of people who do not want to be
 * told, or cannot be, can keep a bounded read from the others.
 */
import type { Knex } from 'knex';
import type { Fact } from '../../events/read-events.ts';
import type { News } from '../inbox/inbox.ts';
import type { Source } from '../kinds/kind.ts';
import { type DataOf, KIND_NAMES, type KindName, NOTIFICATION_KINDS } from '../kinds/kinds.ts';

/** A kind whose notifications a pass over the sources puts. */
export type SourcedKind = Exclude<KindName, 'outbid' | 'saved_search'>;

export const SOURCED_KINDS: readonly SourcedKind[] = KIND_NAMES.filter(isSourced);

function isSourced(kind: KindName): kind is SourcedKind {
  return NOTIFICATION_KINDS[kind].source.from !== 'elsewhere';
}

/** The most that one read of rows returns; the next one returns the rest. */
export const ROWS_AT_ONCE = 1_000;

interface Found<Kind extends SourcedKind> {
  readonly user_id: number;
  readonly key: string;
  readonly lot_id: number | null;
  readonly data: DataOf<Kind>;
  readonly fact_id?: number;
}

/** News of the kind of facts; the facts are those that its source names, or more. */
export async function newsOfFacts<Kind extends SourcedKind>(
  trx: Knex,
  kind: Kind,
  facts: readonly Fact[],
): Promise<NewsOf<Kind>[]> {
  const { source } = NOTIFICATION_KINDS[kind];
  if (source.from !== 'facts') return [];
  const read = facts.filter(({ type }) => source.types.includes(type));
  if (read.length === 0) return [];
  // SQL: many facts with those whom they concern, in one statement.
  const { rows } = await trx.raw<{ rows: Found<Kind>[] }>(
    `WITH f AS MATERIALIZED (SELECT * FROM json_to_recordset(:facts::json)
       AS f (id bigint, type text, lot_id bigint, auction_id bigint, user_id bigint, data jsonb))
     ${wanted(source, ', fact_id')}`,
    { ...valuesOf(kind), facts: JSON.stringify(read) },
  );
  const byId = new Map(read.map((fact) => [fact.id, fact]));
  return rows.map((row) => ({ ...newsOf(kind, row), ...causeOf(byId.get(row.fact_id ?? 0)) }));
}

/** News of the kind that is found in rows, up to a bound. */
export async function newsOfRows<Kind extends SourcedKind>(trx: Knex, kind: Kind): Promise<NewsOf<Kind>[]> {
  const { source } = NOTIFICATION_KINDS[kind];
  if (source.from !== 'rows') return [];
  // SQL: what is new with those whom it concerns and who want to know, in one statement.
  const { rows } = await trx.raw<{ rows: Found<Kind>[] }>(
    `${wanted(source, '')} LIMIT ${ROWS_AT_ONCE}`,
    valuesOf(kind),
  );
  return rows.map((row) => newsOf(kind, row));
}

/** News of one kind. */
type NewsOf<Kind extends SourcedKind> = Extract<News, { readonly kind: Kind }>;

function wanted({ select }: Extract<Source, { select: string }>, more: string): string {
  return `SELECT s.user_id, s.key, s.lot_id, said_for(s.data, u.language) AS data${more}
    FROM (${select}) s (user_id, key, lot_id, data${more}) LEFT JOIN users u ON u.id = s.user_id
    LEFT JOIN notification_preferences p ON p.user_id = s.user_id AND p.kind = :kind
    WHERE (coalesce(p.on_page, true) OR coalesce(p.by_mail, :byMail))
      AND NOT EXISTS (SELECT FROM notifications n WHERE n.user_id = s.user_id AND n.key = s.key)`;
}

const valuesOf = (kind: SourcedKind) => ({ kind, byMail: NOTIFICATION_KINDS[kind].byMail });

function newsOf<Kind extends SourcedKind>(
  kind: Kind,
  { user_id: userId, key, lot_id, data }: Found<Kind>,
): NewsOf<Kind> {
  // Cast: the select of a kind has the data of that kind.
  return { userId, kind, key, lot_id, data } as NewsOf<Kind>;
}

/** What a mail about a fact continues with. */
function causeOf(fact: Fact | undefined): Pick<News, 'trace' | 'bidId'> {
  const bidId = fact?.data['bid_id'];
  return { trace: fact?.trace ?? null, ...(typeof bidId === 'string' ? { bidId } : {}) };
}
