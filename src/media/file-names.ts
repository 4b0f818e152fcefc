/** File names as people send them: what is kept of one, and what a browser that saves the file gets. */
import contentDisposition from 'content-disposition';

const MAX_CHARACTERS = 255;

/** The last part of whatever path was sent, without characters that cannot be seen; never empty. */
export function keptFileName(sent: string, fallback: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? '';
  const visible = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  const kept = [...visible].slice(0, MAX_CHARACTERS).join('').trim();
  return kept === '' || /^\.+$/.test(kept) ? fallback : kept;
}

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
};

/** The `Content-Disposition` of a file; a name whose ending lies about the type gets the right one behind it. */
export function dispositionOf(fileName: string, mimeType: string, type: 'inline' | 'attachment'): string {
  const endings = ENDINGS[mimeType] ?? [];
  const ending = /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const name = endings.length === 0 || endings.includes(ending) ? fileName : `${fileName}.${endings[0]}`;
  // Plain ASCII for old clients; everybody else reads the name in UTF-8 alongside it.
  return contentDisposition(name, { type, fallback: name.replaceAll(/[^\x20-\x7e]/g, '_') });
}
