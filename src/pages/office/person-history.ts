/** What a person's page says when they ask staff something: why their bid was refused, and what was sent to them. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { User } from '../../accounts/models/user.model.ts';
import { refusalRule } from '../../bidding/origins/refusal-rules.ts';
import { readRefusedBids, type ShownRefusedBid } from '../../bidding/origins/refused-bids.ts';
import { type SentMessage, sentTo } from '../../notifications/inbox/sent-to.ts';
import { Id } from '../../shared/fields.schema.ts';
import { moneyText } from '../../shared/money-text.ts';
import { notFound, REFUSALS } from '../../shared/refusal.ts';
import { PAGE } from '../page.ts';
import { type Cell, forStaff, type OfficeParts, officeHtml, type Table } from './office.ts';

const PEOPLE = '/office/people';
/** On the person's page, and on a page of their own. */
const FEW = 10;
const MANY = 200;

type Person = Pick<User, 'id' | 'email'>;

interface History {
  /** The last part of its address. */
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
  readonly heading: string;
  readonly lead: string;
  readonly columns: readonly string[];
  readonly empty: string;
  read(
    knex: Knex,
    person: Person,
    limit: number,
  ): Promise<{ rows: readonly (readonly Cell[])[]; total: number }>;
}

const REFUSED: History = {
  name: 'refused-bids',
  operationId: 'officeRefusedBidsPage',
  summary: 'A person’s refused bids of the last 90 days',
  heading: 'Why was my bid refused?',
  lead: 'Bids of the last 90 days that were not taken, the newest first.',
  columns: ['When', 'Lot', 'Amount', 'What was said', 'Rule'],
  empty: 'No bid of theirs was refused in the last 90 days.',
  async read(knex, { id }, limit) {
    const { rows, total } = await readRefusedBids(knex, id, limit);
    return { rows: rows.map(refusedCells), total };
  },
};

const SENT: History = {
  name: 'sent',
  operationId: 'officeSentPage',
  summary: 'What was sent to a person',
  heading: 'What was sent',
  lead: 'Mails of the last 30 days to their current address, and notices in their inbox, the newest first.',
  columns: ['When', 'How', 'Kind', 'What it says', 'State'],
  empty: 'Nothing was sent to them.',
  async read(knex, person, limit) {
    const { rows, total } = await sentTo(knex, person, limit);
    return { rows: rows.map(sentCells), total };
  },
};

const HISTORIES = [REFUSED, SENT];

function refusedCells(one: ShownRefusedBid): Cell[] {
  const { amount_cents: cents, currency, code, format } = one;
  return [
    { time: one.refused_at },
    { href: `/office/lots/${one.lot_id}`, text: `${one.lot_number} · ${one.title}` },
    cents === null ? null : { cents, currency },
    saidOf(one),
    { href: '/docs/bidding-rules', text: refusalRule(code, format) ?? code.replaceAll('_', ' ') },
  ];
}

const SENTENCES: Readonly<Record<string, string>> = REFUSALS;

/** As the lot's page says it, with money as it prints it. */
function saidOf({ message, code, currency }: ShownRefusedBid): string {
  const text = message ?? SENTENCES[code] ?? '';
  return code === 'bid_too_low' ? text.replace(/\d+\.\d+/, (amount) => moneyText(amount, currency)) : text;
}

function sentCells({ at, by, kind, title, lotId, state, error }: SentMessage): Cell[] {
  return [
    { time: at },
    by,
    kind,
    title === null || lotId === null ? title : { href: `/office/lots/${lotId}`, text: title },
    error === null ? { pill: state } : `${state}: ${error}`,
  ];
}

/** The newest of each, for the person's page. */
export function historyTables(knex: Knex, person: Person): Promise<Table[]> {
  return Promise.all(
    HISTORIES.map(async ({ name, heading, columns, empty, read }) => {
      const { rows, total } = await read(knex, person, FEW);
      const href = `${PEOPLE}/${person.id}/${name}`;
      const more = total > rows.length ? { more: { count: total - rows.length, href } } : {};
      return { heading, columns, rows, empty, ...more };
    }),
  );
}

const Params = Type.Object({ person: Id });

/** A page for each, with as much of it as one page holds. */
export function historyPages(parts: OfficeParts): Endpoint[] {
  return HISTORIES.map(({ name, operationId, summary, heading, lead, columns, empty, read }) =>
    endpoint({
      ...PAGE,
      method: 'GET',
      path: `${PEOPLE}/{person}/${name}`,
      operationId,
      summary,
      params: Params,
      handle: (request) =>
        forStaff(parts, request, async () => {
          const user = await User.query(parts.knex).findById(request.params.person);
          if (user === undefined) throw notFound();
          const { rows, total } = await read(parts.knex, user, MANY);
          return officeHtml(parts, request, {
            section: 'people',
            heading,
            lead,
            crumbs: [
              [PEOPLE, 'People'],
              [`${PEOPLE}/${user.id}`, user.name],
            ],
            tables: [{ heading: null, columns, rows, empty }],
            ...(total > rows.length ? { foot: `There are ${total - rows.length} older ones.` } : {}),
          });
        }),
    }),
  );
}
