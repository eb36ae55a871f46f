// Writes the OpenAPI document to the given file. Does not listen, and needs no database.
import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { ConsoleLogger } from '@nestjs/common';
import { createApi } from './bootstrap.js';
import { openApiDocument } from './openapi/openapi-document.js';

const [, , path = 'apps/api/openapi.json'] = process.argv;
process.env['DATABASE_URL'] ??= 'postgresql://nobody@127.0.0.1:1/none';
const app = await createApi(new ConsoleLogger({ logLevels: ['error'] }));
await writeFile(path, `${JSON.stringify(openApiDocument(app), null, 2)}\n`);
process.exit(0);
