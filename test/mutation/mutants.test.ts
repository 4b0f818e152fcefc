/** What `npm run mutate -- CONTEXT` plants: that each is one change of the code that still runs as it was. */
import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { mutantsOf, withMutants } from './mutants.ts';

const TEXT = `
const OUTSIDE = 1 < 2;
export function judge(age: number, isKnown: boolean, said: string[]): string {
  if (!isKnown && age < 18) return 'stranger';
  if (isKnown) said.push('known');
  else said.push('seen');
  return age >= 65 ? 'old' : 'young';
}
const sql = (column: string) => knex.raw(\`SELECT id FROM t WHERE \${column} = 1 AND NOT EXISTS (SELECT FROM u)\`);
`;

describe('mutants', () => {
  const mutants = mutantsOf('some.ts', TEXT);

  it('are comparisons, conditions, calls and words of SQL within functions', () => {
    expect(mutants.map(({ line, becomes }) => `${line} ${becomes}`)).to.deep.equal([
      '4 !isKnown || age < 18',
      '4 isKnown',
      '4 age <= 18',
      '5 ',
      '6 ',
      "7 age >= 65 ? 'young' : 'old'",
      '7 age > 65',
      `9 \`SELECT id FROM t WHERE \${column} = 1 AND EXISTS (SELECT FROM u)\``,
    ]);
  });

  it('change what the code does one at a time, and nothing while none is on', () => {
    const { code } = transformSync(withMutants('some.ts', TEXT), { loader: 'ts', format: 'cjs' });
    const play = (on: number | null) => {
      Object.assign(globalThis, { mutant: (_path: string, at: number) => at === on });
      const module: { exports: { judge?: (...args: unknown[]) => string } } = { exports: {} };
      new Function('module', 'knex', code)(module, {});
      const said: string[] = [];
      const judge = module.exports.judge ?? (() => '');
      const ages = [
        judge(18, false, said),
        judge(17, false, said),
        judge(65, true, said),
        judge(17, true, said),
      ];
      return `${ages.join(' ')} ${said.join(' ')}`;
    };
    const right = play(null);
    expect(right).to.equal('young stranger old young seen known known');
    const changed = [0, 1, 2, 3, 4, 5, 6].map(play);
    expect(changed).not.to.include(right);
    expect(new Set(changed).size).to.be.at.least(5);
    expect(play(7)).to.equal(right);
  });
});
