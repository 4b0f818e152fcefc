/**
 * Calls a route with what is the victim's in one of the positions where a request can name something: its path, its
 * query, its body at any depth, its form, its team header. Beside each goes the same request with what is nowhere:
 * to somebody who has no business with a thing both have the same answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TObject } from '@sinclair/typebox';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { ERROR_TABLE } from '../../src/app/web/refusal-answers.ts';
import type { Verdict } from '../../src/shared/policy/policy.ts';
import type { Service } from '../support/service.ts';
import { namingFields, sampleOf } from './attack-fields.ts';
import { formAttacks } from './attack-forms.ts';
import { fieldAttacks, NOWHERE, nowhere, type Value, valuesFor } from './attack-values.ts';
import { eventAttacks } from './attack-webhooks.ts';
import { type Attacker, SECRET, VICTIMS_ID, type World } from './attack-world.ts';

export interface Sent {
  /** Where in the request the victim's thing is. */
  readonly at: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An attack, and the same on what is nowhere. */
export interface Attack {
  readonly real: Sent;
  readonly twin: Sent;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  /** Parsed, where it is JSON. */
  readonly json: { readonly code?: string; readonly errors?: object } | null;
}

/** Each way to name what is the victim's on this route, for this attacker. */
export function attacksOn(world: World, one: Endpoint, who: Attacker): Attack[] {
  if (one.path.startsWith('/webhooks/')) return eventAttacks(world, one, who);
  const paths = pathAttacks(world, one, who);
  if (who.scope !== null) return paths;
  const own = ownPath(one, who);
  if (own === null) return paths;
  return [
    ...paths,
    ...queryAttacks(world, one, own),
    ...bodyAttacks(world, one, own),
    ...headerAttack(world, one, own),
  ];
}

const PARAM = /\{(\w+)\}/g;
const paramsOf = ({ path }: Endpoint) => [...path.matchAll(PARAM)].map(([, name = '']) => name);

/** The path with things of the attacker's own; null: they have none. */
function ownPath(one: Endpoint, { house }: Attacker): string | null {
  if (paramsOf(one).length === 0) return one.path;
  return house === null
    ? null
    : one.path.replaceAll(PARAM, (_all, name: string) => house.valueOf(one.path, name));
}

/** Its parameters are all the victim's; and, of several, one alone beside the attacker's own. */
function pathAttacks({ victim }: World, one: Endpoint, { house }: Attacker): Attack[] {
  const params = paramsOf(one);
  if (params.length === 0) return [];
  const alone = house === null || params.length < 2 ? [] : params.map((name) => [name]);
  const form = one.body !== undefined && 'form' in one.body ? formOf(sampleOf(one.body.form)) : undefined;
  const body =
    one.body === undefined || 'form' in one.body || 'multipart' in one.body ? undefined : sampleOf(one.body);
  return [params, ...alone].map((attacked) => {
    const path = (isReal: boolean) =>
      one.path.replaceAll(PARAM, (_all, name: string) => {
        const value = victim.valueOf(one.path, name);
        if (!attacked.includes(name)) return (house ?? victim).valueOf(one.path, name);
        return isReal ? value : String(nowhere(value));
      });
    const sent = {
      at: `path ${attacked.join()}`,
      ...(body === undefined ? {} : { body }),
      ...(form && { form }),
    };
    return { real: { ...sent, path: path(true) }, twin: { ...sent, path: path(false) } };
  });
}

function queryAttacks(world: World, one: Endpoint, own: string): Attack[] {
  // A stream that lets somebody in has no end.
  if (one.query === undefined || one.path.endsWith('stream')) return [];
  return namingFields(one.query).flatMap((field) =>
    valuesFor(world, field).map((value) => {
      const path = (sent: Value) => `${own}?${field[0]}=${encodeURIComponent(sent)}`;
      const at = `query ${field.join('.')}`;
      return { real: { at, path: path(value) }, twin: { at, path: path(nowhere(value)) } };
    }),
  );
}

function bodyAttacks(world: World, one: Endpoint, own: string): Attack[] {
  const { body } = one;
  if (body === undefined) return [];
  if ('form' in body || 'multipart' in body) {
    const schema: TObject = 'form' in body ? body.form : body.multipart.fields;
    const named = fieldAttacks(world, schema, sampleOf(schema)).map(({ at, real, twin }) => ({
      real: { at, path: own, form: formOf(real) },
      twin: { at, path: own, form: formOf(twin) },
    }));
    const texts = formAttacks(world, one.operationId, (value) => String(nowhere(value)));
    return [
      ...named,
      ...texts.map(({ real, twin, query = ['', ''] }, n) => ({
        real: { at: `form ${n}`, path: `${own}${query[0]}`, form: real },
        twin: { at: `form ${n}`, path: `${own}${query[1]}`, form: twin },
      })),
    ];
  }
  const base = world.bodies.all.includes(one) ? world.bodies.bodyOf(one) : sampleOf(body);
  return fieldAttacks(world, body, base).map(({ at, real, twin }) => ({
    real: { at, path: own, body: real },
    twin: { at, path: own, body: twin },
  }));
}

