/** An answer's sentences in the language that its `Accept-Language` likes best; codes and names of fields stay. */
import type { Reply } from '../../../adapters/http/endpoint.ts';
import { acceptedLanguage } from '../language.ts';
import { phrasebook } from './phrasebook.ts';

/** The answer itself where nothing of it is said in words, or English is wanted. */
export function answerIn(header: string | undefined, reply: Reply): Reply {
  if (header === undefined || header === '*') return reply;
  const isText = typeof reply.raw === 'string' && reply.contentType === undefined;
  if (!isText && !saysSomething(reply.body)) return reply;
  const language = acceptedLanguage(header);
  const book = phrasebook(language);
  if (book === null) return reply;
  const say = (text: string) => book.say(text);
  const headers = { ...reply.headers, 'Content-Language': language };
  if (!saysSomething(reply.body))
    return { ...reply, raw: saidInText(String(reply.raw), say), rawIsAscii: false, headers };
  const { message, errors } = reply.body;
  const said = { message: say(message), ...(errors === undefined ? {} : { errors: mapped(errors, say) }) };
  return { ...reply, body: { ...reply.body, ...said }, headers };
}

/** An answer that is JSON already: of a bid that was taken. */
function saidInText(json: string, say: (text: string) => string): string {
  return json.replace(/"message":("(?:[^"\\]|\\.)*")/, (whole, message: string) => {
    const text: unknown = JSON.parse(message);
    return typeof text === 'string' ? `"message":${JSON.stringify(say(text))}` : whole;
  });
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
