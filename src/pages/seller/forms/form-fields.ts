/**
 * A form as its template draws it: the fields of a JSON schema with their controls, limits, values and what is wrong
 * with each. Sentences that belong to no field are shown above the form with all others.
 */
import { inLanguage } from '../../../shared/languages/phrasebook.ts';
import { fieldSentence, limitsOf, wordsOf } from './field-words.ts';
import type { Choice, FormOptions, Picture } from './form-options.ts';
import { type FormTexts, SPARE_ROWS } from './form-values.ts';
import { type Control, type Schema, type Shape, shapeOf, TICK } from './shapes.ts';
import { wrongText } from './wrong-text.ts';

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface FormField {
  readonly kind: 'field';
  readonly name: string;
  readonly id: string;
  readonly label: string;
  readonly control: Control;
  /** What its text is in, where that is not the page's language. */
  readonly lang: string | null;
  readonly value: string;
  readonly required: boolean;
  readonly maxLength: number | null;
  /** How high a text is drawn; null: as usual. */
  readonly rows: number | null;
  /** Which types of file can be chosen. */
  readonly accept?: string;
  readonly choices: readonly Choice[];
  readonly suggestions: readonly string[];
  readonly hint: string | null;
  readonly unit: string | null;
  readonly errors: readonly string[];
}

export interface FormGroup {
  readonly kind: 'group';
  readonly id: string;
  readonly legend: string;
  readonly hint: string | null;
  readonly errors: readonly string[];
  readonly items: readonly FormItem[];
  readonly picture?: Picture | null;
  /** Its many boxes scroll, and can be searched. */
  readonly isLong?: boolean;
}

/** Fields that few need, folded up. */
export interface FoldedFields {
  readonly kind: 'folded';
  readonly title: string;
  /** What stands before its title, as somebody wrote it. */
  readonly own?: string;
  readonly hint?: string | null;
  readonly isOpen: boolean;
  readonly items: readonly FormItem[];
}

export type FormItem = FormField | FormGroup | FoldedFields;

export interface Problems {
  readonly sentence: string;
  /** The id of the field's control; null where it belongs to none. */
  readonly id: string | null;
}

export interface FormView {
  readonly items: readonly FormItem[];
  /** Everything that is wrong, for the summary above the form. */
  readonly problems: readonly Problems[];
}

/** Builds the view of a form. */
export function formView(
  schema: Schema,
  texts: FormTexts,
  options: FormOptions = {},
  errors: FieldErrors = {},
): FormView {
  const builder = new Builder(schema, texts, options, normalized(errors));
  const items = builder.items(schema, '');
  return { items: arranged(items, options), problems: builder.problems() };
}

/** The fields under their questions, and the rest folded up. */
function arranged(items: readonly FormItem[], { questions = [], more }: FormOptions): readonly FormItem[] {
  if (more === undefined) return items;
  const groups = questions.map(({ legend, fields, picture = null }, at): FormGroup => {
    const wanted = new Set(fields.map(idOf));
    const own = items.filter((item) => item.kind !== 'folded' && wanted.has(item.id));
    return { kind: 'group', id: `question-${at + 1}`, legend, hint: null, errors: [], items: own, picture };
  });
  const rest = items.filter((item) => !groups.some((group) => group.items.includes(item)));
  return [...groups, { kind: 'folded', title: more, isOpen: rest.some(isWrong), items: rest }];
}

function isWrong(item: FormItem): boolean {
  if (item.kind === 'folded') return item.items.some(isWrong);
  return item.errors.length > 0 || (item.kind === 'group' && item.items.some(isWrong));
}

/** `increments[0].from` is the field `increments.0.from`. */
function normalized(errors: FieldErrors): Map<string, readonly string[]> {
  return new Map(
    Object.entries(errors).map(([name, sentences]) => [name.replaceAll(/\[(\d+)\]/g, '.$1'), sentences]),
  );
}

