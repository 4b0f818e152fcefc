/** `/office/activity`: who did what from where, all of it, newest first, with filters. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import {
  ACTIVITY_VIAS,
  type ActivityFilter,
  type ListedActivity,
  listActivity,
} from '../../accounts/activity/activity.ts';
import { findUser } from '../../accounts/people/accounts.ts';
import { Day, Id } from '../../shared/fields.schema.ts';
import { detailTexts } from '../account/activity-words.ts';
import { keptQuery } from '../lists.ts';
import { wordsOf } from '../seller/forms/field-words.ts';
import { NamedText, namedThings } from './named-filter.ts';
import { type Cell, type OfficeParts, officeList } from './office.ts';
import { choiceFilter } from './search-list.ts';

const PATH = '/office/activity';
const PER_PAGE = 50;
const DAY_MS = 86_400_000;

const Search = Type.Object({
  person: Type.String({ maxLength: 254, default: '' }),
  team: NamedText,
  action: Type.String({ maxLength: 100, default: '' }),
  via: Type.String({ maxLength: 20, default: '' }),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  before: Type.Optional(Id),
});

export function officeActivityPages(parts: OfficeParts): Endpoint[] {
  return [
    officeList(parts, {
      path: PATH,
      operationId: 'officeActivityPage',
      summary: 'Who did what from where',
      query: Search,
      async read(query) {
        const { person, action, via, from, to, before } = query;
        const { ids, filters } = await namedThings(parts.knex, ['team'], query);
        const entries = await entriesFor(parts.knex, person.trim(), {
          teamId: ids.team,
          action: action.trim() === '' ? undefined : action.trim().toLowerCase().replaceAll(' ', '_'),
          via: ACTIVITY_VIAS.find((one) => one === via),
          since: from === undefined ? undefined : dayStart(from, 0),
          until: to === undefined ? undefined : dayStart(to, 1),
          beforeId: before,
          limit: PER_PAGE,
        });
        const last = entries.length === PER_PAGE ? entries.at(-1) : undefined;
        return {
          section: 'activity',
          heading: 'Activity',
          filters: [
            { name: 'person', label: 'Email address', value: person, type: 'text' },
            ...filters,
            { name: 'action', label: 'Action', value: action, type: 'text' },
            choiceFilter('via', 'Via', via, ACTIVITY_VIAS),
            { name: 'from', label: 'From (UTC)', value: from ?? '', type: 'date' },
            { name: 'to', label: 'To (UTC)', value: to ?? '', type: 'date' },
          ],
          tables: [
            {
              heading: null,
              columns: ['When', 'Action', 'Who', 'About', 'Team', 'Via', 'Reason and details'],
              rows: entries.map(rowOf),
              empty: 'Nothing was found.',
            },
          ],
          older:
            last === undefined
              ? null
              : `${PATH}?${keptQuery({ ...query, before: undefined })}before=${last.id}`,
        };
      },
    }),
  ];
}

/** Nothing if there is no user with the address. */
async function entriesFor(knex: Knex, email: string, filter: ActivityFilter): Promise<ListedActivity[]> {
  if (email === '') return listActivity(knex, filter);
  const user = await findUser(knex, email);
  return user === null ? [] : listActivity(knex, { ...filter, userId: user.id });
}

/** The first moment of a day in UTC, or of one `days` later; a day that no calendar has is the last there is. */
function dayStart(day: string, days: number): string {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return new Date(Number.isNaN(ms) ? DAY_MS * 365 * 8_000 : ms + days * DAY_MS).toISOString();
}

function rowOf(entry: ListedActivity): Cell[] {
  const { reason, ...detail } = entry.detail;
  const parts = [String(reason ?? ''), ...detailTexts(detail)].filter((part) => part !== '');
  return [
    { time: entry.recorded_at },
    wordsOf(entry.action),
    personOf(entry.user_id, entry.user_email) ??
      (entry.via === 'command' ? 'command line' : 'nobody signed in'),
    personOf(entry.about_user_id, entry.about_user_email),
    teamOf(entry),
    [entry.via, entry.ip].filter(Boolean).join(', '),
    { parts },
  ];
}

function teamOf({ team_id: id, team_name: name }: ListedActivity): Cell {
  return id === null ? null : { href: `/office/sellers/${id}`, text: name ?? `team ${id}` };
}

function personOf(id: number | null, email: string | null): Cell {
  return id === null ? null : { href: `/office/people/${id}`, text: email ?? `person ${id}` };
}
