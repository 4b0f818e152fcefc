/** The rule that a format is known by name in its own folder and in the lists of formats alone. */
import { FORMAT_NAMES } from '../../engine/formats/formats.ts';
import { importsOf, resolve, type Sources } from './rules.ts';

/** Who may know a format by name, beside the list of formats: with the reason. */
const KNOW_A_FORMAT: Readonly<Record<string, string>> = {
  'engine/formats/formats.ts': 'the list of formats',
  'src/pages/developers/worked-examples.ts': 'examples of the first format’s rules',
};

/** Who may write a format's name down, beside the formats' folders: with the reason. */
const NAME_A_FORMAT: Readonly<Record<string, string>> = {
  'src/shared/format-fields.ts': 'the list of what each format takes',
  'src/tools/demo/more-auctions.ts': 'an auction of each format',
};

/** The first one's is also an auction's type, and what an auction is where nothing is said. */
const NAMES = FORMAT_NAMES.filter((name) => name !== 'timed').join('|');
const NAMED = new RegExp(`['"\`](?:${NAMES})['"\`]|^ *(?:${NAMES}):`, 'm');

/** Code that asks for a format by its name, or lists something by it. */
export function formatsNamed(sources: Sources): string[] {
  const elsewhere = [...sources].filter(
    ([path]) => !/^(engine|src\/pages)\/formats\//.test(path) && NAME_A_FORMAT[path] === undefined,
  );
  return elsewhere.flatMap(([path, text]) => {
    const found = NAMED.exec(text)?.[0];
    return found === undefined ? [] : [`${path} has ${found.trim()}: it works with every format`];
  });
}

/** Arrows into a format's folder: everybody else works through the interface that all formats have. */
export function formatsByName(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    if (KNOW_A_FORMAT[path] !== undefined) continue;
    for (const specifier of importsOf(text)) {
      const room = /^engine\/formats\/[a-z-]+(?=\/)/.exec(resolve(path, specifier))?.[0];
      if (room === undefined || path.startsWith(`${room}/`)) continue;
      wrong.push(`${path} imports ${specifier}: it works with every format`);
    }
  }
  return wrong;
}
