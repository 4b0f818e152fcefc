/** What the form of a bid group was filled with, as the API takes it, and what the API answers, beside its fields. */
import type { Problem } from '../../../adapters/http/problem.ts';
import type { NewGroup } from '../../bidding/groups/change-groups.ts';
import type { GroupChoice } from '../../bidding/groups/group-choices.ts';
import type { Language } from '../../shared/language.ts';
import { invalid } from '../../shared/refusal.ts';
import { plainAmount } from '../../shared/typed-amount.ts';
import { registrationIn, type WayOut, wayOut } from '../components/way-out.ts';

export interface Wrong {
  readonly problems: readonly { readonly sentence: string; readonly id: string | null }[];
  /** The ids of the fields. */
  readonly fields: ReadonlySet<string>;
  readonly notice: { readonly kind: 'bad'; readonly text: string; readonly way: WayOut | null } | null;
}

export const NOTHING_WRONG: Wrong = { problems: [], fields: new Set(), notice: null };

const MIN_LOTS = 2;
/** The most lots that a group is of. */
export const MAX_LOTS = 20;
const MAXIMUM = /^max_([0-9]+)$/;
const NO_AMOUNT = 'Enter an amount above zero, such as 1,250.00.';

export type Filled = Readonly<Record<string, string>>;

/** The lots with a maximum, in order of wish; those without an order follow in the order of the form. */
export function wishOf(auctionId: number, filled: Filled, language: Language): NewGroup {
  const lots = Object.entries(filled).flatMap(([name, text]) => {
    const id = MAXIMUM.exec(name)?.[1];
    if (id === undefined || text.trim() === '') return [];
    const wish = Number.parseInt(filled[`wish_${id}`] ?? '', 10);
    return [
      {
        lotId: Number(id),
        maxAmount: plainAmount(text, language),
        index: wish > 0 ? wish : Number.MAX_VALUE,
      },
    ];
  });
  lots.sort((a, b) => a.index - b.index);
  return { auctionId, wanted: Number(filled['wanted']), lots };
}

/** Throws 422 for what no group can be. */
export function requireWish({ wanted, lots }: NewGroup): void {
  if (lots.length < MIN_LOTS) throw invalid({ lots: ['Give a maximum for at least two lots.'] });
  if (lots.length > MAX_LOTS) throw invalid({ lots: [`Give a maximum for at most ${MAX_LOTS} lots.`] });
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > lots.length)
    throw invalid({ wanted: [`Want between 1 and ${lots.length} of the lots.`] });
}

/** A refusal as the form shows it. */
export function problemsOf({ code, message, errors }: Problem, { lots }: NewGroup, slug: string): Wrong {
  if (errors === undefined) {
    const notice = { kind: 'bad' as const, text: message, way: wayOut(code ?? null, registrationIn(slug)) };
    return { ...NOTHING_WRONG, notice };
  }
  const problems = Object.entries(errors).flatMap(([field, sentences]) => {
    const lot = lots[Number(/^lots\.([0-9]+)\./.exec(field)?.[1] ?? -1)];
    const id = lot === undefined ? (field === 'wanted' ? 'wanted' : null) : `max_${lot.lotId}`;
    const isAmount = lot !== undefined && code === 'validation_failed';
    return sentences.map((sentence) => ({ id, sentence: isAmount ? NO_AMOUNT : sentence }));
  });
  return { problems, fields: new Set(problems.flatMap(({ id }) => id ?? [])), notice: null };
}

/** The form's rows. */
export function formChoices(choices: readonly GroupChoice[], filled: Filled, { fields }: Wrong) {
  return choices.map((choice) => ({
    ...choice,
    max: filled[`max_${choice.id}`] ?? '',
    wish: filled[`wish_${choice.id}`] ?? '',
    isWrong: fields.has(`max_${choice.id}`),
  }));
}
