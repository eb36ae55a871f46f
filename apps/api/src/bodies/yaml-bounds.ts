import { DomainError } from '@assay/kernel';
import { Lexer, Parser } from 'yaml';
import { tooDeep } from '../limits/payload-limits.js';

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
