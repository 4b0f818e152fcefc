/**
 * Handing finished mails over: to an SMTP server, or, where there is none, into a folder as `.eml` files. The worker
 * sends through it; web processes never do. A mail handed over twice carries one `Message-ID`, and in a folder it is
 * one file.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import pTimeout from 'p-timeout';
import { objectIn } from '../../engine/objects.ts';

/** A mail with everything that is in it. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** With its angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
  /** Unique among all mails; files sort by it. */
  readonly fileName: string;
}

export interface MailTransport {
  /**
   * Resolves when the server has accepted responsibility for the mail. Throws `MailRefused` if a retry is pointless.
   */
  send(message: OutgoingMail): Promise<void>;
  /** What is being sent fails: a server that does not answer must not be waited for. */
  close(): void;
}

/** The server will never take this mail. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

const TIMEOUT_MS = 15_000;

/** Sends through `smtp://` or `smtps://` (user and password in the address), over a few connections that stay open. */
export function openSmtp(url: string): MailTransport {
  const pool = createTransport(
    withTimeouts(url),
    // Nothing of a mail but what we put into it: no file, no address is ever read for one.
    { disableFileAccess: true, disableUrlAccess: true },
  );
  const closing = new AbortController();
  return {
    async send(message) {
      try {
        await pTimeout(pool.sendMail(optionsOf(message)), {
          milliseconds: Number.POSITIVE_INFINITY,
          signal: closing.signal,
        });
      } catch (error) {
        throw explained(error);
      }
    },
    close() {
      closing.abort(Object.assign(new Error('sending ends'), { code: 'ECLOSED' }));
      pool.close();
    },
  };
}

/** Throws where the server cannot be reached, or does not let this address in. */
export async function checkSmtp(url: string): Promise<void> {
  const pool = createTransport(withTimeouts(url));
  try {
    await pool.verify();
  } finally {
    pool.close();
  }
}

function withTimeouts(url: string): string {
  const address = new URL(url);
  const settings = {
    pool: 'true',
    maxConnections: '4',
    connectionTimeout: String(TIMEOUT_MS),
    greetingTimeout: String(TIMEOUT_MS),
    socketTimeout: String(TIMEOUT_MS),
  };
  for (const [name, value] of Object.entries(settings)) {
    if (!address.searchParams.has(name)) address.searchParams.set(name, value);
  }
  return address.href;
}

function optionsOf({
  from,
  to,
  subject,
  text,
  html,
  messageId,
  date,
  headers,
}: OutgoingMail): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId,
    date,
    headers: { ...headers },
    // Nodemailer begins every name with a capital; W3C's is written small.
    normalizeHeaderKey: (name) => (name === 'Traceparent' ? 'traceparent' : name),
  };
}

/**
 * A 5xx about the mail itself is permanent; everything else may pass. The error's message contains nothing of the mail.
 */
function explained(error: unknown): Error {
  const { responseCode, code, command } = objectIn(error);
  const what = `${code ?? 'error'}${responseCode === undefined ? '' : ` ${responseCode}`}${command === undefined ? '' : ` at ${command}`}`;
  const isForGood = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isForGood && Number(responseCode) >= 500)
    return new MailRefused(`the server rejected the mail (${what})`);
  return new Error(`the mail was not accepted (${what})`);
}

/** Writes `.eml` files, readable for their owner alone, for they may hold links that sign somebody in. */
export function openMailFolder(folder: string): MailTransport {
  const printer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  let made: Promise<unknown> | null = null;
  return {
    async send(message) {
      const built = await printer.sendMail(optionsOf(message));
      made ??= mkdir(folder, { recursive: true, mode: 0o700 });
      await made;
      // Renamed when complete: readers of the folder never see half a mail.
      const temporary = join(folder, `.${randomBytes(6).toString('hex')}.part`);
      try {
        await writeFile(temporary, built.message, { mode: 0o600 });
        await rename(temporary, join(folder, `${message.fileName}.eml`));
      } catch (error) {
        // Somebody may have removed the folder: the next try makes it again.
        made = null;
        await rm(temporary, { force: true });
        throw error;
      }
    },
    close: () => printer.close(),
  };
}
