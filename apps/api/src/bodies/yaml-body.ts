import { problemsText } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accessOf } from '../access/access.js';
import { expectBounded } from './yaml-bounds.js';
import { YamlSource } from './yaml-source.js';

const LONGEST_YAML = 2 ** 17;

const sources = new WeakMap<FastifyRequest, YamlSource>();

/** Parses YAML like JSON. */
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
      if (source.problems.length > 0 && accessOf(request).badYaml !== 'reported') done(noYaml(source));
      else done(null, source.value);
    },
  );
}

/** Returns the source of a YAML body. Undefined if the body is not YAML. */
export const yamlOf = (request: FastifyRequest): YamlSource | undefined => sources.get(request);

const noYaml = ({ problems }: YamlSource): DomainError =>
  new DomainError('invalid', 'bad_yaml', `This is not valid YAML: ${problemsText(problems)}`, problems);
