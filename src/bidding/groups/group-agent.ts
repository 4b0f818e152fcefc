/**
 * The agent that bids for bid groups, through the same command as their people: with their identity, limits and
 * refusals. Any number of processes may run it, and be killed at any point. What it is about to bid is written before
 * it is sent, in a step that fails where somebody else has changed the group since it was read; each try has a key of
 * its own, under which it is sent again where nobody knows what came of it. So leads, wins and bids on their way are
 * never more than are wanted.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { formatCents } from '../../../engine/money.ts';
import { readSessionUser } from '../../accounts/tokens/principal-rows.ts';
import { Refusal } from '../../shared/refusal.ts';
import { unseal } from '../../shared/sealed.ts';
import { type BidParts, placeBid, type Sender } from '../bids/place-bid.ts';
import { BidGroup, BidGroupLot, type GroupStep } from './group.model.ts';
import { type GroupPlan, planOf } from './group-plan.ts';
import { type GroupInFull, type GroupLot, type GroupParts, readInFull } from './read-groups.ts';

export interface AgentParts extends GroupParts, BidParts {
  readonly appSecrets: readonly string[];
  readonly onError: (error: unknown, groupId: number) => void;
}

/** A bid on its way is left alone for so long, then sent again. */
const UNKNOWN_SECONDS = 0.5;
/** What does not depend on the person is tried again soon, */
const SOON_SECONDS = 3;
/** what they have to do something about later. */
const LATER_SECONDS = 60;
const TRIED_AGAIN: ReadonlyMap<string, number> = new Map([
  ['lot_not_started', SOON_SECONDS],
  ['auction_paused', SOON_SECONDS],
  ['registration_required', LATER_SECONDS],
  ['registration_pending', LATER_SECONDS],
  ['deposit_required', LATER_SECONDS],
  ['verification_required', LATER_SECONDS],
  ['bidder_suspended', LATER_SECONDS],
]);
const GROUPS_AT_ONCE = 20;
const MAX_STEPS = 100;

/** Looks at all groups whose lots have moved since they were looked at. */
export async function workOnGroups(parts: AgentParts): Promise<void> {
  for (let after = 0; ; ) {
    const ids = await readDueGroups(parts.knex, after);
    await Promise.all(
      ids.map((id) => workOnGroup(parts, id).catch((err: unknown) => parts.onError(err, id))),
    );
    const last = ids.at(-1);
    if (last === undefined || ids.length < GROUPS_AT_ONCE) return;
    after = last;
  }
}

async function readDueGroups(knex: Knex, after: number): Promise<number[]> {
  // SQL: asked for again and again, over the index of the groups that are at work.
  const { rows } = await knex.raw<{ rows: { id: number }[] }>(
    `SELECT g.id FROM bid_groups g WHERE g.status <> 'stopped' AND NOT g.is_over AND g.id > ?::bigint
       AND EXISTS (SELECT FROM bid_group_lots m JOIN lots l ON l.id = m.lot_id
         WHERE m.group_id = g.id AND (l.sequence > m.seen_sequence OR m.look_at <= now()))
     ORDER BY g.id LIMIT ${GROUPS_AT_ONCE}`,
    [after],
  );
  return rows.map(({ id }) => id);
}

/** Does what there is to do for one group now. Throws `JournalUnavailable` where nobody knows who leads. */
export async function workOnGroup(parts: AgentParts, groupId: number): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const group = await BidGroup.query(parts.knex).findById(groupId);
    if (group === undefined || group.status === 'stopped' || group.is_over) return;
    const [full] = (await readInFull(parts, [group], true)).groups;
    if (full === undefined) return;
    const plan = planOf(group.wanted, full.lots);
    if (!(await notePlan(parts.knex, full, plan))) continue;
    const tries = triesOf(full, plan);
    if (tries.length === 0) return;
    const sender = await senderOf(parts, group);
    if (sender === null) return;
    const ends = await Promise.all(tries.map((one) => bid(parts, sender, group.id, one)));
    await noteEnds(parts.knex, group.id, ends);
    if (ends.every(({ step }) => step === 'bidding')) return;
  }
}

interface Try {
  readonly lot: GroupLot;
  readonly attempt: number;
}

function triesOf({ lots }: GroupInFull, { bids, repeats }: GroupPlan): Try[] {
  return lots.flatMap((lot) => {
    if (bids.includes(lot.lotId)) return [{ lot, attempt: lot.row.attempt + 1 }];
    return repeats.includes(lot.lotId) ? [{ lot, attempt: lot.row.attempt }] : [];
  });
}

