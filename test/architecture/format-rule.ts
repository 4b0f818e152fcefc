/** The rule that a format is known by name in its own folder and in the list of formats alone. */
import { importsOf, resolve, type Sources } from './rules.ts';

/** Who may know a format by name, beside the list of formats: with the reason. */
const KNOW_A_FORMAT: Readonly<Record<string, string>> = {
  'engine/formats/formats.ts': 'the list of formats',
  'src/pages/developers/worked-examples.ts': 'examples of the first format’s rules',
};

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
