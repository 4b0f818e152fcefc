/** Changes of many rows at once: the form of a table names the ticked ones, and the page says how it went. */
import type { OperationAnswer } from '../../../../adapters/http/operations.ts';
import { sentencesOf } from '../../../shared/refusal.ts';
import type { Desk, Notice } from '../frame/desk.ts';
import { attempt } from './desk-form.ts';

const MAX_LISTED = 10;

/** Changes each of the rows; the notice says how many were changed, and why the others were refused. */
export async function changeEach(
  desk: Desk,
  ids: readonly number[],
  change: (id: number) => Promise<OperationAnswer>,
): Promise<Notice> {
  const refused: string[] = [];
  for (const id of ids) {
    const tried = await attempt(desk, () => change(id));
    if ('refused' in tried) refused.push(`${id}: ${sentencesOf(tried.refused)}`);
  }
  return noticeOf(ids.length, refused);
}

/** `3 of 4 changed. 12: …` */
function noticeOf(wanted: number, refused: readonly string[]): Notice {
  if (wanted === 0) return { kind: 'warn', text: 'Nothing was selected.' };
  const done = `${wanted - refused.length} of ${wanted} changed.`;
  const more = refused.length > MAX_LISTED ? [`And ${refused.length - MAX_LISTED} more were refused.`] : [];
  const text = [done, ...refused.slice(0, MAX_LISTED), ...more].join(' ');
  return { kind: refused.length === 0 ? 'good' : 'warn', text };
}
