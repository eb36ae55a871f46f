import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { All, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Access, accessOf, classOf, type RouteAccess, scopeOf } from './access.js';

@Controller('things')
class ThingsController {
  @Get(':id')
  @Access({ cost: 'costly' })
  get(): void {}

  @Post(':id')
  post(): void {}

  @All(['uploads/:id', 'uploads/:id/:upload'])
  @Access({ cost: 'upload', stream: 'artifact' })
  upload(): void {}
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

const COSTLY: RouteAccess = { cost: 'costly' };
const UPLOAD: RouteAccess = { cost: 'upload', stream: 'artifact' };

describe('the access of a route', () => {
  let app: NestFastifyApplication;
  let found: RouteAccess[];

  beforeEach(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, new FastifyAdapter(), { logger: false });
    app.setGlobalPrefix('api/v1');
    found = [];
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', (request, _reply, done) => {
        found.push(accessOf(request));
        done();
      });
    await app.init();
  });
  afterEach(() => app.close());

  it.each([
    ['GET', '/api/v1/things/1', COSTLY],
    ['HEAD', '/api/v1/things/1?a=b', COSTLY],
    ['GET', '/api/v1/%74hings/1', COSTLY],
    ['POST', '/api/v1/things/1', {}],
    ['POST', '/api/v1/things/uploads/1', UPLOAD],
    ['PATCH', '/api/v1/things/uploads/1/2', UPLOAD],
    ['DELETE', '/api/v1/things/1', {}],
    ['GET', '/elsewhere', {}],
  ] as const)('of %s %s is known before its body is read', async (method, url, expected) => {
    await app.inject({ method, url });
    expect(found).toEqual([expected]);
  });
});

describe('the class of a request', () => {
  it.each([
    ['GET', undefined, 'read'],
    ['HEAD', undefined, 'read'],
    ['PATCH', undefined, 'change'],
    ['DELETE', undefined, 'change'],
    ['GET', 'costly', 'costly'],
    ['HEAD', 'costly', 'costly'],
    ['POST', 'costly', 'costly'],
    ['GET', 'sign-in', 'sign-in'],
    ['PATCH', 'upload', 'upload'],
  ] as const)('for %s on a route that declares %s is %s', (method, declared, expected) => {
    expect(classOf(method, declared)).toBe(expected);
  });
});

describe('the scope that a token needs', () => {
  it.each([
    ['GET', undefined, 'read'],
    ['HEAD', 'submit', 'read'],
    ['POST', undefined, 'all'],
    ['POST', 'read', 'read'],
    ['PUT', 'submit', 'submit'],
    ['PATCH', { POST: 'submit', PATCH: 'submit' }, 'submit'],
    ['PUT', { POST: 'submit', PATCH: 'submit' }, 'all'],
  ] as const)('for %s on a route that declares %j is %s', (method, declared, expected) => {
    expect(scopeOf(method, declared)).toBe(expected);
  });
});

/** The files that use the pattern of a route, and what for. None of them decides on access. */
const USING_PATTERNS: Readonly<Record<string, string>> = {
  'models/artifact-reception.service.ts': 'the URL of an upload',
  'observability/observed-requests.ts': 'labels of metrics, logs and traces',
  'observability/security-log.ts': 'log lines',
  'openapi/openapi-document.ts': 'the documentation of which operations need a credential',
};
const SOURCES = dirname(import.meta.dirname);
/** The pattern of the router, a regular expression of URLs, or a string such as `GET /api/v1/…`. */
const PATTERN = /routeOptions\.url|\\\/api\\\/v1|'(?:[A-Z]+ )?\/api\/v1\/[^']*:|'[A-Z]+ \/api/;

describe('a guard, limit or hook', () => {
  it('reads the access of a route instead of its pattern', () => {
    const files = globSync('**/*.ts', { cwd: SOURCES, exclude: ['**/*.spec.ts'] });
    const using = files.filter((file) => PATTERN.test(readFileSync(join(SOURCES, file), 'utf8')));
    expect(using.toSorted()).toEqual(Object.keys(USING_PATTERNS));
  });
});