const idOf = (name: string) => `field-${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;

const MANY_BOXES = 12;
/** A row of more is folded up under what it is called. */
const WIDEST_ROW = 4;

class Builder {
  readonly #texts: FormTexts;
  readonly #options: FormOptions;
  readonly #errors: Map<string, readonly string[]>;
  readonly #drawn: string[] = [];
  readonly #names: ReadonlySet<string>;

  constructor(
    schema: Schema,
    texts: FormTexts,
    options: FormOptions,
    errors: Map<string, readonly string[]>,
  ) {
    this.#names = new Set(Object.keys(schema.properties ?? {}));
    this.#texts = texts;
    this.#options = options;
    this.#errors = errors;
  }

  items(schema: Schema, prefix: string): FormItem[] {
    const { order = [], omit = [] } = this.#options;
    const names = Object.keys(schema.properties ?? {}).filter((name) => !omit.includes(`${prefix}${name}`));
    const rank = (name: string) => {
      const at = order.indexOf(`${prefix}${name}`);
      return at < 0 ? order.length : at;
    };
    return names
      .sort((one, other) => rank(one) - rank(other))
      .map((name) => this.#item(`${prefix}${name}`, schema, schema.properties?.[name] ?? {}));
  }

  /** What is wrong, with the nearest field that is on the form. */
  problems(): Problems[] {
    for (const name of this.#errors.keys()) {
      const isDrawn = this.#drawn.some((one) => one === name || isWithin(name, one));
      if (!isDrawn) this.#spoken(name, this.#options.labels?.[name] ?? wordsOf(name));
    }
    return [...this.#errors].flatMap(([name, sentences]) => {
      const drawn = this.#drawn.find((one) => one === name) ?? this.#drawn.find((one) => isWithin(name, one));
      return sentences.map((sentence) => ({ sentence, id: drawn === undefined ? null : idOf(drawn) }));
    });
  }

  #item(name: string, parent: Schema, property: Schema): FormItem {
    const shape = shapeOf(property);
    const legend = this.#options.labels?.[name] ?? shape.schema.title ?? wordsOf(name);
    const group = {
      kind: 'group',
      id: idOf(name),
      legend,
      hint: this.#options.hints?.[name] ?? null,
    } as const;
    const errors = () => this.#spoken(name, legend);
    if (shape.control === 'group') {
      const items = this.items(shape.schema, `${name}.`);
      this.#drawn.push(name);
      const picture = this.#options.pictures?.[name] ?? null;
      const whole = { ...group, items, errors: errors(), picture };
      if (!this.#options.folded?.includes(name)) return whole;
      return { kind: 'folded', title: legend, hint: group.hint, isOpen: isWrong(whole), items };
    }
    if (shape.control === 'ticks') {
      const labels = new Map(this.#options.choices?.[name]?.map(({ value, label }) => [value, label]));
      const items = shape.options.map((word) =>
        this.#field(`${name}.${word}`, {}, TICK, labels.get(word) ?? wordsOf(word)),
      );
      this.#drawn.push(name);
      return { ...group, items, errors: errors(), isLong: items.length > MANY_BOXES };
    }
    if (shape.control !== 'rows') return this.#field(name, parent, shape, legend);
    const rows = Array.from({ length: this.#rowCount(name) }, (_, index) => this.#row(name, index, shape));
    this.#drawn.push(name);
    return { ...group, items: rows, errors: errors() };
  }

  #row(name: string, index: number, { schema }: Shape): FormItem {
    const items = schema.items ?? {};
    const prefix = `${name}.${index}`;
    const members = Object.entries(items.properties ?? {}).map(([key, property]) => {
      const label = `${this.#options.labels?.[`${name}.${key}`] ?? wordsOf(key)} (row ${index + 1})`;
      return this.#field(`${prefix}.${key}`, {}, shapeOf(property), label);
    });
    if (members.length > WIDEST_ROW) return foldedRow(members, index === 0);
    return { kind: 'group', id: idOf(prefix), legend: '', hint: null, errors: [], items: members };
  }

  #rowCount(name: string): number {
    const filled = Object.entries(this.#texts)
      .filter(([field, text]) => field.startsWith(`${name}.`) && text !== '')
      .map(([field]) => Number(field.slice(name.length + 1).split('.')[0]) + 1);
    return Math.max(0, ...filled) + SPARE_ROWS;
  }

  #field(name: string, parent: Schema, shape: Shape, label: string): FormField {
    this.#drawn.push(name);
    const { schema, control } = shape;
    this.#explain(name, shape, label);
    const { choices: offered } = this.#options;
    const choices = offered?.[name] ?? offered?.[columnOf(name)];
    const key = name.split('.').at(-1) ?? name;
    return {
      kind: 'field',
      name,
      id: idOf(name),
      label,
      control: choices === undefined ? control : 'choice',
      lang: IN_LANGUAGE.exec(name)?.[1] ?? null,
      value: this.#texts[name] ?? '',
      required: (parent.required ?? []).includes(key) && control !== 'tick',
      maxLength: schema.maxLength ?? null,
      rows: null,
      choices: choices ?? choicesOf(shape),
      suggestions: this.#options.suggestions?.[name] ?? [],
      hint: this.#hintOf(name, shape),
      unit: this.#unitOf(name, shape),
      errors: this.#errorsOf(name),
    };
  }

  #hintOf(name: string, { control, schema }: Shape): string | null {
    const { hints, choices } = this.#options;
    const hasLimits = control === 'number' && choices?.[name] === undefined;
    return hints?.[name] ?? (hasLimits ? limitsOf(schema) : null);
  }

  #unitOf(name: string, { control }: Shape): string | null {
    const { units, currency = null } = this.#options;
    return units?.[name] ?? (control === 'money' ? currency : null);
  }

  /** Says of a text that was refused what the field takes. */
  #explain(name: string, shape: Shape, label: string): void {
    const wrong = this.#errors.has(name)
      ? wrongText(shape, this.#texts[name] ?? '', this.#options.language)
      : null;
    if (wrong !== null) this.#errors.set(name, [`${label} ${wrong}.`]);
    this.#spoken(name, label);
  }

  /** What is wrong with a field, or with an entry of it that no control is for, in the words of the form. */
  #spoken(name: string, label: string): readonly string[] {
    const { language = 'en' } = this.#options;
    const say = (text: string) => inLanguage(language, text);
    const labelOf = (other: string) =>
      this.#options.labels?.[other] ?? (this.#names.has(other) ? wordsOf(other) : null);
    for (const [field, sentences] of this.#errors) {
      if (field !== name && !(isWithin(field, name) && !this.#drawn.includes(field))) continue;
      this.#errors.set(
        field,
        sentences.map((sentence) => fieldSentence(sentence, field, label, labelOf, say)),
      );
    }
    return this.#errors.get(name) ?? [];
  }

  /** Those of a list's entries too: they have no field of their own. */
  #errorsOf(name: string): string[] {
    return [...this.#errors].flatMap(([field, messages]) =>
      field === name || isWithin(field, name) ? messages : [],
    );
  }
}

/** A row under its name and kind; one that is empty, and the first, is open: there is nothing else to see. */
function foldedRow(fields: readonly FormField[], isFirst: boolean): FoldedFields {
  const own = fields.find(({ control, value }) => control === 'line' && value !== '')?.value ?? '';
  const kind = fields.find(({ control }) => control === 'choice');
  const words = kind?.choices.find(({ value }) => value === kind.value)?.label ?? '';
  const isOpen = fields.some(isWrong) || (isFirst && own === '');
  return { kind: 'folded', own, title: own === '' ? 'One more' : words, isOpen, items: fields };
}

/** `fields.3.kind` is in the column `fields.kind`. */
const columnOf = (name: string) => name.replace(/\.\d+\./, '.');

const IN_LANGUAGE = /^translations\.([a-z]{2})\./;

const CHOICE_WORDS: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

function choicesOf({ options }: Shape): readonly Choice[] {
  return options.map((value) => ({ value, label: CHOICE_WORDS[value] ?? wordsOf(value) }));
}

function isWithin(name: string, field: string): boolean {
  return name.startsWith(`${field}.`);
}
