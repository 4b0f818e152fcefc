/**
 * What a browser keeps while it is at a team's provider, and what a page keeps until its button is pressed: sealed
 * under APP_SECRET, for ten minutes.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { HttpRequest } from '../../../adapters/http/endpoint.ts';
import { SchemaCompiler } from '../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { cookieName, readCookie, setCookie } from '../../accounts/sessions/session-cookie.ts';
import { NotUnsealable, seal, unseal } from '../../shared/sealed.ts';

type Secrets = readonly [string, ...string[]];

const COOKIE = 'rostrum.team';
const LIVES_S = 600;

const TeamPass = Type.Object({
  pass: Type.Object({ state: Type.String(), nonce: Type.String(), verifier: Type.String() }),
  team: Type.String(),
  next: Type.String(),
  /** Who wants to link their account; null: somebody signs in. */
  linksUserId: Type.Union([Type.Integer(), Type.Null()]),
  untilMs: Type.Integer(),
});
export type TeamPass = Static<typeof TeamPass>;

const Link = Type.Object({
  teamId: Type.Integer(),
  userId: Type.Integer(),
  subject: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  untilMs: Type.Integer(),
});
export type Link = Static<typeof Link>;

const compiler = new SchemaCompiler();
const isTeamPass = compiler.checkOf(TeamPass, 'pass');
const isLink = compiler.checkOf(Link, 'link');

/** The cookie with which a browser goes to the provider. */
export function passCookie(
  pass: Omit<TeamPass, 'untilMs'>,
  secrets: Secrets,
  { secure }: Pick<HttpRequest, 'secure'>,
): string {
  return setCookie(sealed(pass, secrets), { secure, maxAgeS: LIVES_S, name: COOKIE });
}

/** What the browser came back with, or null. */
export function readPass(
  { headers, secure }: Pick<HttpRequest, 'headers' | 'secure'>,
  secrets: Secrets,
): TeamPass | null {
  return opened(readCookie(headers.cookie ?? '', cookieName(COOKIE, secure)) ?? '', secrets, isTeamPass);
}

/** What a form carries that links an account with somebody at the provider. */
export function sealLink(link: Omit<Link, 'untilMs'>, secrets: Secrets): string {
  return sealed(link, secrets);
}

export function openLink(text: string, secrets: Secrets): Link | null {
  return opened(text, secrets, isLink);
}

function sealed(value: object, secrets: Secrets): string {
  return seal(JSON.stringify({ ...value, untilMs: Date.now() + LIVES_S * 1_000 }), secrets);
}

function opened<T extends { readonly untilMs: number }>(
  text: string,
  secrets: Secrets,
  isIt: (value: unknown, errors: ValidationErrors) => value is T,
): T | null {
  try {
    const value: unknown = JSON.parse(unseal(text, secrets));
    return isIt(value, new ValidationErrors()) && value.untilMs > Date.now() ? value : null;
  } catch (error) {
    if (error instanceof NotUnsealable || error instanceof SyntaxError) return null;
    throw error;
  }
}
