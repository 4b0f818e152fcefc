/** Prints `client.py` of the Python client: a class with one method for each operation of the description. */
import type { NamedOperation, Parameter } from './operations.ts';
import { camelCase, isKeyword, type PythonTypes } from './python-types.ts';

/** The class, and what its types need from `types`. */
export function printPython(operations: readonly NamedOperation[], types: PythonTypes): string {
  return `"""Made from the API's description by \`npm run clients\`: one method for each operation, in snake_case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from .core import Core, filled, new_key

if TYPE_CHECKING:
    from typing import Literal

    from . import types


class Rostrum(Core):
    """The API, one method for each operation. A method returns the answer as sent, or raises a RostrumError."""

    def each_of(self, name: str, **params: Any) -> Iterator[Any]:
        """Every row of a list, over all its pages: \`each_of("list_lots", search="farm")\`."""
        return self._rows(getattr(self, name), params)

${operations.map((one) => methodOf(one, types)).join('\n\n')}
`;
}

function methodOf(operation: NamedOperation, types: PythonTypes): string {
  const { name, path, isStream } = operation;
  const signature = [
    ...argumentsOf(operation, types),
    ...(isStream ? ['last_event_id: str | None = None'] : optionsOf(operation)),
  ];
  const star = signature.length === 0 ? '' : `, *, ${signature.join(', ')}`;
  const inPath = operation.parameters.filter((one) => one.in === 'path').map(nameOf);
  const address =
    inPath.length === 0
      ? JSON.stringify(path)
      : `filled(${JSON.stringify(path)}, ${inPath.map((one) => `${one}=${one}`).join(', ')})`;
  const head = `    def ${snakeCase(name)}(self${star}) -> ${resultOf(operation, types)}:\n${docstringOf(operation)}`;
  if (isStream) return `${head}\n        return self._events(${address}, last_event_id)`;
  return `${head}\n        return self._call(${[JSON.stringify(operation.method), address, ...givenOf(operation)].join(', ')})`;
}

function resultOf({ name, isStream, answer, answerSchema }: NamedOperation, types: PythonTypes): string {
  if (isStream) return 'Iterator[types.LotEvent]';
  if (answer === 'raw') return 'bytes';
  return answerSchema === null ? 'None' : types.named(`${camelCase(name)}Answer`, answerSchema, 'types.');
}

/** What is needed comes first. */
function argumentsOf(operation: NamedOperation, types: PythonTypes): string[] {
  const { name, body, bodySchema, bodyRequired } = operation;
  const parameters = operation.parameters.filter((one) => !(operation.isStream && one.in === 'query'));
  const given = parameters.map((one): [boolean, string, string] => [
    one.required,
    nameOf(one),
    types.named(`${camelCase(name)}${camelCase(one.name)}`, one.schema, 'types.'),
  ]);
  if (body !== null) {
    const type =
      bodySchema === null ? 'dict[str, Any]' : types.named(`${camelCase(name)}Body`, bodySchema, 'types.');
    given.push([bodyRequired, 'body', type]);
  }
  return given
    .sort(([a], [b]) => Number(b) - Number(a))
    .map(([required, one, type]) => (required ? `${one}: ${type}` : `${one}: ${type} | None = None`));
}

function optionsOf({ keyed, ofTeam, answer }: NamedOperation): string[] {
  return [
    ...(keyed ? ['idempotency_key: str | None = None'] : []),
    ...(ofTeam ? ['team_id: int | None = None'] : []),
    ...(answer === 'raw' ? ['accept: str | None = None'] : []),
  ];
}

function givenOf({ parameters, body, answer, keyed, ofTeam }: NamedOperation): string[] {
  const query = parameters.filter((one) => one.in === 'query');
  const values = query.map((one) => `${JSON.stringify(one.name)}: ${nameOf(one)}`).join(', ');
  return [
    ...(query.length === 0 ? [] : [`{${values}}`]),
    ...(body === null ? [] : ['body=body']),
    ...(body === 'form' ? ['form=True'] : []),
    ...(answer === 'raw' ? ['raw=True', 'accept=accept'] : []),
    ...(keyed ? ['key=idempotency_key or new_key()'] : []),
    ...(ofTeam ? ['of_team=True', 'team_id=team_id'] : []),
  ];
}

function docstringOf({ summary, description, method, path }: NamedOperation): string {
  const lines = [
    `${summary}.`,
    ...(description === null ? [] : ['', description]),
    '',
    `\`\`${method} ${path}\`\``,
  ];
  const text = lines.join('\n        ').replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  return `        """${text.replaceAll(/ +\n/g, '\n')}\n        """`;
}

function nameOf({ name }: Pick<Parameter, 'name'>): string {
  return isKeyword(name) ? `${name}_` : name;
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<!^)([A-Z])/g, (capital) => `_${capital.toLowerCase()}`);
}
