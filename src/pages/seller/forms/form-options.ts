/** What a page knows of a form's fields beyond their schema: order, words, choices, pictures. */
import type { Language } from '../../../shared/language.ts';

/** What a schema does not say of its fields; by the field's dotted name. */
export interface FormOptions {
  /** Fields that are first, in this order. */
  readonly order?: readonly string[];
  readonly omit?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly hints?: Readonly<Record<string, string>>;
  /** What an amount or number is in: `USD`, `seconds`, `%`. */
  readonly units?: Readonly<Record<string, string>>;
  /** What amounts are in; the unit of every field of money. */
  readonly currency?: string;
  /** Questions, each over the fields that answer it. */
  readonly questions?: readonly Question[];
  /** Groups of fields that few need. */
  readonly folded?: readonly string[];
  /** What is drawn under the fields of a group. */
  readonly pictures?: Readonly<Record<string, Picture>>;
  /** What opens the fields that are under no question. */
  readonly more?: string;
  /** What amounts are read in. */
  readonly language?: Language;
  /** Makes a choice of a field. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
  /** What a line may be completed to. */
  readonly suggestions?: Readonly<Record<string, readonly string[]>>;
}

export interface Question {
  readonly legend: string;
  readonly fields: readonly string[];
  /** What is drawn under its fields. */
  readonly picture?: Picture | null;
}

export interface Picture {
  readonly template: string;
  readonly data: object;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}
