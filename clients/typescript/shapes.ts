/** What a method takes and answers, from the operation's type in the description. */

/** Path and query parameters in one object, and `body` where there is one. */
export type ArgsOf<Op> = Part<Op, 'path'> & Part<Op, 'query'> & Body<Op>;

/** The answer as it is sent: `data`, and `meta` or `message` where the operation has them. */
export type AnswerOf<Op> = Op extends { responses: infer Answers }
  ? Json<Answers[keyof Answers & (200 | 201 | 202)]>
  : never;

/** A row of a list, which has its rows in `data` or in `data.data`. */
export type RowOf<Op> =
  AnswerOf<Op> extends { data: (infer Row)[] }
    ? Row
    : AnswerOf<Op> extends { data: { data: (infer Row)[] } }
      ? Row
      : never;

type Part<Op, Where extends 'path' | 'query'> = Op extends { parameters: { [_ in Where]?: infer Given } }
  ? [NonNullable<Given>] extends [never]
    ? unknown
    : NonNullable<Given>
  : unknown;

type Body<Op> = Op extends { requestBody: { content: infer Content } }
  ? { body: Sent<Content> }
  : Op extends { requestBody?: { content: infer Content } }
    ? { body?: Sent<Content> }
    : unknown;

type Sent<Content> = Content extends { 'application/json': infer Value }
  ? Value
  : FormData | Readonly<Record<string, string | number | Blob>>;

type Json<Answer> = Answer extends { content: infer Content }
  ? Content extends { 'application/json': infer Value } | { 'application/geo+json': infer Value }
    ? Value
    : never
  : never;
