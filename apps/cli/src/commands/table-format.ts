import { contentOf } from '../connection/api.js';
import type { Output } from '../output.js';

export const TABLE_FORMATS = ['csv', 'latex', 'json'] as const;
export type TableForm = (typeof TABLE_FORMATS)[number];

/** Prints a table exactly as the server formatted it. */
export async function showTable(output: Output, answer: Promise<{ readonly data: unknown }>): Promise<void> {
  output.raw(String(await contentOf(answer)));
}
