/**
 * The words of the mails about an account itself. Each is a security mail: it is always sent, and nobody
 * unsubscribes.
 */
import { letter } from '../mail/letter.ts';
import type { Mail } from '../mail/mail-outbox.ts';

interface Addressee {
  readonly id: number;
  readonly email: string;
}

const IGNORE = 'If this was not you, you can ignore this email: nothing changes unless the link is opened.';

export function confirmMail(to: Addressee, linkId: number, url: string): Mail {
  return {
    eventKey: `account-link-${linkId}`,
    to: to.email,
    kind: 'security',
    about: 'confirm',
    ...letter({
      subject: 'Confirm your email address',
      paragraphs: [
        'Welcome. Confirm that this address is yours, and you can bid, register for auctions and sell.',
        'The link works once, for 24 hours.',
      ],
      link: { label: 'Confirm my address', url },
      closing: [IGNORE],
    }),
  };
}

/** To somebody with an account, for whose address another one was requested. At most one an hour. */
export function takenMail(to: Addressee, signInUrl: string, resetUrl: string, nowMs: number): Mail {
  return {
    eventKey: `sign-up-taken-${to.id}-${Math.floor(nowMs / 3_600_000)}`,
    to: to.email,
    kind: 'security',
    about: 'address_taken',
    ...letter({
      subject: 'You already have an account',
      paragraphs: [
        'Somebody tried to create an account with this address, which already has one. Nothing has changed.',
        `If that was you, sign in. If you have forgotten your password, set a new one: ${resetUrl}`,
      ],
      link: { label: 'Sign in', url: signInUrl },
    }),
  };
}

export function resetMail(to: Addressee, linkId: number, url: string): Mail {
  return {
    eventKey: `account-link-${linkId}`,
    to: to.email,
    kind: 'security',
    about: 'password_reset',
    ...letter({
      subject: 'Set a new password',
      paragraphs: [
        'Somebody requested a new password for your account.',
        'The link works once, for 30 minutes. A new password signs you out everywhere and revokes all your API tokens.',
      ],
      link: { label: 'Set a new password', url },
      closing: [IGNORE],
    }),
  };
}

/** That something about how one signs in has changed; `what` is a sentence. */
export function changedMail(to: Addressee, eventKey: string, what: string, forgotUrl: string): Mail {
  return {
    eventKey,
    to: to.email,
    kind: 'security',
    about: 'security_changed',
    ...letter({
      subject: 'Your account’s security has changed',
      paragraphs: [what, `If this was not you, set a new password at once: ${forgotUrl}`],
    }),
  };
}
