/** Uploads for tests: images drawn on the spot, multipart requests, and browsers that are signed in. */
import sharp from 'sharp';
import type { User } from '../../src/accounts/models/user.model.ts';
import { BrowserLike, signIn } from './browser-like.ts';
import type { Answer, Service } from './service.ts';

export interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly modelType?: string;
  readonly modelId: number | string;
}

/** A plain picture; the photographs of a test need not be pretty. */
export function aPicture(format: 'jpeg' | 'png' | 'webp' | 'gif', width = 64, height = 48): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#369' } })
    .toFormat(format)
    .toBuffer();
}

export const aPdf = (): Buffer => Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');

export function uploadForm(upload: Upload): FormData {
  const form = new FormData();
  form.set('model_type', upload.modelType ?? 'lot');
  form.set('model_id', String(upload.modelId));
  form.set(
    'file',
    new Blob([upload.bytes as Uint8Array<ArrayBuffer>], { type: upload.mimeType ?? 'image/jpeg' }),
    upload.fileName ?? 'picture.jpg',
  );
  return form;
}

export async function sendForm(
  service: Pick<Service, 'url'>,
  form: FormData,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(`${service.url}/api/v1/media`, {
    method: 'POST',
    headers: { ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Headers of a browser that is signed in as somebody with this password. */
export async function sessionHeaders(
  service: Pick<Service, 'url'>,
  user: Pick<User, 'email'>,
  password: string,
): Promise<Record<string, string>> {
  const browser = new BrowserLike(service.url);
  const answer = await signIn(browser, user.email, password);
  if (answer.status !== 303) throw new Error(`signing in failed: ${answer.status}`);
  await browser.get('/');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { cookie, 'x-csrf-token': browser.csrfToken };
}
