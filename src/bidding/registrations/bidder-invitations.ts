/**
 * Inviting somebody to bid, by their address: the answer is the same whether it has an account or not. With a
 * confirmed account they are let in at once; an address alone has a registration that waits for its account, which
 * `bindInvitations` looks for. The seller reads their name once they have registered or bid themselves.
 */
import type { Knex } from 'knex';
import { present } from '../../../engine/first-of.ts';
import { roleIn } from '../../accounts/models/team-members.ts';
import { findUser, normalizeEmail } from '../../accounts/people/accounts.ts';
import { countInvite } from '../../accounts/teams/invite-bounds.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { isLive, LIVE_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { statusBy } from '../records/auction-status.ts';
import { ensureRecord } from '../records/publishing.ts';
import { changingBidder, type Decision, type Registered, readBidder } from './bidder-changes.ts';
import { decideInDraft, isDraft } from './draft-registrations.ts';
import { type RegistrationRow, readRow } from './registration-rows.ts';
import { applyDecision, type RegistrationParts, requireTeamsAuction } from './registrations.ts';

export interface Invitation {
  readonly email: string;
  readonly limitCents?: number | null | undefined;
  readonly waiveDeposit?: boolean | undefined;
}

interface Scope {
  readonly teamId: number;
  readonly auctionId: number;
}

/**
 * Lets somebody bid in an auction of the team, by their address: approved, or owing the deposit; in a draft that holds
 * from its publication on. Bidders who were admitted or suspended before are not changed. Throws 404, 409
 * `invalid_transition` if the auction no longer accepts anybody, 422 for what is no address or is a seller's own, 422
 * `too_many_invitations`, and the journal's faults.
 */
export async function inviteBidder(
  parts: RegistrationParts,
  { teamId, auctionId }: Scope,
  { email: address, limitCents, waiveDeposit }: Invitation,
  inviterId: number,
): Promise<Registered> {
  const { knex } = parts;
  await requireTeamsAuction(knex, teamId, auctionId);
  await requireNotOver(parts, auctionId);
  const email = normalizeEmail(address);
  if (email === null) throw invalid({ email: ['The email field must be an email address.'] });
  const user = await findUser(knex, email);
  if (user !== null && (await roleIn(knex, teamId, user.id)) !== null)
    throw invalid({ email: ['Sellers cannot bid on their own lots.'] });
  await knex.transaction((trx) => countInvite(trx, { teamId, email, by: inviterId, auctionId }));
  const decision: Decision = { status: 'approved', limitCents, waiveDeposit };
  if (user === null || user.email_confirmed_at === null)
    return inviteAddress(knex, auctionId, email, decision, inviterId);
  await knex('registrations')
    .insert({ auction_id: auctionId, user_id: user.id, status: 'pending', invited_email: email })
    .onConflict(['auction_id', 'user_id'])
    .ignore();
  return admit(parts, auctionId, user.id, decision, inviterId);
}

/** Of an address without an account: a row that waits for one. */
async function inviteAddress(
  knex: Knex,
  auctionId: number,
  email: string,
  { limitCents, waiveDeposit }: Decision,
  inviterId: number,
): Promise<Registered> {
  const changes = {
    ...(limitCents === undefined ? {} : { bid_limit_cents: limitCents }),
    ...(waiveDeposit === undefined ? {} : { deposit_waived: waiveDeposit }),
  };
  const decided = { decided_by_user_id: inviterId, decided_at: knex.fn.now() };
  const [row] = await knex('registrations')
    .insert({ auction_id: auctionId, invited_email: email, status: 'approved', ...decided, ...changes })
    // SQL: the index that only rows without an account are in.
    .onConflict(knex.raw('(invited_email, auction_id) WHERE user_id IS NULL'))
    .merge({ ...decided, ...changes })
    .returning<{ id: number }[]>('id');
  return { row: present(await readRow(knex, auctionId, { registrationId: present(row).id })), bidder: null };
}

/** Lets in somebody with an account; the suspended stay so. */
async function admit(
  parts: RegistrationParts,
  auctionId: number,
  userId: number,
  decision: Decision,
  inviterId: number,
): Promise<Registered> {
  return changingBidder(parts.knex, auctionId, userId, async (trx) => {
    const found = present(await readRow(trx, auctionId, { userId }));
    if (await isDraft(trx, auctionId)) {
      const status = found.status === 'suspended' ? undefined : decision.status;
      return decideInDraft(trx, found, { ...decision, status }, inviterId);
    }
    const before = await readBidder(parts.journal, auctionId, userId);
    const status = before?.status === 'suspended' ? undefined : decision.status;
    return applyDecision(parts, trx, found, { ...decision, status }, inviterId);
  });
}

async function requireNotOver({ knex, journal }: RegistrationParts, auctionId: number): Promise<void> {
  const row = await readAuctionRow(knex, auctionId);
  if (row?.status === 'draft') return;
  if (row !== null && isLive(row.status)) {
    await ensureRecord({ knex, journal }, row);
    const record = await journal.loadRecord(auctionId);
    if (record !== null && isLive(statusBy(row.status, record, journal.nowUs()))) return;
  }
  // Not in the table: by the journal, ahead of its row, the auction is over.
  throw new Refusal('invalid_transition', {
    message: 'The auction no longer accepts registrations.',
  });
}

interface Bindable {
  readonly id: number;
  readonly auction_id: number;
  readonly status: RegistrationRow['status'];
  readonly bid_limit_cents: number | null;
  readonly deposit_waived: boolean;
  readonly decided_by_user_id: number;
  readonly user_id: number;
}

const AT_ONCE = 200;

/**
 * Lets in those whose address was invited before they had a confirmed account. May be done twice. Returns how many
 * there were.
 */
export async function bindInvitations(parts: RegistrationParts): Promise<number> {
  const { knex } = parts;
  // SQL: joins by the address, and leaves out sellers of the auction.
  const { rows } = await knex.raw<{ rows: Bindable[] }>(
    `SELECT r.id, r.auction_id, r.status, r.bid_limit_cents, r.deposit_waived, r.decided_by_user_id, u.id AS user_id
     FROM registrations r JOIN users u ON u.email = r.invited_email JOIN auctions a ON a.id = r.auction_id
     WHERE r.user_id IS NULL AND u.email_confirmed_at IS NOT NULL
       AND (a.status = 'draft' OR a.status IN ${LIVE_AUCTION_SQL})
       AND NOT EXISTS (SELECT FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = u.id)
     ORDER BY r.id LIMIT ${AT_ONCE}`,
  );
  for (const row of rows) await bind(parts, row);
  return rows.length;
}

async function bind(parts: RegistrationParts, row: Bindable): Promise<void> {
  const { knex } = parts;
  const { auction_id: auctionId, user_id: userId, status } = row;
  const isMoved = await knex.transaction(async (trx) => {
    const own = await trx('registrations').where({ auction_id: auctionId, user_id: userId }).first('id');
    const waiting = trx('registrations').where('id', row.id).whereNull('user_id');
    if (own === undefined) return (await waiting.update({ user_id: userId, status: 'pending' })) > 0;
    return (await waiting.delete()) > 0;
  });
  if (!isMoved) return;
  const decision: Decision = {
    status: status === 'suspended' || status === 'declined' ? status : 'approved',
    ...(row.bid_limit_cents === null ? {} : { limitCents: row.bid_limit_cents }),
    ...(row.deposit_waived ? { waiveDeposit: true } : {}),
  };
  await admit(parts, auctionId, userId, decision, row.decided_by_user_id);
}
