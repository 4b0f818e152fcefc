/** What platforms and the provider send, about the victim's things: each event with an id of its own. */
import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { objectIn } from '../../engine/objects.ts';
import { FloorBid, FloorSale } from '../../src/bidding/simulcast/simulcast.schema.ts';
import { sampleOf } from './attack-fields.ts';
import type { Attack } from './attack-runs.ts';
import { fieldAttacks } from './attack-values.ts';
import type { Attacker, World } from './attack-world.ts';

/** What the routes themselves leave to be checked event by event. */
const EVENTS: Readonly<Record<string, { readonly schema: TSchema; readonly base: object }>> = {
  receiveFloorBids: {
    schema: FloorBid,
    base: { amount: '500.00', bidder: { paddle: '88' }, lot_number: 1 },
  },
  receiveFloorSales: { schema: FloorSale, base: { result: 'passed', lot_number: 1 } },
};

let count = 0;

/** Each way to name what is the victim's in an event; its platform is the attacker's, or one that there is. */
export function eventAttacks(world: World, one: Endpoint, { platform = world.platform }: Attacker): Attack[] {
  const path = one.path.replace('{platform}', platform);
  const event = EVENTS[one.operationId];
  // Cast: their bodies are JSON.
  const schema = event?.schema ?? (one.body as TSchema);
  const sent = (at: string, body: unknown) => {
    count += 1;
    const own = event === undefined ? {} : { event_id: `attack-${count}`, sequence: count };
    return { at, path, body: { ...objectIn(body), ...own } };
  };
  return fieldAttacks(world, schema, event?.base ?? sampleOf(schema)).map(({ at, real, twin }) => ({
    real: sent(at, real),
    twin: sent(at, twin),
  }));
}
