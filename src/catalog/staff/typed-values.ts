/**
 * Reads what staff typed into a form: each field by its kind, every error under its field, and all of them refused
 * together when the form has been read.
 */
import { passedBound } from '../../../adapters/http/json-bounds.ts';
import { decimalsOf, parseCents } from '../../../engine/money.ts';
import { isObject } from '../../../engine/objects.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { invalid } from '../../shared/refusal.ts';
import { SLUG_PATTERN } from '../../shared/slug.ts';
import { centsTyped, NO_AMOUNT } from '../../shared/typed-amount.ts';

export type Typed = Readonly<Record<string, string>>;

const MAX_POSITION = 1_000_000;
const MAX_SLUG = 100;
const SLUG = new RegExp(SLUG_PATTERN);
const ROW_FIELD = /^\.([0-9]{1,3})\.([a-z]+)$/;

export class TypedValues {
  readonly #values: Typed;
  readonly #errors: Record<string, string[]> = {};

  constructor(values: Typed) {
    this.#values = values;
  }

  addError(field: string, sentence: string): void {
    this.#errors[field] = [...(this.#errors[field] ?? []), sentence];
  }

  /** A text of 1 to `max` characters. */
  line(field: string, max: number): string {
    const value = this.#of(field);
    if (value === '' || value.length > max) this.addError(field, `It must have 1 to ${max} characters.`);
    return value;
  }

  /** A text that may be empty, which is null. */
  text(field: string, max: number): string | null {
    const value = this.#of(field);
    if (value.length > max) this.addError(field, `It must have at most ${max} characters.`);
    return value === '' ? null : value;
  }

  slug(field: string): string {
    const value = this.#of(field);
    if (!SLUG.test(value) || value.length > MAX_SLUG || /^[0-9]+$/.test(value))
      this.addError(
        field,
        `It must be lower-case letters, digits and single hyphens, at most ${MAX_SLUG} characters.`,
      );
    return value;
  }

  /** Null where nothing was typed. */
  cents(field: string, currency: string): number | null {
    const value = this.#of(field);
    if (value === '') return null;
    const cents = centsTyped(value, decimalsOf(currency));
    if (cents === null) this.addError(field, `It ${NO_AMOUNT}.`);
    return cents;
  }

  /** A percentage as basis points; nothing typed is zero. */
  basisPoints(field: string): number {
    const points = parseCents(this.#of(field) || '0', 2);
    if (points === null || points > 10_000)
      this.addError(field, 'It must be a percentage from 0 to 100 such as 5.00.');
    return points ?? 0;
  }

  position(field: string): number {
    const value = this.#of(field) || '0';
    const position = /^-?[0-9]{1,7}$/.test(value) ? Number(value) : Number.NaN;
    if (!(Math.abs(position) <= MAX_POSITION)) this.addError(field, 'It must be a whole number.');
    return position;
  }

  /** A number of zero or more with so many decimals; null where nothing was typed. */
  amount(field: string, decimals: 0 | 3): number | null {
    const value = this.#of(field);
    if (value === '') return null;
    const isAmount = (decimals === 0 ? /^[0-9]{1,9}$/ : /^[0-9]{1,9}(\.[0-9]{1,3})?$/).test(value);
    if (!isAmount)
      this.addError(
        field,
        decimals === 0
          ? 'It must be a whole number such as 50, or empty for no limit.'
          : 'It must be a number such as 2.5, or empty for no limit.',
      );
    return isAmount ? Number(value) : null;
  }

  /** A JSON object; nothing typed is an empty one. */
  object(field: string): Readonly<Record<string, unknown>> {
    try {
      const text = this.#of(field);
      const passed = passedBound(text);
      if (passed !== null) {
        this.addError(field, `It ${passed.predicate}.`);
        return {};
      }
      const value: unknown = JSON.parse(text || '{}');
      if (isObject(value)) return value;
      this.addError(field, 'It must be a JSON object.');
    } catch (error) {
      this.addError(field, `It is not valid JSON: ${messageOf(error)}`);
    }
    return {};
  }

  /**
   * The rows of a table, each with its texts: `fields.0.label` is the label of row 0. A row in which nothing was typed
   * is none.
   */
  rows(field: string, max: number): { readonly at: number; readonly texts: Typed }[] {
    const rows = new Map<number, Record<string, string>>();
    for (const [name, value] of Object.entries(this.#values)) {
      const [, at, column = ''] =
        ROW_FIELD.exec(name.startsWith(`${field}.`) ? name.slice(field.length) : '') ?? [];
      if (at === undefined || value.trim() === '') continue;
      const row = rows.get(Number(at)) ?? {};
      row[column] = value.trim();
      rows.set(Number(at), row);
    }
    const filled = [...rows].sort(([one], [other]) => one - other).map(([at, texts]) => ({ at, texts }));
    if (filled.length > max) this.addError(field, `There may be at most ${max} of them.`);
    return filled.slice(0, max);
  }

  /** Throws 422 `validation_failed` with everything that is wrong. */
  finish(): void {
    if (Object.keys(this.#errors).length > 0) throw invalid(this.#errors);
  }

  #of(field: string): string {
    return this.#values[field]?.trim() ?? '';
  }
}
