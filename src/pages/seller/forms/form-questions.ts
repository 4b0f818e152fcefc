/** The order of a form whose fields answer questions: what few need is folded up, unless something in it is wrong. */
import { type FormGroup, type FormItem, type FormOptions, idOf } from './form-fields.ts';

/** The fields under their questions, and the rest folded up. */
export function arranged(
  items: readonly FormItem[],
  { questions = [], more }: FormOptions,
): readonly FormItem[] {
  if (more === undefined) return items;
  const groups = questions.map(({ legend, fields }, at): FormGroup => {
    const wanted = new Set(fields.map(idOf));
    const own = items.filter((item) => item.kind !== 'folded' && wanted.has(item.id));
    return { kind: 'group', id: `question-${at + 1}`, legend, hint: null, errors: [], items: own };
  });
  const rest = items.filter((item) => !groups.some((group) => group.items.includes(item)));
  return [...groups, { kind: 'folded', title: more, isOpen: rest.some(isWrong), items: rest }];
}

function isWrong(item: FormItem): boolean {
  if (item.kind === 'folded') return item.items.some(isWrong);
  return item.errors.length > 0 || (item.kind === 'group' && item.items.some(isWrong));
}
