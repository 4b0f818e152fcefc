// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the source.
/** Faults of what bidders are owed: a rebuilt journal, deposits, and what they keep, which the market's model must find. */
import type { Fault } from '../simulation/faults.ts';

const REBUILD = 'src/bidding/journal/rebuild.ts';
const DEPOSITS = 'src/billing/deposits/deposits.ts';

export const BIDDER_FAULTS: readonly Fault[] = [
  {
    name: 'bidders’ limits that are lost with Redis',
    file: REBUILD,
    text: 'limitCents: row.bid_limit_cents,',
    instead: 'limitCents: null,',
  },
  {
    name: 'answers under keys that are lost with Redis',
    file: REBUILD,
    text: 'await restoreRecords(redis, kept);',
    instead: '',
  },
  {
    name: 'a short outage that is taken for a long one',
    file: REBUILD,
    text: 'toUs - fromUs > OUTAGE_US ? { fromUs, toUs } : null',
    instead: 'toUs - fromUs >= 0 ? { fromUs: fromUs - 2 * OUTAGE_US, toUs } : null',
  },
  {
    name: 'a deposit that goes back under a bid that leads',
    file: 'src/billing/deposits/refund-deposit.ts',
    text: 'if (exposed === 0) return;',
    instead: 'if (exposed >= 0) return;',
  },
  {
    name: 'a deposit that lets in whom the seller has declined',
    file: DEPOSITS,
    text: 'if (waits) await journal.saveBidder(',
    instead: 'if (waits || known !== null) await journal.saveBidder(',
  },
  {
    name: 'a deposit that goes back and takes nothing with it',
    file: DEPOSITS,
    text: "if (known?.status === 'approved')",
    instead: "if (known?.status === 'pending')",
  },
  {
    name: 'a deposit that covers nothing that its bidder has bought',
    file: 'src/billing/deposits/return-deposits.ts',
    text: 'if (cents <= 0) continue;\n    free -= cents;',
    instead: 'if (cents < 1e15) continue;\n    free -= cents;',
  },
  {
    name: 'a watched lot that its watcher may no longer see',
    file: 'src/catalog/watchlist/watchlist.ts',
    text: "WHERE w.user_id = $1::bigint AND ${seesLotSql('$1::bigint')}`;",
    instead: 'WHERE w.user_id = $1::bigint`;',
  },
  {
    name: 'own bids that do not say who did not pay',
    file: 'src/bidding/bids/my-standing.ts',
    text: 'if (outcome !== null) return outcome;',
    instead: "if (outcome === 'won') return outcome;",
  },
  {
    name: 'a buyer who is told that they did not win',
    file: 'src/notifications/kinds/bidding-kinds.ts',
    text: 'AND b.user_id NOT IN (${BUYERS_SQL})) b`,',
    instead: ') b`,',
  },
];
