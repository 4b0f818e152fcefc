/**
 * The mails to those whom sellers invite to bid: put out by the clock, once the auction is published and the team
 * approved, one a day from a team to an address. What the seller has written stands behind our own words.
 */
import type { Knex } from 'knex';
import { letter } from '../../accounts/mail/letter.ts';
import type { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import { MAY_MAIL_SQL, takeMail } from '../../accounts/teams/invite-bounds.ts';
import { LIVE_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';

export interface LetterParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
  readonly siteUrl: () => string;
}

interface Waiting {
  readonly id: number;
  readonly email: string;
  readonly team: string;
  readonly title: string;
  readonly slug: string;
}

const AT_ONCE = 200;

/** Returns how many it put out. */
export async function mailInvitations({ knex, mail, siteUrl }: LetterParts): Promise<number> {
  // SQL: what may be mailed, by rules that are SQL.
  const { rows } = await knex.raw<{ rows: Waiting[] }>(
    `SELECT i.id, i.email, t.name AS team, a.title, a.slug
     FROM invites i JOIN teams t ON t.id = i.team_id JOIN auctions a ON a.id = i.auction_id
     WHERE i.mailed_at IS NULL AND a.published_at IS NOT NULL AND a.status IN ${LIVE_AUCTION_SQL} AND ${MAY_MAIL_SQL}
     ORDER BY i.id LIMIT ${AT_ONCE}`,
  );
  let put = 0;
  for (const waiting of rows) {
    await knex.transaction(async (trx) => {
      if (!(await takeMail(trx, waiting.id))) return;
      put += 1;
      await mail.put(trx, {
        eventKey: `invite-${waiting.id}`,
        to: waiting.email,
        kind: 'notification',
        about: 'invitation',
        ...letterOf(waiting, siteUrl()),
      });
    });
  }
  return put;
}

function letterOf({ team, title, slug }: Waiting, siteUrl: string) {
  return letter({
    subject: 'You are invited to bid in an auction',
    paragraphs: [
      'A seller has invited this address to bid in an auction. Sign in with it, or create an account.',
      `The auction is called: ${title}. The seller is called: ${team}.`,
    ],
    link: { label: 'See the auction', url: `${siteUrl}/auctions/${slug}` },
    closing: ['If you do not know them, you can ignore this email.'],
  });
}