/** Writes what is about to happen. False: somebody else has changed the group since it was read. */
function notePlan(knex: Knex, { group, lots }: GroupInFull, plan: GroupPlan): Promise<boolean> {
  const status = group.status === 'active' && plan.isDone ? 'done' : group.status;
  const changes = lots.flatMap((lot) => {
    const change = changeOf(lot, plan);
    return change === null ? [] : [{ lotId: lot.lotId, change }];
  });
  if (changes.length === 0 && status === group.status && !plan.isOver) return Promise.resolve(true);
  return knex.transaction(async (trx) => {
    const { id, version } = group;
    const own = await BidGroup.query(trx)
      .where({ id, version })
      .whereNot('status', 'stopped')
      .patch({ version: version + 1, status, is_over: plan.isOver });
    if (own === 0) return false;
    for (const { lotId, change } of changes)
      await BidGroupLot.query(trx).where({ group_id: id, lot_id: lotId }).patch(change);
    return true;
  });
}

/** What a look at a lot changes of its row, or null. */
function changeOf({ lotId, row, state, step, standing, beaten }: GroupLot, plan: GroupPlan) {
  const isTried = plan.bids.includes(lotId) || plan.repeats.includes(lotId);
  const isBeaten = step === 'placed' && (standing === 'open' || standing === 'unopened');
  const seen = state?.sequence ?? 0;
  const isReturned = plan.returned.includes(lotId);
  if (!isTried && isBeaten === beaten && seen <= row.seen_sequence && !isReturned) return null;
  return {
    beaten: isBeaten,
    seen_sequence: Math.max(seen, row.seen_sequence),
    ...(isReturned ? { returned_at: now() } : {}),
    ...(isTried ? { step: 'bidding' as const, look_at: now(UNKNOWN_SECONDS) } : {}),
    ...(plan.bids.includes(lotId) ? { attempt: row.attempt + 1 } : {}),
  };
}

/** A moment of the database's, which due ones are compared with. */
const now = (seconds = 0) => raw(`now() + ? * interval '1 second'`, [seconds]);

/** What a try came to. */
interface End {
  readonly lotId: number;
  readonly attempt: number;
  readonly step: GroupStep;
  readonly refusal: string | null;
  readonly againInSeconds: number | null;
}

async function bid(parts: AgentParts, sender: Sender, groupId: number, { lot, attempt }: Try): Promise<End> {
  const { lotId, row, state } = lot;
  const end = (step: GroupStep, refusal: string | null = null, againInSeconds: number | null = null) => ({
    ...{ lotId, attempt, step, refusal, againInSeconds },
  });
  try {
    const body = { max_amount: formatCents(row.max_cents, state?.decimals ?? 2), confirm: true };
    // With spaces, which no request can have in its key.
    await placeBid(parts, lotId, sender, `bid group ${groupId} try ${attempt}`, body);
    return end('placed');
  } catch (error) {
    if (!(error instanceof Refusal)) {
      parts.onError(error, groupId);
      return end('bidding', null, UNKNOWN_SECONDS);
    }
    const { code } = error;
    // No such refusal is kept: the same try may still be taken, if another process has it on its way.
    if (code === 'not_found') return end('bidding', null, SOON_SECONDS);
    if (code === 'max_not_increased') return end('placed');
    const again = TRIED_AGAIN.get(code);
    return again === undefined ? end('refused', code) : end('waiting', code, again);
  }
}

function noteEnds(knex: Knex, groupId: number, ends: readonly End[]): Promise<void> {
  return knex.transaction(async (trx) => {
    await BidGroup.query(trx).findById(groupId).increment('version', 1);
    for (const { lotId, attempt, step, refusal, againInSeconds } of ends) {
      await BidGroupLot.query(trx)
        .where({ group_id: groupId, lot_id: lotId, attempt, step: 'bidding' })
        .patch({ step, refusal, look_at: againInSeconds === null ? null : now(againInSeconds) });
    }
  });
}

/** The group's person, as they are now, from where they set it up; null where there is nobody any more. */
async function senderOf(parts: AgentParts, group: BidGroup): Promise<Sender | null> {
  const found = await readSessionUser(parts.knex, group.user_id);
  if (found === null) return null;
  const principal: Principal = found.principal;
  const [ip = '', browser = ''] = originOf(parts, group).split('\n');
  return { principal, ip, headers: { 'user-agent': browser } };
}

function originOf({ appSecrets }: AgentParts, { origin }: BidGroup): string {
  try {
    return origin === null ? '' : unseal(origin, appSecrets);
  } catch {
    // Its secret is no longer there: from where the bid came is not known, and it is placed all the same.
    return '';
  }
}
