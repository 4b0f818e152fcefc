/** A seller at the desk for tests: signed in, for a team of their own, and the form that a page holds. */

import type { Team } from '../../../../src/accounts/models/team.model.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { BrowserLike, quickHash, type Seen, signIn } from '../../../support/browser-like.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import type { Service } from '../../../support/service.ts';

export const PASSWORD = 'a long enough password';

export interface AtDesk {
  readonly user: User;
  readonly team: Team;
  readonly browser: BrowserLike;
}

export async function aSellerAtDesk(service: Service, team: { approved?: boolean } = {}): Promise<AtDesk> {
  const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
  const made = await aTeam(service.database, { owner: user, ...team });
  await service.backends.knex('users').where('id', user.id).update({ current_team_id: made.id });
  const browser = new BrowserLike(service.url);
  await signIn(browser, user.email, PASSWORD);
  return { user, team: made, browser };
}

const TAG = /<(input|select|textarea|option|button)\b([^>]*)>([^<]*)/g;
const plain = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
function attribute(attributes: string, name: string): string | null {
  const text = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return text === undefined ? null : plain(text);
}

/** The fields of a page's form with this action, as a browser would send them untouched. */
export function formOf(page: Seen, action: string): Record<string, string> {
  const start = page.text.indexOf(`action="${action}"`);
  if (start < 0) throw new Error(`there is no form for ${action}`);
  const text = page.text.slice(start, page.text.indexOf('</form>', start));
  const fields: Record<string, string> = {};
  let select: string | null = null;
  for (const [, tag, attributes = '', content = ''] of text.matchAll(TAG)) {
    const name = attribute(attributes, 'name');
    if (tag === 'select') select = name;
    else if (tag === 'option' && select !== null) {
      if (/\bselected\b/.test(attributes) || !(select in fields))
        fields[select] = attribute(attributes, 'value') ?? '';
    } else if (name === null || tag === 'button') continue;
    else if (tag === 'textarea') fields[name] = plain(content.replace(/^\n/, ''));
    else if (attribute(attributes, 'type') !== 'checkbox' || /\bchecked\b/.test(attributes))
      fields[name] = attribute(attributes, 'value') ?? '';
  }
  return fields;
}

/** Sends the form of a new sale, filled in as far as it has to be, and as given. */
export async function sendNewSale({ browser }: AtDesk, fields: Record<string, string>): Promise<Seen> {
  return browser.post('/seller/auctions', {
    ...formOf(await browser.get('/seller/auctions/new'), '/seller/auctions'),
    ...{ title: 'A sale', start_time: '2027-03-01T10:00', end_time: '2027-03-02T10:00' },
    ...fields,
  });
}

/** As the API speaks of a field, which no form does. */
const OF_THE_API = /^The .* field |\b[a-z]+_[a-z_]+\b/;

/** The messages that a page shows next to a field, through `aria-describedby`. Throws where they are the API's. */
export function errorBeside(page: Seen, field: string): string | null {
  const control =
    new RegExp(`<(?:input|select|textarea)[^>]*\\bname="${field}"[^>]*>`).exec(page.text)?.[0] ?? '';
  const described = attribute(control, 'aria-describedby')?.split(' ') ?? [];
  const id = described.find((one) => one.endsWith('-error'));
  if (id === undefined || !/aria-invalid="true"/.test(control)) return null;
  const beside = new RegExp(`id="${id}"[^>]*>([^<]+)`).exec(page.text)?.[1] ?? null;
  const listed = [...(page.text.split('data-problems')[1]?.split('</ul>')[0] ?? '').matchAll(/>([^<]+)</g)];
  for (const sentence of [beside ?? '', ...listed.map(([, text]) => text ?? '')])
    if (OF_THE_API.test(sentence)) throw new Error(`a form says: ${sentence}`);
  return beside;
}
