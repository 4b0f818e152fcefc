/**
 * Reads multipart forms with koa-body's parser: the declared files into a temporary folder, the text fields as text.
 * The pipeline calls it in the place of the JSON reader and removes the files when the handler has answered.
 */
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { objectIn } from '../../engine/objects.ts';
import { bodyFollows } from './body.ts';
import type { MultipartBody, MultipartForm, UploadedFile } from './endpoint.ts';
import { isStorable } from './json.ts';
import { type Problem, refuse } from './problem.ts';
import { MAX_DISCARDED_BYTES } from './rest-of-body.ts';
import type { ValidationErrors } from './validation-errors.ts';

type Fields = Record<string, unknown>;

/** Parses into `{fields, files}`; unknown, doubled and oversized parts are refused. */
export type UploadReader = (context: Context, errors: ValidationErrors) => Promise<MultipartForm<Fields>>;

const BIGGER_THAN_MAX_FILE_SIZE = 1009;
const BIGGER_THAN_TOTAL = 1016;

/**
 * `isPage`: a file that is too large is said on the form that it came with, so the form is read to its end; of others
 * the first byte too many ends it.
 */
export function uploadReader({ multipart }: MultipartBody, isPage = false): UploadReader {
  const limits = Object.values(multipart.files).map((file) => file.maxBytes);
  const maxFileSize = Math.max(1, ...limits) + (isPage ? MAX_DISCARDED_BYTES : 0);
  const names = Object.keys(multipart.files);
  const parse: Middleware = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    patchNode: false,
    formidable: {
      maxFileSize,
      maxTotalFileSize: maxFileSize * Math.max(1, names.length),
      maxFiles: names.length + 1,
      maxFields: 50,
      maxFieldsSize: 256 * 1024,
      allowEmptyFiles: true,
      minFileSize: 0,
    },
  });
  return async (context, errors) => {
    if (!/^multipart\/form-data *;/i.test(context.get('content-type'))) {
      throw refuse('unsupported_media_type', { message: 'The body must be multipart/form-data.' });
    }
    if (!bodyFollows(context.req)) return { fields: Object.create(null), files: {}, tooLarge: {} };
    try {
      await parse(context, async () => {});
    } catch (error) {
      drain(context.req);
      throw uploadProblem(error);
    }
    const files = filesOf(context, multipart.files, errors);
    const form = { fields: fieldsOf(context.request.body, errors), files, tooLarge: {} };
    const limitOf = (name: string) => multipart.files[name]?.maxBytes ?? maxFileSize;
    const tooLarge = Object.keys(files).filter((name) => (files[name]?.sizeBytes ?? 0) > limitOf(name));
    if (tooLarge.length === 0) return form;
    await removeUploads(form);
    if (!isPage) throw refuse('file_too_large');
    return {
      ...form,
      files: {},
      tooLarge: Object.fromEntries(tooLarge.map((name) => [name, limitOf(name)])),
    };
  };
}

/** Deletes what was uploaded. Never rejects: a file that does not exist is fine. */
export async function removeUploads(form: MultipartForm<unknown>): Promise<void> {
  const paths = Object.values(form.files).flatMap((file) => (file === undefined ? [] : [file.path]));
  await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => undefined)));
}

/**
 * The parser stops reading where it stops understanding; without this the sender would wait, and the next request
 * behind it.
 */
function drain(request: IncomingMessage): void {
  request.removeAllListeners('data');
  request.resume();
}

function uploadProblem(error: unknown): Problem {
  const { code } = objectIn(error);
  if (code === BIGGER_THAN_MAX_FILE_SIZE || code === BIGGER_THAN_TOTAL) return refuse('file_too_large');
  return refuse('malformed_form');
}

function fieldsOf(sent: unknown, errors: ValidationErrors): Fields {
  const fields: Fields = Object.create(null);
  for (const [name, value] of Object.entries(objectIn(sent))) {
    if (Array.isArray(value)) errors.add(name, `The ${name} field must not be given twice.`);
    else if (!isStorable(String(value)) || !isStorable(name)) {
      errors.add(name, `The ${name} field contains characters that are not allowed.`);
    } else fields[name] = String(value);
  }
  return fields;
}

function filesOf(
  context: Context,
  declared: MultipartBody['multipart']['files'],
  errors: ValidationErrors,
): Record<string, UploadedFile> {
  const files: Record<string, UploadedFile> = Object.create(null);
  for (const [name, sent] of Object.entries(context.request.files ?? {})) {
    const list = Array.isArray(sent) ? sent : [sent];
    if (list.length > 1) errors.add(name, `The ${name} field must not be given twice.`);
    if (!Object.hasOwn(declared, name)) errors.add(name, `The ${name} field is not recognized.`);
    list.forEach((file, at) => {
      // Doubles are kept under names of their own, so that they are removed with the others.
      files[at === 0 ? name : `${name}#${at}`] = {
        path: file.filepath,
        fileName: file.originalFilename ?? '',
        mimeType: file.mimetype ?? 'application/octet-stream',
        sizeBytes: file.size,
      };
    });
  }
  return files;
}
