/** The fonts of our papers, which have Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. */
import { fileURLToPath } from 'node:url';

export const REGULAR = fontFile('DejaVuSans.ttf');
export const BOLD = fontFile('DejaVuSans-Bold.ttf');

function fontFile(name: string): string {
  return fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}`));
}
