/** Prints `client.ts` of the TypeScript client: a class with one method for each operation of the description. */
import type { NamedOperation } from './operations.ts';

/** What the operation of a stream is given besides its arguments differs from all others. */
export function printTypescript(operations: readonly NamedOperation[]): string {
  const lists = operations.filter(({ isList }) => isList).map(({ name }) => `'${name}'`);
  return `/** Made from the API's description by \`npm run clients\`: one method for each operation, with its name. */
import { type CallOptions, Core, type LotEvent, type Operation, type StreamOptions } from './core.ts';
import type { AnswerOf, ArgsOf, RowOf } from './shapes.ts';
import type { components, operations } from './types.ts';

export { type CallOptions, type ClientOptions, type LotEvent, type StreamOptions } from './core.ts';
export { RostrumError } from './error.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhooks.ts';

/** The objects of the API, by name: \`Schemas['LotDetail']\`. */
export type Schemas = components['schemas'];

/** What a method takes: \`Args<'placeBid'>\`. */
export type Args<Name extends keyof operations> = ArgsOf<operations[Name]>;

/** What a method answers: \`Answer<'placeBid'>\`. */
export type Answer<Name extends keyof operations> = AnswerOf<operations[Name]>;

/** The operations that answer a list in pages. */
export type ListName = ${lists.join(' | ')};

const OPERATIONS = {
${operations.map(entryOf).join('\n')}
} satisfies Record<string, Operation>;

/** The API, one method for each operation. A method resolves to the answer as sent, or throws a \`RostrumError\`. */
export class Rostrum extends Core {
  /** Every row of a list, over all its pages. */
  each<Name extends ListName>(
    name: Name,
    args: Omit<Args<Name>, 'page'>,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<operations[Name]>> {
    return this.rows(OPERATIONS[name], args, options);
  }

${operations.map(methodOf).join('\n\n')}
}
`;
}

function entryOf({ name, method, path, query, body, answer, keyed, ofTeam }: NamedOperation): string {
  return `  ${name}: ${JSON.stringify({ method, path, query, body, answer, keyed, ofTeam })},`;
}

function methodOf(operation: NamedOperation): string {
  const { name, parameters, bodyRequired, isStream, answer, answerSchema } = operation;
  const needed = bodyRequired || parameters.some(({ required }) => required);
  const args = `args: Args<'${name}'>${needed ? '' : ' = {}'}`;
  if (isStream) {
    return `${commentOf(operation)}
  ${name}(${args}, options?: StreamOptions): AsyncGenerator<LotEvent> {
    return this.events(OPERATIONS.${name}, args, options);
  }`;
  }
  const result = answer === 'raw' ? 'Response' : answerSchema === null ? 'void' : `Answer<'${name}'>`;
  return `${commentOf(operation)}
  ${name}(${args}, options?: CallOptions): Promise<${result}> {
    return this.call(OPERATIONS.${name}, args, options);
  }`;
}

function commentOf({ summary, description, method, path }: NamedOperation): string {
  const lines = [
    `${summary}.`,
    ...(description === null ? [] : ['', description]),
    '',
    `\`${method} ${path}\``,
  ];
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n   */`;
}
