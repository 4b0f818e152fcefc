/** A Redis that answers, but not with what was requested: it counts as unavailable, and no bug is reported. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { isRedisUnavailable } from '../../../adapters/redis/redis-unavailable.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { redisCommand } from '../../support/redis-replicas.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('a Redis that is not ready', () => {
  let service: Service;
  let token: string;
  let email: string;
  let lotId: number;
  let cents = 10_000;

  before(async () => {
    service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '1000' } });
    const person = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    email = person.email;
    token = await service.tokenFor(person);
    const auction = await anAuction(service.database);
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
    await service.publish();
  });
  after(() => service.close());

  const bid = async () => {
    cents += 100_000;
    const body = { amount: (cents / 100).toFixed(2) };
    const { status, body: answer } = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token,
      body,
    });
    return status === 201 ? status : `${status} ${answer.code}`;
  };
  const signedIn = async () => (await signIn(new BrowserLike(service.url), email, PASSWORD)).status;
  const both = async () => Promise.all([bid(), signedIn()]);
  /** What Redis itself says to a command that is refused. */
  const errorOf = (command: string[]) =>
    redisCommand(service.redis, command).then(
      () => new Error('it was done'),
      (error: Error) => error,
    );

  it('takes no writes while too few replicas follow it (NOREPLICAS)', async () => {
    expect(await both()).to.deep.equal([201, 303]);
    await redisCommand(service.redis, ['CONFIG', 'SET', 'min-replicas-to-write', '1']);
    const error = await errorOf(['SET', 'a', 'b']);
    expect([error.message.split(' ', 1)[0], isRedisUnavailable(error)]).to.deep.equal(['NOREPLICAS', true]);
    expect(await both()).to.deep.equal(['503 journal_unavailable', 503]);
    await redisCommand(service.redis, ['CONFIG', 'SET', 'min-replicas-to-write', '0']);
    await eventually(async () => (await bid()) === 201);
    expect(await signedIn()).to.equal(303);
  });

  it('answers nobody while a script blocks it (BUSY)', async () => {
    await redisCommand(service.redis, ['CONFIG', 'SET', 'busy-reply-threshold', '1']);
    const held = redisCommand(service.redis, ['EVAL', 'while true do end', '0']).catch(String);
    await sleep(50);
    const error = await errorOf(['GET', 'a']);
    expect([error.message.split(' ', 1)[0], isRedisUnavailable(error)]).to.deep.equal(['BUSY', true]);
    expect(await both()).to.deep.equal(['503 journal_unavailable', 503]);
    await redisCommand(service.redis, ['SCRIPT', 'KILL']);
    expect(await held).to.include('killed');
    await eventually(async () => (await bid()) === 201);
    expect(await signedIn()).to.equal(303);
  });
});
