/** The rule about casts that switch the compiler off. */
import { codeOf, type Sources } from './rules.ts';

/** How far above its cast a reason may stand, in lines. */
const REASON_LINES = 9;

/** Casts over `unknown`, which switch the compiler off, unless a comment `// Cast: …` above them says why. */
export function blindCasts(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = codeOf(text, false).split('\n');
    const reasons = text.split('\n').map((line) => line.includes('// Cast: '));
    return lines.flatMap((line, at) => {
      const hasReason = reasons.slice(Math.max(0, at - REASON_LINES), at).includes(true);
      return /\bas unknown as\b/.test(line) && !hasReason ? [`${path}:${at + 1} casts over unknown`] : [];
    });
  });
}
