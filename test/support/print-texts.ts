/** Prints what each language lacks, and what it has that nobody says: `npm run texts`. */
import { LANGUAGE_CODES } from '../../src/shared/language.ts';
import { textsOf } from '../../src/shared/languages/phrasebook.ts';
import { textsOfService } from './texts.ts';

const needed = textsOfService();
for (const language of LANGUAGE_CODES.filter((code) => code !== 'en')) {
  const texts = textsOf(language);
  const missing = [...needed].filter(([text]) => !(text in texts));
  const unused = Object.keys(texts).filter((text) => !needed.has(text));
  process.stdout.write(`${language}: ${missing.length} missing, ${unused.length} that nobody says\n`);
  for (const [text, file] of missing) process.stdout.write(`  missing  ${JSON.stringify(text)}  ${file}\n`);
  for (const text of unused) process.stdout.write(`  unused   ${JSON.stringify(text)}\n`);
}
