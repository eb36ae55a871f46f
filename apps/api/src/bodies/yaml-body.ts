import { problemsText } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accessOf } from '../access/access.js';
import { tooDeep } from '../limits/payload-limits.js';
import { YamlSource } from './yaml-source.js';
import { Lexer, Parser } from 'yaml';

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

/**
 * The maximum number of lexemes. A large task definition has a thousand. Parsing time grows faster
 * than their number.
 */
const MOST_SIGNS = 10_000;
/** The maximum size of the parser's stack, which takes up to two entries per level. */
const DEEPEST_STACK = 64;

/**
 * Rejects YAML that would block the process for minutes or end it: beyond some depth the composer
 * overflows the stack, and then V8 itself may fail. The lexer and the parser, which run before it,
 * do not recurse.
 * @throws DomainError `too_deep`, `too_many_values`
 */
export function expectBounded(text: string): void {
  const parser = new Parser();
  let signs = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    signs += 1;
    if (signs > MOST_SIGNS) {
      const sentence = `The YAML is too long: the limit is ${MOST_SIGNS} words and signs. Send it as JSON.`;
      throw new DomainError('invalid', 'too_many_values', sentence);
    }
    if (parser.stack.length > DEEPEST_STACK) throw tooDeep();
  }
}
