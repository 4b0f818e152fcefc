/**
 * Whether Postgres holds what the journal's log comes to: every entry once, and the rows of bids, lots, facts and
 * invoices.
 */
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { LoggedEntry } from './check-run.ts';
import type { World } from './world.ts';

interface WantedBid {
  outcome: string;
  amount: number;
  voided: boolean;
  readonly fixed: string;
}

export function checkRows(
  { postgres, redis, trace, plan }: World,
  logged: readonly LoggedEntry[],
  states: ReadonlyMap<number, EnglishState>,
): void {
  const { rows } = postgres;
  const fail = (what: string) => trace.fail(`Postgres: ${what}`);
  if (!redis.isProjected(rows.positions)) fail('the projection has not come to the end of the log');
  const keys = logged.map(({ entry }) => `${entry.lotId}|${entry.sequence}`);
  if (rows.entries.size !== keys.length) fail(`${rows.entries.size} entries of ${keys.length}`);
  logged.forEach(({ entry }, at) => {
    const row = rows.entries.get(keys[at]!);
    const isSame =
      row?.hash === entry.hash &&
      row.private_text === entry.privateText &&
      row.public_text === entry.publicText;
    if (!isSame) fail(`entry ${keys[at]} is ${JSON.stringify(row)}`);
  });
  checkBids(rows.bids, logged, fail);
  for (const { lotId, auctionId } of plan.lots) {
    const state = states.get(lotId)!;
    const lot = rows.lots.get(String(lotId))!;
    const found = [
      lot['status'],
      lot['sequence'],
      lot['head_hash'],
      lot['current_bid_cents'],
      lot['bid_count'],
      lot['leader_key'],
    ];
    const wanted = [
      state.status,
      state.sequence,
      state.hash,
      state.currentCents,
      state.bidCount,
      state.leader?.key ?? null,
    ];
    if (JSON.stringify(found) !== JSON.stringify(wanted)) fail(`lot ${lotId} is ${found}, not ${wanted}`);
    if (lot['live_end_us'] !== state.endsAtUs || lot['hammer_price_cents'] !== state.hammerCents)
      fail(`lot ${lotId} ends at ${lot['live_end_us']} for ${lot['hammer_price_cents']}`);
    const entries = logged.filter(({ entry }) => entry.lotId === lotId).length;
    if (rows.states.get(String(lotId))?.['entry_count'] !== entries)
      fail(`lot ${lotId} has not ${entries} entries`);
    const invoice = rows.invoices.get(String(lotId));
    if ((invoice !== undefined) !== (state.status === 'sold'))
      fail(`lot ${lotId} has the invoice ${JSON.stringify(invoice)}`);
    if (invoice !== undefined && invoice.winner !== state.winner?.userId)
      fail(`the invoice of lot ${lotId} goes to ${invoice.winner}`);
    const closed = rows.events.has(`lot-${lotId}-closed`);
    if (closed !== (state.status !== 'withdrawn'))
      fail(`lot ${lotId} is ${state.status}, and its close is a fact: ${closed}`);
    if (state.status !== 'withdrawn' && rows.auctions.get(String(auctionId))!.status !== 'ended')
      fail(`auction ${auctionId} has not ended`);
  }
  checkBidFacts(rows.events, logged, fail);
}

/** Each bid is sent once, those of a lot in order. */
function checkBidFacts(
  rows: World['postgres']['rows']['events'],
  logged: readonly LoggedEntry[],
  fail: (what: string) => void,
): void {
  const published = new Map<number, string[]>();
  for (const { lot_id, bids } of rows.values()) {
    if (bids === null) continue;
    const ids = (JSON.parse(bids) as [string][]).map(([id]) => id);
    published.set(lot_id!, [...(published.get(lot_id!) ?? []), ...ids]);
  }
  const wanted = new Map<number, string[]>();
  for (const { entry, events } of logged)
    for (const event of events)
      if (event.type === 'bid_placed' && event.outcome !== 'max_raised')
        wanted.set(entry.lotId, [...(wanted.get(entry.lotId) ?? []), event.bidId]);
  for (const lotId of new Set([...published.keys(), ...wanted.keys()]))
    if (published.get(lotId)?.join() !== wanted.get(lotId)?.join())
      fail(`the facts of lot ${lotId} are of the bids ${published.get(lotId)}, not ${wanted.get(lotId)}`);
}

function checkBids(
  rows: World['postgres']['rows']['bids'],
  logged: readonly LoggedEntry[],
  fail: (what: string) => void,
): void {
  const wanted = new Map<string, WantedBid>();
  for (const { entry, events } of logged)
    for (const event of events) {
      if (event.type === 'bid_placed') {
        const fixed = [entry.lotId, event.sequence, event.bidder.key, event.ceilingCents, entry.hash].join();
        wanted.set(event.bidId, { outcome: event.outcome, amount: event.listedCents, voided: false, fixed });
      } else if (event.type === 'bid_voided') {
        wanted.get(event.bidId)!.voided = true;
        for (const { bidId, outcome, listedCents } of event.changedRows)
          Object.assign(wanted.get(bidId)!, { outcome, amount: listedCents });
      }
    }
  if (rows.size !== wanted.size) fail(`${rows.size} bids of ${wanted.size}`);
  for (const [bidId, { outcome, amount, voided, fixed }] of wanted) {
    const row = rows.get(bidId);
    if (row === undefined) {
      fail(`bid ${bidId} is missing`);
      continue;
    }
    const rowFixed = [row.lot_id, row.sequence, row.bidder_key, row.ceiling_cents, row.entry_hash].join();
    const isSame =
      rowFixed === fixed && row.outcome === outcome && row.amount_cents === amount && row.voided === voided;
    if (!isSame)
      fail(`bid ${bidId} is ${JSON.stringify(row)}, not ${fixed}, ${outcome}, ${amount}, ${voided}`);
  }
}
