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

/** To the new address of an account: only whoever has that account confirms it. */
export function newAddressMail(
  to: { readonly email: string },
  from: string,
  changeId: number,
  url: string,
): Mail {
  return {
    eventKey: `email-change-${changeId}-new`,
    to: to.email,
    kind: 'security',
    about: 'email_change',
    ...letter({
      subject: 'Confirm your new email address',
      paragraphs: [
        `Somebody wants to use this address for the account that has ${from} now. If that was you, confirm it.`,
        'The link works once, for 24 hours. Elsewhere than in the browser of the account it asks for the password.',
      ],
      link: { label: 'Confirm my new address', url },
      closing: [IGNORE],
    }),
  };
}

/** To somebody with an account, whose address was to become another account's. At most one an hour. */
export function addressInUseMail(to: Addressee, nowMs: number): Mail {
  return {
    eventKey: `email-change-taken-${to.id}-${Math.floor(nowMs / 3_600_000)}`,
    to: to.email,
    kind: 'security',
    about: 'address_taken',
    ...letter({
      subject: 'This address already has an account',
      paragraphs: [
        'Somebody tried to use this address for another account. It already has one, and nothing has changed.',
        'If that was you: an address is for one account. Change the address of the account that has it first.',
      ],
    }),
  };
}

/** To the present address of an account: it is to become another one. */
export function changeRequestedMail(
  to: { readonly email: string },
  newEmail: string,
  changeId: number,
  url: string,
): Mail {
  return {
    eventKey: `email-change-${changeId}-old`,
    to: to.email,
    kind: 'security',
    about: 'email_change',
    ...letter({
      subject: 'Your account is to have another email address',
      paragraphs: [
        `Somebody who knows your password asked to use ${newEmail} for your account instead of this address.`,
        'If that was you, open the link that we sent there. If it was not you, stop it now, and set a new password.',
      ],
      link: { label: 'Stop this change', url },
    }),
  };
}

/** To the address that an account had: it has another one now. */
export function changeMadeMail(
  to: { readonly email: string },
  newEmail: string,
  changeId: number,
  url: string,
): Mail {
  return {
    eventKey: `email-change-${changeId}-made`,
    to: to.email,
    kind: 'security',
    about: 'email_change',
    ...letter({
      subject: 'Your account has another email address now',
      paragraphs: [
        `Your account's address is ${newEmail} now. Nothing more about it comes to this address.`,
        'If that was not you, take the address back within seven days, with the password that you had before.',
      ],
      link: { label: 'Take the address back', url },
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