function headerAttack({ victim }: World, one: Endpoint, own: string): Attack[] {
  if (one.headers === undefined || !('x-team-id' in one.headers.properties)) return [];
  const { body } = one;
  const plain = body === undefined || 'form' in body || 'multipart' in body ? {} : { body: sampleOf(body) };
  const sent = (team: number) => ({
    at: 'header',
    path: own,
    ...plain,
    headers: { 'x-team-id': String(team) },
  });
  return [{ real: sent(victim.teamId), twin: sent(NOWHERE) }];
}

function formOf(values: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(values as object).map(([name, value]) => [name, String(value)]));
}

/** Sends it as the attacker; null: they have no way to. */
export async function send(
  service: Service,
  one: Endpoint,
  who: Attacker,
  sent: Sent,
): Promise<Answered | null> {
  const answer = one.page === true ? browse(one, who, sent) : call(service, one, who, sent);
  const late = sleep(
    30_000,
    { status: 599, text: 'it does not end', location: '', json: null },
    { ref: false },
  );
  return Promise.race([answer, late]);
}

async function browse(
  one: Endpoint,
  { browser, proves }: Attacker,
  { path, form = {} }: Sent,
): Promise<Answered | null> {
  if (browser === null) return null;
  const fields = { _csrf: browser.csrfToken, ...form };
  const isFile = one.body !== undefined && 'multipart' in one.body;
  const body = one.method === 'GET' ? null : isFile ? withFile(fields) : new URLSearchParams(fields);
  const headers = { 'x-csrf-token': browser.csrfToken, ...proves?.(String(body ?? '')) };
  const { status, text, location } = await browser.send(one.method, path, headers, body);
  return { status, text, location: location ?? '', json: null };
}

function withFile(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  data.set('file', new Blob(['title,starting_bid,consignor\nA lot,10.00,Sealed-7d21c\n']), 'lots.csv');
  return data;
}

async function call(service: Service, one: Endpoint, who: Attacker, sent: Sent): Promise<Answered> {
  const payload = sent.body === undefined ? '' : JSON.stringify(sent.body);
  const headers: Record<string, string> = { ...who.headers, ...who.proves?.(payload), ...sent.headers };
  if (one.body !== undefined && 'multipart' in one.body) {
    if (who.token !== undefined) headers['authorization'] = `Bearer ${who.token}`;
    const url = `${service.url}${sent.path}`;
    const answer = await fetch(url, { method: one.method, headers, body: withFile(sent.form ?? {}) });
    const text = await answer.text();
    return { status: answer.status, text, location: '', json: JSON.parse(text) };
  }
  const answer = await service.call(one.method, sent.path, { token: who.token, body: sent.body, headers });
  const location = answer.headers.get('location') ?? '';
  return { status: answer.status, text: answer.text, location, json: answer.body };
}

/** Which of these refusals an answer is; pages, and an invoice of somebody else, have a status without a code. */
export function refusalIn({ status, json }: Answered, refusals: ReadonlySet<Verdict>): Verdict | undefined {
  return [...refusals].find((refusal) => {
    const isAs = (code: string) => json === null || json.code === code;
    if (refusal === 'others_invoice') return status === 403 && json?.code === undefined;
    return status === ERROR_TABLE[refusal]?.status && isAs(refusal);
  });
}

/** A fault that only says that the thing is there. */
export const SAYS = /^says that it is there/;

/** What is wrong with the answer to an attack, in words; nothing: []. */
export function faultsOf(world: World, { real, twin }: Attack, answer: Answered, other: Answered): string[] {
  const known = `${decodeURIComponent(real.path)} ${JSON.stringify([real.body, real.form, real.headers])}`;
  const faults: string[] = [];
  if (answer.status >= 500) faults.push(`fails: ${answer.status} ${answer.text.slice(0, 200)}`);
  if (other.status >= 500) faults.push(`fails on nothing: ${other.status} ${other.text.slice(0, 200)}`);
  const { owner, person } = world.victim;
  const words = [SECRET, owner.email, person.email].filter((one) => !known.includes(one));
  const ids = (answer.text.match(VICTIMS_ID) ?? []).filter((id) => !known.includes(id));
  for (const word of [...words.filter((one) => answer.text.includes(one)), ...ids])
    faults.push(`shows ${word}: ${answer.status} ${around(answer.text, word)}`);
  const [said, saidOther] = [gist(answer, real), gist(other, twin)];
  if (said !== saidOther) faults.push(`says that it is there: ${said} instead of ${saidOther}`);
  return [...new Set(faults)];
}

function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return text.slice(Math.max(0, at - 80), at + 80).replaceAll(/\s+/g, ' ');
}

/** Status, code, the fields refused, and where it leads; of a list, how much is in it. */
function gist({ status, json, location }: Answered, { path }: Sent): string {
  const fields = Object.keys(json?.errors ?? {}).sort();
  const data = (json as { data?: unknown } | null)?.data;
  const count = Array.isArray(data) ? data.length : '';
  const leads = location.replaceAll(/\d{3,}|[A-Z]+-\d+-\d+|[0-9a-fq]{16,}/g, '#').split('?')[0];
  return [status, json?.code ?? '', fields, count, path.includes('/sign-in') ? '' : leads].join(' ').trim();
}
