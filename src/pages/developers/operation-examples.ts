/**
 * An example of calling each operation: a line of curl with a path, query and body that fit, and what comes back. Made
 * from the API's description, as the reference around it is.
 */
import { type ExampleOptions, exampleOf, type Json } from './example-values.ts';

export interface OperationExample {
  /** Takes `$ROSTRUM_URL` and `$ROSTRUM_TOKEN` from the environment. */
  readonly curl: string;
  /** The body of the first success; empty where there is none in JSON. */
  readonly answer: string;
}

export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
  /** Looks a `$ref` up. */
  readonly resolved: ExampleOptions['resolved'];
}

export function exampleOfOperation(described: DescribedOperation): OperationExample {
  return { curl: curlOf(described), answer: answerOf(described) };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Json;
}

function curlOf({ method, path, operation, resolved }: DescribedOperation): string {
  const options = { resolved, whole: false };
  const parameters = (operation['parameters'] ?? []) as readonly Parameter[];
  const placeValue = ({ schema, name }: Parameter) =>
    encodeURIComponent(String(exampleOf(schema, name === 'id' ? 'id' : `${name}_id`, options)));
  const place = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, placeValue(one)), path);
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map((one) => `${one.name}=${encodeURIComponent(String(exampleOf(one.schema, one.name, options)))}`);
  const address = `"$ROSTRUM_URL${place}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const lines = [method === 'get' ? `curl ${address}` : `curl -X ${method.toUpperCase()} ${address}`];
  if (takesToken(operation)) lines.push('-H "Authorization: Bearer $ROSTRUM_TOKEN"');
  for (const one of parameters) {
    if (one.in === 'header' && (one.required === true || one.name === 'Idempotency-Key'))
      lines.push(`-H "${one.name}: ${headerValue(one, options)}"`);
  }
  return [...lines, ...bodyLines(operation, options)].join(' \\\n  ');
}

function headerValue(one: Parameter, options: ExampleOptions): string {
  return one.name === 'Idempotency-Key' ? 'my-bid-1' : String(exampleOf(one.schema, one.name, options));
}

function takesToken(operation: Json): boolean {
  const schemes = (operation['security'] ?? []) as readonly Json[];
  return (
    schemes.some((scheme) => 'bearer' in scheme) &&
    !schemes.some((scheme) => Object.keys(scheme).length === 0)
  );
}

function bodyLines(operation: Json, options: ExampleOptions): string[] {
  const body = operation['requestBody'] as
    | { readonly content: Readonly<Record<string, { schema: Json }>> }
    | undefined;
  const [type, content] = Object.entries(body?.content ?? {})[0] ?? [];
  if (type === undefined || content === undefined) return [];
  const value = exampleOf(content.schema, '', options);
  if (type === 'application/json') {
    const text = JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`);
    return ['-H "Content-Type: application/json"', `-d '${text}'`];
  }
  const fields = Object.entries(value as Json);
  const flag = type === 'multipart/form-data' ? '-F' : '-d';
  return fields.map(([name, one]) => `${flag} "${name}=${name === 'file' ? '@photo.jpg' : String(one)}"`);
}

function answerOf({ operation, resolved }: DescribedOperation): string {
  const answers = Object.entries(operation['responses'] as Json);
  const [, first] = answers.find(([status]) => status.startsWith('2')) ?? [];
  const content = (first as Json | undefined)?.['content'] as Readonly<Record<string, Json>> | undefined;
  const [type = '', media] = Object.entries(content ?? {})[0] ?? [];
  if (media === undefined || !/json$/.test(type)) return '';
  const given = media['example'];
  const schema = media['schema'] as Json | undefined;
  if (given === undefined && schema === undefined) return '';
  return JSON.stringify(given ?? exampleOf(schema ?? {}, '', { resolved, whole: true }), null, 2);
}
