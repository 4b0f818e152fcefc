/**
 * Request targets as servers have to take them (RFC 9112, 3.2.2): a target in absolute form is the path that it names,
 * sent to the host that it names. `mount.ts` calls it before anything reads the request.
 */
import type { IncomingMessage } from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)([/?].*)?$/i;

/** Turns an absolute-form target into its path, in place, with its host in `Host`; does not change other requests. */
export function inOriginForm(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const [, authority, target = '/'] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined) return;
  request.url = target.startsWith('?') ? `/${target}` : target;
  request.headers.host = authority.slice(authority.lastIndexOf('@') + 1);
}
