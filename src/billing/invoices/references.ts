/**
 * What a payer writes on a bank transfer, and what it is for: a creditor reference of ISO 11649 (`RF18 I123`), whose
 * check digits tell a mistyped one. Banks pass it on whole, and anybody's bank checks it.
 */
const KINDS = { I: 'invoice', C: 'checkout' } as const;

export type Referenced = { readonly kind: 'invoice' | 'checkout'; readonly id: number };

/** The reference of an invoice, or of a checkout of several, by its id. */
export function referenceOf({ kind, id }: Referenced): string {
  const body = `${kind === 'invoice' ? 'I' : 'C'}${String(id).padStart(6, '0')}`;
  return `RF${String(98n - remainderOf(`${body}RF00`)).padStart(2, '0')}${body}`;
}

/** What a reference is for, with spaces and in small letters too; null: not one of ours. */
export function readReference(text: string): Referenced | null {
  const plain = text.replace(/\s/g, '').toUpperCase();
  const [, check, body, letter, digits] = /^RF([0-9]{2})(([IC])([0-9]{6,15}))$/.exec(plain) ?? [];
  if (check === undefined || body === undefined || digits === undefined) return null;
  if (remainderOf(`${body}RF${check}`) !== 1n) return null;
  return { kind: KINDS[letter === 'I' ? 'I' : 'C'], id: Number(digits) };
}

/** Letters are numbers from 10 on, as in an IBAN. */
function remainderOf(text: string): bigint {
  return BigInt([...text].map((sign) => Number.parseInt(sign, 36)).join('')) % 97n;
}
