/**
 * What people build on Redis: one script call per bid, which checks the amount, writes the bid and moves the lot. The
 * same client and the same Redis as the engine's, the calls of one turn pipelined by the client; no keys, no limits,
 * no chain.
 */
import { openLink, Script } from '../../adapters/redis/link.ts';
import { newBidId } from '../../src/shared/node-crypto.ts';
import type { Contender, Scenario } from './scenarios.ts';

const SCRIPT = `
local lot = redis.call('HMGET', KEYS[1], 'current', 'ends', 'count')
local t = redis.call('TIME')
if tonumber(t[1]) >= tonumber(lot[2]) then return 'closed' end
local amount = tonumber(ARGV[2])
if amount < tonumber(lot[1]) + 100 then return 'too_low' end
local count = tonumber(lot[3]) + 1
redis.call('XADD', KEYS[2], '*', 'id', ARGV[1], 'bidder', ARGV[3], 'cents', ARGV[2], 'sequence', count)
redis.call('HSET', KEYS[1], 'current', ARGV[2], 'leader', ARGV[3], 'count', count)
return count
`;

export async function luaPerBid(redisUrl: string, scenario: Scenario): Promise<Contender> {
  const redis = await openLink(redisUrl);
  const script = new Script(SCRIPT);
  const lotKey = (lot: number) => `{lua:${scenario.name}:${lot}}`;
  const bidsKey = (lot: number) => `${lotKey(lot)}:bids`;
  const lots = Array.from({ length: scenario.lots }, (_, index) => index + 1);
  const ends = String(Math.floor(Date.now() / 1_000) + 86_400);
  for (const lot of lots) await redis.link.hSet(lotKey(lot), { current: '0', ends, count: '0' });
  return {
    async bid(lot, bidder, amountCents) {
      const keys = [lotKey(lot), bidsKey(lot)];
      const answer = await script.run(redis.link, keys, [newBidId(), String(amountCents), `u:${bidder + 1}`]);
      return typeof answer === 'number';
    },
    async tidy() {
      for (const lot of lots) await redis.link.del(bidsKey(lot));
    },
    async close() {
      redis.link.destroy();
    },
  };
}
