/**
 * The demo as a stranger meets it: `prepareDemo` fills an empty database while the processes start, and
 * `presentDemo` says how to sign in and prints a curl line that places a bid. A database with its own life is
 * left alone.
 */
import { randomBytes } from 'node:crypto';
import { userKey } from '../../../engine/auction/record.ts';
import { formatOf } from '../../../engine/formats/formats.ts';
import { isOpen } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import type { DemoLot } from './demo-bids.ts';
import { type DemoParts, isDemoLoaded, isEmpty, type SeedOptions, seedDemo } from './seed.ts';
import type { DemoSignIn } from './sign-ins.ts';

export interface Demo {
  readonly signIns: readonly DemoSignIn[];
  readonly lots: number;
  readonly sellerTeamId: number | null;
  /** A simulcast auction whose lots wait for the hammer; null when there is none. */
  readonly saleroomAuctionId: number | null;
  /** A lot on which the buyer would lead with this amount; null when no demo lot is open. */
  readonly bid: { readonly lotId: number; readonly amountCents: number } | null;
}

/** Loads the demo into an empty database, or finds it. Null: the database has other things in it. */
export async function prepareDemo(parts: DemoParts, options: SeedOptions): Promise<Demo | null> {
  const { knex } = parts;
  if (!(await isEmpty(knex)) && !(await isDemoLoaded(knex))) return null;
  const seeded = await seedDemo(parts, options);
  return {
    signIns: seeded.signIns,
    lots: seeded.lots.length,
    sellerTeamId: await sellerTeamId(parts, seeded.lots),
    saleroomAuctionId: await saleroomAuctionId(parts, seeded.lots),
    bid: await findBid(parts, seeded.lots, seeded.signIns),
  };
}

/** Says on stdout how to use it. `url`: where the service listens. */
export function presentDemo(demo: Demo, url: string): void {
  const lines = ['', `The demo marketplace has ${demo.lots} live lots. Sign in, or send the token, as`];
  for (const { role, email, password, token, abilities } of demo.signIns) {
    lines.push(
      `  ${role.padEnd(6)}  ${email}  password ${password}  token ${token}  (${abilities.join(', ')})`,
    );
  }
  if (demo.sellerTeamId !== null)
    lines.push(`The seller sells for the team with X-Team-Id: ${demo.sellerTeamId}`);
  if (demo.saleroomAuctionId !== null)
    lines.push(
      `The seller’s desk is at ${url}/seller, a saleroom at ${url}/seller/auctions/${demo.saleroomAuctionId}/saleroom`,
    );
  const buyer = demo.signIns.find(({ role }) => role === 'buyer');
  if (demo.bid !== null && buyer !== undefined) {
    lines.push('', 'Place a bid:', `  ${curlLine(url, buyer.token, demo.bid.lotId, demo.bid.amountCents)}`);
  }
  console.log(`${lines.join('\n')}\n`);
}

function curlLine(url: string, token: string, lotId: number, amountCents: number): string {
  const key = `demo-${randomBytes(6).toString('hex')}`;
  return [
    `curl -sS -X POST ${url}/api/v1/lots/${lotId}/bids`,
    `-H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json'`,
    `-H 'Idempotency-Key: ${key}'`,
    `-d '{"amount":"${formatCents(amountCents, 2)}"}'`,
  ].join(' ');
}

async function sellerTeamId({ knex }: DemoParts, lots: readonly DemoLot[]): Promise<number | null> {
  const auctionId = lots[0]?.auctionId;
  if (auctionId === undefined) return null;
  const row: { team_id: number } | undefined = await knex('auctions').where('id', auctionId).first('team_id');
  return row?.team_id ?? null;
}

async function saleroomAuctionId({ knex }: DemoParts, lots: readonly DemoLot[]): Promise<number | null> {
  const ids = lots.map(({ auctionId }) => auctionId);
  const row = await knex('auctions')
    .whereIn('id', ids)
    .where({ type: 'simulcast', status: 'active' })
    .first<{ id: number } | undefined>('id');
  return row?.id ?? null;
}

/** The open lot with the most time left on which the minimum next bid takes the lead and no reserve has to be met. */
async function findBid(
  { journal, knex }: DemoParts,
  lots: readonly DemoLot[],
  signIns: readonly DemoSignIn[],
): Promise<Demo['bid']> {
  const email = signIns.find(({ role }) => role === 'buyer')?.email ?? '';
  const buyer: { id: number } | undefined = await knex('users').where('email', email).first('id');
  if (buyer === undefined) return null;
  const nowUs = journal.nowUs();
  const found = await Promise.all(
    lots.map(async ({ auctionId, lotId }) => {
      const [state, record] = await Promise.all([
        journal.load(auctionId, lotId),
        journal.loadRecord(auctionId),
      ]);
      if (state === null || record === null || !isOpen(state) || state.paused) return [];
      if (nowUs < state.startsAtUs || (record.type === 'timed' && nowUs >= state.endsAtUs)) return [];
      const format = formatOf(state);
      // One registers before a sealed bid.
      if (format.sealed !== undefined) return [];
      const sight = { viewer: userKey(buyer.id), increments: record.increments, nowUs };
      const { minimumNextCents: amountCents, reserveMet, own } = format.view(state, sight);
      const [leader] = format.leadersOf(state);
      const ceilingCents = leader === undefined ? 0 : format.exposureOf(state, leader.key);
      const leads = amountCents > ceilingCents && reserveMet === true && own?.leads !== true;
      return [{ lotId, amountCents, rank: (leads ? 1e18 : 0) + state.endsAtUs }];
    }),
  );
  return found.flat().sort((one, other) => other.rank - one.rank)[0] ?? null;
}
