/** The text of a PDF of ours, by the maps from glyphs to letters that it must have: what people copy and search. */
import { inflateSync } from 'node:zlib';

/** All that is written in it, one line for each piece of text. */
export function pdfText(file: Buffer): string {
  const raw = file.toString('latin1');
  const objects = new Map<string, string>();
  for (const [, id, body] of raw.matchAll(/\n(\d+) 0 obj\n(.*?)\nendobj/gs))
    objects.set(id!, streamOf(body!));
  const fonts = new Map<string, Map<string, string>>();
  for (const body of objects.values()) {
    for (const [, name, id] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!) ?? '') ?? [];
      fonts.set(name!, lettersOf(objects.get(map ?? '') ?? ''));
    }
  }
  const lines: string[] = [];
  for (const body of objects.values()) {
    let letters = new Map<string, string>();
    for (const [, font, text] of body.matchAll(/\/(F\d+) [\d.]+ Tf|\[(<[^\]]*)\] TJ/g)) {
      if (font !== undefined) letters = fonts.get(font) ?? letters;
      else {
        const glyphs = [...text!.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g) ?? []);
        lines.push(glyphs.map((glyph) => letters.get(glyph) ?? '?').join(''));
      }
    }
  }
  return lines.join('\n');
}

function streamOf(body: string): string {
  const [, stream] = /stream\n(.*)\nendstream/s.exec(body) ?? [];
  if (stream === undefined || !body.includes('/FlateDecode')) return body;
  return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
}

/** A map counts its glyphs from where a range begins. */
function lettersOf(map: string): Map<string, string> {
  const letters = new Map<string, string>();
  for (const [, from, list] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/gs)) {
    for (const [index, [, hex]] of [...list!.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const glyph = (Number.parseInt(from!, 16) + index).toString(16).padStart(4, '0');
      letters.set(glyph, Buffer.from(hex!.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    }
  }
  return letters;
}
