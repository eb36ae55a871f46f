import { problemsText } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { expectBounded } from './yaml-bounds.js';
import { YamlSource } from './yaml-source.js';

const LONGEST_YAML = 2 ** 17;
/** Where a text that is no YAML is an answer, not an error. */
const CHECKED = /^\/api\/v1\/task-checks(?:\?|$)/;

const sources = new WeakMap<FastifyRequest, YamlSource>();

/** Has YAML read as JSON would be. */
export function acceptYaml(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(
    ['application/yaml', 'application/x-yaml', 'text/yaml'],
    { parseAs: 'string', bodyLimit: LONGEST_YAML },
    (request, body, done) => {
      try {
        expectBounded(String(body));
      } catch (error) {
        done(error as Error);
        return;
      }
      const source = new YamlSource(String(body));
      sources.set(request, source);
      if (source.problems.length > 0 && !CHECKED.test(request.url)) done(noYaml(source));
      else done(null, source.value);
    },
  );
}

/** The body as it was written; undefined where it was no YAML. */
export const yamlOf = (request: FastifyRequest): YamlSource | undefined => sources.get(request);

const noYaml = ({ problems }: YamlSource): DomainError =>
  new DomainError('invalid', 'bad_yaml', `This is no YAML: ${problemsText(problems)}`, problems);
