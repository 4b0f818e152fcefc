/**
 * An example of calling each operation: a line of curl with a matching path, query and body, and its answer. Made
 * from the API's description, as the reference around it is.
 */
import { objectIn, objectsIn } from '../../../engine/objects.ts';
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
  readonly required: boolean;
  readonly schema: Json;
}

function parameterOf(reference: Json): Parameter {
  const { name, required, schema } = reference;
  return {
    in: String(reference['in']),
    name: String(name),
    required: required === true,
    schema: objectIn(schema),
  };
}

function curlOf({ method, path, operation, resolved }: DescribedOperation): string {
  const options = { resolved, whole: false };
  const parameters = objectsIn(operation['parameters']).map(parameterOf);
  const parameterValue = ({ schema, name }: Parameter) =>
    encodeURIComponent(String(exampleOf(schema, name === 'id' ? 'id' : `${name}_id`, options)));
  const filledPath = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, parameterValue(one)), path);
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${encodeURIComponent(String(exampleOf(one.schema, one.name, options)))}`);
  const address = `"$ROSTRUM_URL${filledPath}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const lines = [method === 'get' ? `curl ${address}` : `curl -X ${method.toUpperCase()} ${address}`];
  if (takesToken(operation)) lines.push('-H "Authorization: Bearer $ROSTRUM_TOKEN"');
  for (const one of parameters) {
    if (one.in === 'header' && (one.required || one.name === 'Idempotency-Key'))
      lines.push(`-H "${one.name}: ${headerValue(one, options)}"`);
  }
  return [...lines, ...bodyLines(operation, options)].join(' \\\n  ');
}

function headerValue(one: Parameter, options: ExampleOptions): string {
  return one.name === 'Idempotency-Key' ? 'my-bid-1' : String(exampleOf(one.schema, one.name, options));
}

function takesToken(operation: Json): boolean {
  const schemes = objectsIn(operation['security']);
  return (
    schemes.some((scheme) => 'bearer' in scheme) &&
    !schemes.some((scheme) => Object.keys(scheme).length === 0)
  );
}

function bodyLines(operation: Json, options: ExampleOptions): string[] {
  const [type, media] = firstMedia(operation['requestBody']);
  if (media === null) return [];
  const value = exampleOf(objectIn(media['schema']), '', options);
  if (type === 'application/json') {
    const text = JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`);
    return ['-H "Content-Type: application/json"', `-d '${text}'`];
  }
  const fields = Object.entries(objectIn(value));
  const flag = type === 'multipart/form-data' ? '-F' : '-d';
  return fields.map(([name, one]) => `${flag} "${name}=${name === 'file' ? '@photo.jpg' : String(one)}"`);
}

function answerOf({ operation, resolved }: DescribedOperation): string {
  const answers = Object.entries(objectIn(operation['responses']));
  const [, first] = answers.find(([status]) => status.startsWith('2')) ?? [];
  const [type, media] = firstMedia(first);
  if (media === null || !/json$/.test(type)) return '';
  const { example, schema } = media;
  if (example === undefined && schema === undefined) return '';
  return JSON.stringify(example ?? exampleOf(objectIn(schema), '', { resolved, whole: true }), null, 2);
}

/** The first type that a body or an answer may have, and what it says of it. */
function firstMedia(holder: unknown): readonly [type: string, media: Json | null] {
  const [type, media] = Object.entries(objectIn(objectIn(holder)['content']))[0] ?? [];
  return type === undefined ? ['', null] : [type, objectIn(media)];
}
