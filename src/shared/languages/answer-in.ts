/** An answer's sentences in the language that its `Accept-Language` likes best; codes and names of fields stay. */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { acceptedLanguage } from '../language.ts';
import { phrasebook } from './phrasebook.ts';

/**
 * The answer itself where nothing of it is said in words. What is said in words says that it depends on the language,
 * in English too: whoever keeps it must not give it to others. The answer to a bid is nothing to keep.
 */
export function answerIn(header: string | undefined, reply: Reply): Reply {
  return saysSomething(reply.body)
    ? inTheirs(header, { ...reply, headers: { Vary: 'Accept-Language', ...reply.headers } })
    : inTheirs(header, reply);
}

function inTheirs(header: string | undefined, reply: Reply): Reply {
  if (header === undefined || header === '*') return reply;
  const { raw, body } = reply;
  const begins = typeof raw === 'string' ? TAKEN.exec(raw) : null;
  if (begins === null && !saysSomething(body)) return reply;
  const language = acceptedLanguage(header);
  const book = phrasebook(language);
  if (book === null) return reply;
  const say = (text: string) => book.say(text);
  const headers = { ...reply.headers, 'Content-Language': language };
  if (!saysSomething(body)) {
    const [whole = '', message = ''] = begins ?? [];
    const rest = String(raw).slice(whole.length);
    return {
      ...reply,
      raw: `{"success":true,"message":${JSON.stringify(say(message))}${rest}`,
      rawIsAscii: false,
      headers,
    };
  }
  const { message, errors } = body;
  const inLanguage = {
    message: say(message),
    ...(errors === undefined ? {} : { errors: mapped(errors, say) }),
  };
  return { ...reply, body: { ...body, ...inLanguage }, headers };
}

/** How the answer to a bid that was taken begins, which is JSON already. */
const TAKEN = /^\{"success":true,"message":"([^"\\]*)"/;

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
