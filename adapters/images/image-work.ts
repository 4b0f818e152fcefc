/**
 * Requests to the process that reads uploaded files, and its answers: the messages between `image-workshop.ts` and
 * `image-process.ts`. Files are named by their paths; no bytes cross.
 */

/**
 * Says what an upload is; an image is re-encoded to `main`, upright and without metadata, and scaled down to `thumb`.
 */
export interface PrepareWork {
  readonly kind: 'prepare';
  readonly input: string;
  readonly main: string;
  readonly thumb: string;
  /** Images beyond this are not read. */
  readonly maxImageBytes: number;
  /** What is done to it. */
  readonly edit?: ImageEdit;
}

/** Turned clockwise by quarters, then cropped to a part of its width and height, from 0 to 1. */
export interface ImageEdit {
  readonly turn: number;
  readonly crop: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  } | null;
}

/** Writes an image to `output`, at most `maxPixels` wide and high. */
export interface ResizeWork {
  readonly kind: 'resize';
  readonly input: string;
  readonly output: string;
  readonly maxPixels: number;
  /** Default WebP; a PDF takes JPEG. */
  readonly form?: 'jpeg';
}

export type ImageWork = PrepareWork | ResizeWork;

export type Prepared =
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'broken'; readonly reason: 'pixels' | 'unreadable' }
  | { readonly kind: 'document'; readonly mimeType: 'application/pdf'; readonly extension: 'pdf' }
  | {
      readonly kind: 'image';
      readonly mimeType: string;
      readonly extension: string;
      readonly width: number;
      readonly height: number;
    };

export interface Resized {
  readonly kind: 'resized' | 'broken';
}

export type ImageAnswer = Prepared | Resized;

export interface WorkMessage {
  readonly id: number;
  readonly work: ImageWork;
}

export interface AnswerMessage {
  readonly id: number;
  readonly answer?: ImageAnswer;
  /** A fault of ours or of the machine; what is wrong with the file is an answer. */
  readonly fault?: string;
}

export const MAX_IMAGE_PIXELS = 100_000_000;
export const THUMBNAIL_PIXELS = 400;
export const MEDIUM_PIXELS = 1_200;
