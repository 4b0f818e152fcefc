/**
 * `npm run test:restores`: kills backups and restores (`-- --kills 20` of each, default 3), and loses Postgres, Redis
 * or both in each way that docs/operations.md has, runs the commands given there, and checks the result: a backup taken
 * under bids, bids after it, the loss, the repair, bids and closes afterwards. `-- --only NAME` takes some. Ends by
 * itself, and ends all that it started.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Crowd } from '../faults/bidders.ts';
import { Deployment } from './deployment.ts';
import { killBackups, killRestores } from './kills.ts';
import { LOSSES, type Loss } from './losses.ts';
import { type Machine, startMachine } from './machine.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    kills: { type: 'string', default: '3' },
  },
});
const say = (line: string) => console.log(line);

/** Ids of the bids that were acknowledged. */
function taken(crowds: readonly Crowd[]): string[] {
  const ids = crowds.flatMap(({ tries }) =>
    tries.flatMap(({ answer }) => (answer.kind === 'accepted' ? [answer.bidId] : [])),
  );
  return [...new Set(ids)];
}

/** Plays one loss from its first bid to its last close. Gives what is not as it has to be. */
async function play(loss: Loss, at: number, machine: Machine): Promise<string[]> {
  say(`\n== ${loss.name}`);
  const faults: string[] = [];
  const deployment = await Deployment.start(machine, `loss_${at}`, say);
  try {
    const long = await deployment.open(2, 3_600);
    const bidding = deployment.bid(long.people, long.lots, 8);
    await sleep(3_000);
    const early = taken(deployment.crowds);
    await loss.copy(deployment);
    await bidding;
    // An account and an auction of today, of which the copy knows nothing.
    const late = await deployment.open(2, 3_600);
    await deployment.bid([...long.people, ...late.people], [...long.lots, ...late.lots], 4);
    const all = taken(deployment.crowds);
    await loss.damage(deployment);
    await loss.repair(deployment);
    await deployment.untilReadyz(/^200/);
    await deployment.untilProjected();
    const verified = await deployment.type('journal', 'verify');
    if (verified.code !== 0) faults.push(`journal verify: ${verified.said}`);
    const rebuilt = await deployment.type('journal', 'rebuild');
    if (!/nothing to rebuild/.test(rebuilt.said)) faults.push(`journal rebuild: ${rebuilt.said}`);
    const first = long.lots[0]?.lotId ?? 0;
    const outside = await deployment.type('verify', String(first), '--url', deployment.url);
    if (loss.keepsChains && outside.code !== 0) faults.push(`verify: ${outside.said}`);
    const later = all.filter((id) => !early.includes(id));
    const [keptEarly, keptLater] = [await deployment.kept(early), await deployment.kept(later)];
    say(
      `bids of before the copy: ${keptEarly} of ${early.length} kept; behind it: ${keptLater} of ${later.length}`,
    );
    if (keptEarly < early.length) faults.push(`${early.length - keptEarly} bids of before the copy are lost`);
    if (loss.keepsAll && keptLater < later.length)
      faults.push(`${later.length - keptLater} bids of behind the copy are lost`);
    faults.push(...(await goOn(deployment, long)));
  } catch (error) {
    faults.push(String(error));
  } finally {
    await deployment.close();
  }
  return faults;
}

/** Those who are still known bid on what is still there and on a new lot, which closes. */
async function goOn(
  deployment: Deployment,
  long: Awaited<ReturnType<Deployment['open']>>,
): Promise<string[]> {
  const faults: string[] = [];
  const closing = await deployment.open(2, 12);
  const crowd = await deployment.bid([...long.people, ...closing.people], [...long.lots, ...closing.lots], 6);
  const codes = [...new Set(crowd.tries.map(({ status, code }) => `${status} ${code}`))];
  say(`afterwards: ${crowd.tries.length} bids, ${taken([crowd]).length} taken (${codes.join(', ')})`);
  for (const { lotId } of [...long.lots, ...closing.lots])
    if (!crowd.tries.some(({ lotId: id, answer }) => id === lotId && answer.kind === 'accepted'))
      faults.push(`lot ${lotId} takes no bids`);
  faults.push(...crowd.oddities);
  const ids = closing.lots.map(({ lotId }) => lotId);
  const { knex } = deployment.db;
  const closed = async () =>
    (await knex('lots').whereIn('id', ids).whereIn('status', ['sold', 'passed'])).length;
  for (const until = performance.now() + 60_000; performance.now() < until && (await closed()) < ids.length; )
    await new Promise((done) => setTimeout(done, 300));
  const sold = await knex('lots').whereIn('id', ids).where('status', 'sold').pluck('id');
  const invoiced = await knex('invoices').whereIn('lot_id', ids).where('kind', 'winner').pluck('lot_id');
  say(`${await closed()} of ${ids.length} lots closed, ${sold.length} sold, ${invoiced.length} invoiced`);
  if ((await closed()) < ids.length) faults.push('lots were not closed');
  if (sold.length === 0 || sold.length !== invoiced.length) faults.push('sold lots lack invoices');
  await deployment.untilProjected();
  const verified = await deployment.type('journal', 'verify');
  if (verified.code !== 0) faults.push(`journal verify, after more bids: ${verified.said}`);
  return faults;
}

/** Kills backups and restores of a deployment that has bids. */
async function kill(times: number, machine: Machine): Promise<string[]> {
  say(`\n== ${times} backups and ${times} restores killed`);
  const deployment = await Deployment.start(machine, 'killed', () => undefined);
  try {
    const { people, lots } = await deployment.open(2, 3_600);
    await deployment.bid(people, lots, 3);
    await deployment.must('backup', deployment.backupFolder);
    const backups = await killBackups(deployment, times);
    const restores = await killRestores(deployment, times);
    for (const [what, { killed, finished }] of Object.entries({ backups, restores }))
      say(`${what}: ${killed} killed, ${finished} had ended before`);
    return [...backups.faults, ...restores.faults];
  } finally {
    await deployment.close();
  }
}

const machine = await startMachine();
const chosen = LOSSES.filter(
  ({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)),
);
try {
  const times = Number(values.kills);
  for (const fault of times === 0 ? [] : await kill(times, machine)) {
    say(`not good: ${fault}`);
    process.exitCode = 1;
  }
  for (const [at, loss] of chosen.entries()) {
    const faults = await play(loss, at, machine);
    for (const fault of faults) say(`not good: ${loss.name}: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
} finally {
  await machine.close();
}
