/** Run as a process of its own: reads an OpenAPI document from a file and writes its types into another. */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

const [document, types] = process.argv.slice(2) as [string, string];
const schema = JSON.parse(await readFile(document, 'utf8')) as OpenAPI3;
await writeFile(types, astToString(await openapiTypescript(schema)));
