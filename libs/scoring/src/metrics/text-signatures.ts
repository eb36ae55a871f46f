import { signatureOf } from '../language/signature.js';
import type { TextRules } from '../language/text-rules.js';
import type { OutputType } from '../metric.js';
import { metricNamed } from './registry.js';

/**
 * Returns the signature of each of these metrics that compares texts, by name.
 *
 * @throws DomainError `unknown_metric`
 */
export const textSignatures = (
  names: readonly string[],
  output: OutputType,
  rules: TextRules,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const signature = signatureOf(metricNamed(name, output), rules);
      return signature === null ? [] : [[name, signature]];
    }),
  );
