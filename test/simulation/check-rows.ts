/**
 * Whether Postgres holds what the journal's log comes to: every entry once, and the rows of bids, lots, facts and
 * invoices.
 */
import { formatOf } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';
import type { LoggedEntry } from './check-run.ts';
import { factsOf, listedBy, madeBy } from './formats/made-bids.ts';
import type { World } from './world.ts';

interface WantedBid {
  outcome: string;
  amount: number | null;
  voided: boolean;
  readonly fixed: string;
}

export function checkRows(
  { postgres, redis, trace, plan }: World,
  logged: readonly LoggedEntry[],
  states: ReadonlyMap<number, LotState>,
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
  for (const { lotId, hostId, auctionId } of plan.lots) {
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
      formatOf(state).leadersOf(state)[0]?.key ?? null,
    ];
    if (JSON.stringify(found) !== JSON.stringify(wanted)) fail(`lot ${lotId} is ${found}, not ${wanted}`);
    if (lot['live_end_us'] !== state.endsAtUs || lot['hammer_price_cents'] !== state.hammerCents)
      fail(`lot ${lotId} ends at ${lot['live_end_us']} for ${lot['hammer_price_cents']}`);
    const entries = logged.filter(({ entry }) => entry.lotId === hostId).length;
    if (rows.states.get(String(lotId))?.['entry_count'] !== entries)
      fail(`lot ${lotId} has not ${entries} entries`);
    const invoices = [...rows.invoices.values()].filter((one) => one.lot_id === lotId);
    const billed = invoices.map(({ winner, cents }) => `${winner} ${cents}`).sort();
    const sales = formatOf(state).salesOf(state);
    const bought = sales.map(({ winner, hammerCents }) => `${winner.userId} ${hammerCents}`).sort();
    const isSold = state.status === 'sold';
    if (billed.join() !== bought.join() || bought.length > 0 !== isSold)
      fail(`the invoices of lot ${lotId} are ${billed}, not ${bought}`);
    if (isSold && sales.reduce((sum, one) => sum + one.hammerCents, 0) !== state.hammerCents)
      fail(`the sales of lot ${lotId} are ${bought}, and the hammer price ${state.hammerCents}`);
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
  const facts = factsOf();
  for (const { entry, events } of logged)
    for (const event of events)
      for (const [lotId, bidId] of facts(entry.lotId, event))
        wanted.set(lotId, [...(wanted.get(lotId) ?? []), bidId]);
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
  const sealedIn = new Map<string, string>();
  for (const { entry, events } of logged)
    for (const event of events) {
      const made = madeBy(event);
      if (made !== null) sealedIn.set(made.bidId, entry.hash);
      for (const { bidId, sequence, key, ceilingCents, outcome, listedCents } of listedBy(event)) {
        const fixed = [entry.lotId, sequence, key, ceilingCents, sealedIn.get(bidId)].join();
        wanted.set(bidId, { outcome, amount: listedCents, voided: false, fixed });
      }
      if (event.type === 'bid_voided') {
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
