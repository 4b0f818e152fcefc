/**
 * How much a team may invite: so many addresses a day, into the team and into its auctions together, and one mail a day
 * to each of them. Nobody makes a mail gun of us, nor learns from an answer who has an account.
 */
import type { Knex } from 'knex';
import { Refusal } from '../../shared/refusal.ts';
import { Team } from '../models/team.model.ts';

const MAX_PER_DAY = 50;

export interface InviteMade {
  readonly teamId: number;
  /** As accounts have it. */
  readonly email: string;
  readonly by: number;
  /** Null: into the team. */
  readonly auctionId: number | null;
}

/** Counts an invitation, and gives its id. Throws 422 `too_many_invitations` beyond fifty in a day. */
export async function countInvite(
  trx: Knex.Transaction,
  { teamId, email, by, auctionId }: InviteMade,
): Promise<number> {
  // The team's row is held, so that requests that come together are counted one after the other.
  await Team.query(trx).findById(teamId).forUpdate();
  // SQL: one statement counts and adds.
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `INSERT INTO invites (team_id, auction_id, email, made_by)
     SELECT :teamId, :auctionId, :email, :by WHERE (SELECT count(*) FROM invites
       WHERE team_id = :teamId AND made_at > now() - interval '1 day') < :max
     RETURNING id`,
    { teamId, auctionId, email, by, max: MAX_PER_DAY },
  );
  const [row] = rows;
  if (row !== undefined) return row.id;
  throw new Refusal('too_many_invitations', {
    message: `A team can invite at most ${MAX_PER_DAY} people a day.`,
  });
}

/** SQL over `invites i`: its team is approved, and has not mailed this address in the last day. */
export const MAY_MAIL_SQL = `EXISTS (SELECT FROM teams t WHERE t.id = i.team_id AND t.approved_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM invites m WHERE m.team_id = i.team_id AND m.email = i.email
    AND m.mailed_at > now() - interval '1 day')`;

/** Whether the mail of an invitation may go out now; then it counts as sent. */
export async function takeMail(trx: Knex.Transaction, inviteId: number): Promise<boolean> {
  // SQL: asks and notes in one statement.
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `UPDATE invites i SET mailed_at = now() WHERE i.id = ? AND i.mailed_at IS NULL AND ${MAY_MAIL_SQL} RETURNING i.id`,
    [inviteId],
  );
  return rows.length > 0;
}
