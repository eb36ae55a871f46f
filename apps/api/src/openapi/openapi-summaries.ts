import type { OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** The first sentence, and what follows it. */
const FIRST_SENTENCE = /^(.*?\.)\s+(?=\p{Lu}|`)(.*)$/su;

/**
 * Splits the docstring of each route, which the compiler stores as its summary: the first sentence
 * becomes the summary, the rest the description.
 */
export function withSummaries(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation?.summary === undefined) continue;
      const text = operation.summary.replace(/\s+/g, ' ').trim();
      const [, first = text, rest] = FIRST_SENTENCE.exec(text) ?? [];
      operation.summary = first;
      if (rest !== undefined) operation.description = rest;
    }
  }
  return document;
}
