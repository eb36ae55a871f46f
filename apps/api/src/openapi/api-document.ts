import { bodyOf, encodedBody, jsonBody } from '@assay/leaderboard/formats';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { answerTagged, encodingOf, unlessKnown } from '../bodies/table-answer.js';

const ROOT = '/api/v1/openapi';
const PAGE = 'api/docs';

/**
 * Serves the OpenAPI document as JSON and YAML, and a page that shows it. The document is created
 * and serialised once, at the first request, because writing it as YAML takes more than 100 ms of
 * CPU time.
 */
export function serveApiDocument(app: NestFastifyApplication, make: () => OpenAPIObject): void {
  const server = app.getHttpAdapter().getInstance();
  const document = once(make);
  const bodies = {
    json: { type: 'application/json; charset=utf-8', body: once(() => jsonBody(document())) },
    yaml: {
      type: 'text/yaml; charset=utf-8',
      body: once(() => bodyOf(Buffer.from(stringify(document(), { aliasDuplicateObjects: false })))),
    },
  };
  for (const [extension, { type, body }] of Object.entries(bodies)) {
    server.get(`${ROOT}.${extension}`, async (request, reply) => {
      const encoding = encodingOf(request);
      const encoded = await encodedBody(body(), encoding);
      void reply.header('cache-control', 'no-cache');
      return reply.send(answerTagged(request, reply, encoded, { type, vary: 'accept-encoding', encoding }));
    });
  }
  // the page fetches the document, so that neither the page nor its script contains a copy
  SwaggerModule.setup(PAGE, app, {} as OpenAPIObject, {
    customSiteTitle: 'Assay API',
    raw: false,
    swaggerUrl: `${ROOT}.json`,
  });
  tagTexts(app, PAGE);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Sets an entity tag on the page and its script. The other files of the page already have one. */
function tagTexts(app: NestFastifyApplication, path: string): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', (request, reply, payload, done) => {
      if (!request.url.startsWith(`/${path}`) || typeof payload !== 'string' || reply.statusCode !== 200) {
        done(null, payload);
      } else {
        void reply.header('cache-control', 'no-cache');
        done(null, unlessKnown(request, reply, payload) ?? null);
      }
    });
}
