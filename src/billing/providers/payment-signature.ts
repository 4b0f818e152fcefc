/**
 * The signature on payment events, in the scheme of Stripe's `constructEvent`: `t=<unix>,v1=<hex>`, HMAC-SHA256 over
 * `t + "." + body`. The webhook verifies with it, the sandbox signs with it. Comparison takes the same time for every
 * guess.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 300;

const MAX_SIGNATURES = 16;
const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** The header's value for a body. */
export function signPayment(body: string | Buffer, secret: string, unixSeconds: number): string {
  return `t=${unixSeconds},v1=${digestOf(body, secret, String(unixSeconds)).toString('hex')}`;
}

/** Whether one of the header's signatures is right and its time is at most 300 s away. */
export function isPaymentSigned(
  header: string | undefined,
  body: Buffer,
  secret: string,
  nowUnixSeconds: number,
): boolean {
  const parsed = header === undefined ? null : parseHeader(header);
  if (parsed === null) return false;
  const expected = digestOf(body, secret, parsed.time);
  let right = false;
  // Every signature is compared, so that the time does not reveal which of them came close.
  for (const candidate of parsed.signatures) right = timingSafeEqual(expected, candidate) || right;
  return right && Math.abs(nowUnixSeconds - Number(parsed.time)) <= TOLERANCE_S;
}

interface ParsedHeader {
  /** As it was sent: the signature is over these characters. */
  readonly time: string;
  readonly signatures: readonly Buffer[];
}

function parseHeader(header: string): ParsedHeader | null {
  let time: string | null = null;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (time !== null || !/^[0-9]{1,12}$/.test(value)) return null;
      time = value;
    } else if (name === 'v1' && HEX_SHA256.test(value)) signatures.push(Buffer.from(value, 'hex'));
  }
  if (time === null || signatures.length === 0 || signatures.length > MAX_SIGNATURES) return null;
  return { time, signatures };
}

function digestOf(body: string | Buffer, secret: string, time: string): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}
