import { DomainError } from '@assay/kernel';
import { Lexer, Parser } from 'yaml';
import { tooDeep } from './readable-bodies.js';

/** Words and signs; a large definition of a task has a thousand. Parsing takes longer than in proportion to them. */
const MOST_SIGNS = 10_000;
/** Of the parser's stack, which takes up to two places for each level. */
const DEEPEST_STACK = 64;

/**
 * Refuses YAML that would keep the process busy for minutes, or end it: beyond some depth the composer overflows the stack, and V8 itself then may fail. Neither the
 * lexer nor the parser before it recurses.
 * @throws DomainError `too_deep`, `too_many_values`
 */
export function expectBounded(text: string): void {
  const parser = new Parser();
  let signs = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    signs += 1;
    if (signs > MOST_SIGNS) {
      const sentence = `This YAML has more than ${MOST_SIGNS} words and signs: that is not read. Send it as JSON.`;
      throw new DomainError('invalid', 'too_many_values', sentence);
    }
    if (parser.stack.length > DEEPEST_STACK) throw tooDeep();
  }
}
