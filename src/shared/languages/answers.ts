/** An answer's sentences in the language that its `Accept-Language` likes best; codes and names of fields stay. */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { acceptedLanguage } from './languages.ts';
import { phrasebook } from './phrasebook.ts';

/** The answer itself where nothing of it is said in words, or English is wanted. */
export function answerIn(header: string | undefined, reply: Reply): Reply {
  if (header === undefined || header === '*' || !saysSomething(reply.body)) return reply;
  const language = acceptedLanguage(header);
  const book = phrasebook(language);
  if (book === null) return reply;
  const { message, errors } = reply.body;
  const body = {
    ...reply.body,
    message: book.say(message),
    ...(errors === undefined ? {} : { errors: mapped(errors, (text) => book.say(text)) }),
  };
  return { ...reply, body, headers: { ...reply.headers, 'Content-Language': language } };
}

interface Sentences {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

function saysSomething(body: unknown): body is Sentences {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
}

function mapped(errors: NonNullable<Sentences['errors']>, say: (text: string) => string) {
  return Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, texts.map(say)]));
}
