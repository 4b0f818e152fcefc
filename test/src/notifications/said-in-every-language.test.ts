/** Whatever a notification says, it says in the language of whom it is for, however long the names in it are. */
import { expect } from 'chai';
import { KIND_NAMES, type Notified, notificationText } from '../../../src/notifications/kinds/kinds.ts';
import { LANGUAGE_CODES } from '../../../src/shared/language.ts';
import { wordsIn } from '../../../src/shared/languages/phrasebook.ts';

const TITLE = 'Snap-on roller cabinet, eleven drawers, formerly of the Miller workshop in Emporia';
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ title: TITLE, amount: '1250.00', bid: '900.00', currency: 'usd', count: 3, reason: 'Wolkenbruch.' },
  ...{
    lots: [{ title: TITLE, end_time: '2026-11-28T12:00:00Z' }],
    changes: 'The end is later.',
    hours: 48,
    leads: 'left',
  },
  set: { amount: '1250.00', numbers: [1, 3] },
};
/** A row's data of any kind: what is not above is a name. */
const DATA = new Proxy(VALUES, { get: (known, name) => known[String(name)] ?? 'Xaver' });

describe('notifications in other languages', () => {
  for (const code of LANGUAGE_CODES.filter((one) => one !== 'en'))
    it(`leave nothing in English: ${code}`, () => {
      const left = KIND_NAMES.flatMap((kind) => {
        // Cast: any data that has what the text asks for.
        const { title, words, details = [] } = notificationText({ kind, lot_id: 1, data: DATA } as Notified);
        const said = [title, words, ...details].filter((text) => wordsIn('en', text) !== TITLE);
        const stays = said.filter((text) => wordsIn(code, text) === wordsIn('en', text));
        return stays.map((text) => `${kind}: ${wordsIn('en', text)}`);
      });
      expect(left).to.deep.equal([]);
    });
});
