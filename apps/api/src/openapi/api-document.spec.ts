import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import 'reflect-metadata';
import { parse } from 'yaml';
import { serveApiDocument } from './api-document.js';

@Module({})
class NoModule {}

const INFO = { title: 'An API', version: '1' };

describe('the API document', () => {
  let app: NestFastifyApplication;
  let made = 0;
  /** How often a serialisation has read the document. */
  let serialised = 0;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(NoModule, new FastifyAdapter(), { logger: false });
    serveApiDocument(app, () => {
      made += 1;
      return {
        openapi: '3.1.0',
        paths: {},
        get info() {
          serialised += 1;
          return INFO;
        },
      } satisfies OpenAPIObject;
    });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app.close());

  it('is created and serialised once, however often it is read', async () => {
    const read = async (extension: string) => {
      const { statusCode, body } = await app.inject(`/api/v1/openapi.${extension}`);
      return { statusCode, document: extension === 'json' ? JSON.parse(body) : parse(body) };
    };
    const expected = { statusCode: 200, document: { openapi: '3.1.0', paths: {}, info: INFO } };
    expect(made).toBe(0);
    for (const extension of ['json', 'yaml']) expect(await read(extension)).toEqual(expected);
    const once = serialised;
    expect(once).toBeGreaterThanOrEqual(2);
    for (const extension of ['json', 'yaml', 'json', 'yaml']) expect(await read(extension)).toEqual(expected);
    expect([made, serialised]).toEqual([1, once]);
  });
});
