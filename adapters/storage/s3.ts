/**
 * Files in a bucket of S3 or of what speaks like it. Uploads are single PUTs of known length, which S3 shows whole or
 * not at all; checksums beyond what S3 requires are off, because many other servers do not know them.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import {
  type ByteRange,
  isSafeKey,
  type ListedFile,
  requireSafeKey,
  type Storage,
  StorageUnavailable,
  type StoredFile,
} from './storage.ts';

export interface S3Address {
  readonly bucket: string;
  /** Before every key, without slashes at its ends; empty for none. */
  readonly prefix: string;
  /** Null: Amazon's own for the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Without them the SDK reads its defaults: environment, profile, the machine's role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 30_000 };
const PAGE = 1_000;

export class S3Storage implements Storage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(address: S3Address) {
    this.#bucket = address.bucket;
    this.#prefix = address.prefix === '' ? '' : `${address.prefix}/`;
    this.#client = new S3Client({
      region: address.region,
      // Servers at their own address seldom have a name per bucket.
      ...(address.endpoint === null ? {} : { endpoint: address.endpoint, forcePathStyle: true }),
      ...(address.credentials === undefined ? {} : { credentials: address.credentials }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: TIMEOUTS,
      maxAttempts: 2,
    });
  }

  async put(key: string, path: string, contentType: string): Promise<void> {
    const object = this.#object(key);
    const { size } = await stat(path);
    const body = createReadStream(path);
    try {
      await orUnavailable(
        this.#client.send(
          new PutObjectCommand({ ...object, Body: body, ContentLength: size, ContentType: contentType }),
        ),
      );
    } finally {
      body.destroy();
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const object = this.#object(key);
    const found = await orMissing(this.#client.send(new GetObjectCommand({ ...object, ...part })));
    if (found === null) return null;
    if (found.Body instanceof Readable) return found.Body;
    throw unavailable(new TypeError('the answer has no stream'));
  }

  async head(key: string): Promise<StoredFile | null> {
    const found = await orMissing(this.#client.send(new HeadObjectCommand(this.#object(key))));
    if (found === null) return null;
    return { sizeBytes: found.ContentLength ?? 0, modifiedAtMs: found.LastModified?.getTime() ?? 0 };
  }

  async delete(key: string): Promise<void> {
    await orMissing(this.#client.send(new DeleteObjectCommand(this.#object(key))));
  }

  async *list(): AsyncIterable<ListedFile> {
    let token: string | undefined;
    do {
      const page = await orUnavailable(
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: this.#prefix,
            MaxKeys: PAGE,
            ContinuationToken: token,
          }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const key = Key.slice(this.#prefix.length);
        if (isSafeKey(key)) yield { key, sizeBytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  close(): void {
    this.#client.destroy();
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${requireSafeKey(key)}` };
  }
}

async function orMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    // A bucket that is not there is a 404 too, and no reason to call a file missing.
    if (error instanceof S3ServiceException && error.name !== 'NoSuchBucket') {
      if (error.$metadata.httpStatusCode === 404) return null;
    }
    throw unavailable(error);
  }
}

function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => Promise.reject(unavailable(error)));
}

function unavailable(cause: unknown): StorageUnavailable {
  return new StorageUnavailable(`the file storage does not answer: ${String(cause)}`, { cause });
}
