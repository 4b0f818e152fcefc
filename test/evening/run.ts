/**
 * `npm run test:evening`: a whole house's evening in a real browser. Two sellers prepare (a file and photographs;
 * forms), forty people bid, a clerk works the saleroom by keyboard, an officer in the office voids a bid, approves the
 * settlements and has them paid, buyers pay, statements are printed; then the books of both sales agree to the cent and
 * every journal verifies.
 */
import { verifyJournal } from '../../src/bidding/journal/verify.ts';
import { bidOnline, lotsOf, payAll, prepareByFile, prepareByForms, runSaleroom } from './acts.ts';
import { must, openHouse, until } from './house.ts';
import { approveAndPay, printStatement, voidNewest } from './officer.ts';

const CLOCK_MS = 90_000;

const house = await openHouse();
const { knex } = house.service.backends;
const print = (text: string) => console.log(text);
try {
  const [filing, typing] = [await house.seller('Prairie Gate'), await house.seller('Longview')];
  const floor = await prepareByFile(house, filing);
  print('ok    a sale from a file, with photographs');
  const timed = await prepareByForms(house, typing, Date.now() + CLOCK_MS);
  print('ok    a sale from forms');
  const [floorLots, timedLots] = await Promise.all([lotsOf(house, floor), lotsOf(house, timed)]);
  const bids = (await bidOnline(house, floorLots)) + (await bidOnline(house, timedLots));
  print(`ok    ${bids} online bids`);
  const officer = await house.officer();
  await voidNewest(house, officer, timedLots[0] ?? 0);
  print('ok    a bid voided in the office');
  const slowestMs = await runSaleroom(house, filing, floor);
  print(`ok    the saleroom by keyboard; the slowest key took ${Math.round(slowestMs)} ms`);
  for (const [name, auctionId] of [
    ['floor', floor],
    ['timed', timed],
  ] as const) {
    await until(`the end of the ${name} sale`, async () => {
      const auction = await knex('auctions').where('id', auctionId).first('status');
      const open = await knex('lots')
        .where('auction_id', auctionId)
        .whereIn('status', ['active', 'scheduled']);
      return auction.status === 'ended' && open.length === 0;
    });
  }
  await until('the invoices', async () => {
    const sold = await knex('lots').where('status', 'sold').whereNotNull('winner_user_id');
    const made = await knex('invoices').where('kind', 'winner');
    return made.length === sold.length && sold.length > 0;
  });
  print(`ok    ${await payAll(house)} invoices paid`);
  await approveAndPay(house, officer, [floor, timed]);
  print('ok    both settlements approved and paid in the office');
  for (const [page, auctionId] of [
    [filing, floor],
    [typing, timed],
  ] as const) {
    print(`ok    ${await printStatement(house, page, auctionId)}: printed, as the books say to the cent`);
  }
  const verified = await verifyJournal(house.service.backends, null);
  must(verified.ok, `the journal: ${verified.difference}`);
  print(`ok    ${verified.lots} journals of ${verified.entries} entries verify`);
} catch (error) {
  console.log(`FAIL  ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await house.close();
}
