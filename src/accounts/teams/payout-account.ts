/**
 * Where a team is paid out to: sealed at rest, opened for the team's owners and admins once they have proved who they
 * are, and for staff who pay. Everybody else sees the last digits at most.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { invalid } from '../../shared/refusal.ts';
import { seal, unseal } from '../../shared/sealed.ts';
import { PayoutAccountRow } from './payout-account.model.ts';

export interface PayoutAccount {
  readonly holder: string;
  /** An IBAN, or an account's number at the bank that `bankCode` names. */
  readonly account: string;
  /** A BIC or a routing number; null where an IBAN says it all. */
  readonly bankCode: string | null;
}

/** What may be shown without a proof. */
export interface PayoutAccountBrief {
  readonly lastDigits: string;
  readonly changedAt: string;
}

const IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/;
const NUMBER = /^[0-9]{4,20}$/;
const BANK_CODE = /^([0-9]{8,9}|[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?)$/;
const MAX_HOLDER = 140;

export async function readPayoutBrief(knex: Knex, teamId: number): Promise<PayoutAccountBrief | null> {
  const row = await PayoutAccountRow.query(knex).findById(teamId);
  return row === undefined ? null : { lastDigits: row.last_digits, changedAt: row.changed_at };
}

/** The account in full, or null where the team has none. Throws `NotUnsealable` where the secret is lost. */
export async function readPayoutAccount(
  knex: Knex,
  secrets: readonly string[],
  teamId: number,
): Promise<PayoutAccount | null> {
  const row = await PayoutAccountRow.query(knex).findById(teamId);
  return row === undefined ? null : JSON.parse(unseal(row.sealed, secrets));
}

/** Keeps an account instead of the one before. Throws 422 for what is no account. */
export async function savePayoutAccount(
  knex: Knex,
  secrets: readonly string[],
  owner: { readonly teamId: number; readonly userId: number },
  input: { readonly holder: string; readonly account: string; readonly bankCode: string },
): Promise<void> {
  const account = checked(input);
  const row = {
    sealed: seal(JSON.stringify(account), secrets),
    last_digits: account.account.slice(-4),
    changed_by_user_id: owner.userId,
    changed_at: raw('now()'),
  };
  await PayoutAccountRow.query(knex)
    .insert({ team_id: owner.teamId, ...row })
    .onConflict('team_id')
    .merge(row);
}

function checked(input: { holder: string; account: string; bankCode: string }): PayoutAccount {
  const holder = input.holder.trim();
  const account = input.account.replace(/[\s-]/g, '').toUpperCase();
  const bankCode = input.bankCode.replace(/[\s-]/g, '').toUpperCase();
  const errors: Record<string, string[]> = {};
  if (holder === '' || holder.length > MAX_HOLDER)
    errors['holder'] = [`The holder must have 1 to ${MAX_HOLDER} characters.`];
  const isIban = IBAN.test(account) && ibanRemainder(account) === 1;
  if (!isIban && !NUMBER.test(account))
    errors['account'] = ['The account must be an IBAN, or a number of 4 to 20 digits.'];
  if (bankCode === '' ? !isIban : !BANK_CODE.test(bankCode))
    errors['bank_code'] = ['The bank code must be a BIC or a routing number; it may be empty for an IBAN.'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { holder, account, bankCode: bankCode === '' ? null : bankCode };
}

/** ISO 13616: the country and check digits go to the end, letters become numbers; 97 must leave one. */
function ibanRemainder(iban: string): number {
  const moved = iban.slice(4) + iban.slice(0, 4);
  let remainder = 0;
  for (const sign of moved) {
    const value = Number.parseInt(sign, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
