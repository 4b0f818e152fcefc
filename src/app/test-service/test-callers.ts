/**
 * The test service's side of a test token: who calls, as its front says. Each person has an account of their own here,
 * made at their first request, which has nothing but its number in common with the real one. Whoever does not bring the
 * front's secret is answered nothing but the probes, and payment events, which the sandbox provider signs.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { Authenticate } from '../../../adapters/http/authenticate.ts';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import { Team } from '../../accounts/models/team.model.ts';
import { User } from '../../accounts/models/user.model.ts';
import { insertUsers, markVerified } from '../../accounts/people/accounts.ts';
import { markApproved } from '../../accounts/teams/teams.ts';
import { readSessionUser } from '../../accounts/tokens/principal-rows.ts';

/** What the front says of a caller: their number there, their name, and what their token may do. */
const TestCaller = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  abilities: Type.Array(Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('seller')])),
});
export type TestCaller = Static<typeof TestCaller>;

/** The front's bearer token for a caller. */
export function bearerOf(secret: string, caller: TestCaller): string {
  return `${secret}.${Buffer.from(JSON.stringify(caller)).toString('base64url')}`;
}

const READ_AGAIN_MS = 1_000;

/** Finds callers by the bearer tokens that `bearerOf` makes; all others are unknown. */
export function testCallers(knex: Knex, secret: string): Authenticate {
  const known = new LRUCache<number, Promise<Principal | null>>({ max: 10_000, ttl: READ_AGAIN_MS });
  const read = (caller: TestCaller) => {
    const reading = readCaller(knex, caller);
    // Only here: to set it at each call would keep it for as long as somebody calls every second.
    known.set(caller.id, reading);
    reading.catch(() => known.delete(caller.id));
    return reading;
  };
  return async (bearer) => {
    const caller = callerIn(bearer, secret);
    if (caller === null) return null;
    const principal = await (known.get(caller.id) ?? read(caller));
    return principal === null ? null : { ...principal, via: 'token', abilities: new Set(caller.abilities) };
  };
}

async function readCaller(knex: Knex, caller: TestCaller): Promise<Principal | null> {
  const email = `user-${caller.id}@test.invalid`;
  const user = (await User.query(knex).findOne({ email })) ?? (await makeCaller(knex, email, caller.name));
  return (await readSessionUser(knex, user.id))?.principal ?? null;
}

/** May bid everywhere and sell, so that everything can be tried. */
async function makeCaller(knex: Knex, email: string, name: string): Promise<User> {
  await knex.transaction(async (trx) => {
    const [user] = await insertUsers(trx, [{ email, name, password_hash: null, is_admin: false }]);
    if (user === undefined) return;
    await markVerified(trx, [user.id]);
    const team = await Team.query(trx).findOne({ personal_user_id: user.id }).throwIfNotFound();
    await markApproved(trx, team.id);
  });
  return User.query(knex).findOne({ email }).throwIfNotFound();
}

function callerIn(bearer: string, secret: string): TestCaller | null {
  const [signature = '', payload = ''] = bearer.split('.');
  if (!isSame(signature, secret)) return null;
  const caller = parsed(Buffer.from(payload, 'base64url').toString());
  return Value.Check(TestCaller, caller) ? caller : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSame(candidate: string, secret: string): boolean {
  const [a, b] = [Buffer.from(candidate), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const OPEN = /^\/(healthz|readyz|metrics|webhooks\/payment)$/;

/** The app for its front alone. */
export function closedToOthers(app: HttpApp, secret: string): HttpApp {
  return {
    ...app,
    callback(request, response) {
      if (OPEN.test(request.url ?? '') || isFromFront(request, secret)) app.callback(request, response);
      else response.writeHead(404).end();
    },
  };
}

function isFromFront({ headers }: IncomingMessage, secret: string): boolean {
  const [, bearer = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  return isSame(bearer.split('.')[0] ?? '', secret);
}
