import bytes from 'bytes';
import { z } from 'zod';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** The largest weight of a metric or dataset. Larger ones would cost the others their digits. */
export const LARGEST_WEIGHT = 1e6;

/**
 * An amount of bytes: a number, or a text like `4GiB`, `512 MiB`, `10 GB` or `10g`. Like Docker, it
 * reads all units as binary.
 */
export const ByteSize = z
  .union([z.number().int().positive(), z.string()])
  .transform((value, context) => {
    const parsed = typeof value === 'number' ? value : parseByteSize(value);
    if (parsed !== null && Number.isSafeInteger(parsed) && parsed > 0) return parsed;
    context.addIssue({ code: 'custom', message: `"${String(value)}" is not a size such as 512MiB or 4GiB` });
    return z.NEVER;
  })
  .pipe(z.number())
  .describe('Bytes, or a text like 4GiB');

function parseByteSize(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])i?)?b?\s*$/i.exec(text);
  return match ? Math.round(Number(match[1]) * UNITS[(match[2] ?? '').toLowerCase()]!) : null;
}

export const GIB = 2 ** 30;

/** Formats an amount of bytes for display: `3.2 GiB`. */
export function formatBytes(amount: number): string {
  const text = bytes.format(amount, { unitSeparator: ' ', decimalPlaces: 1 }) ?? String(amount);
  return text.replace(/([KMGT])B$/, '$1iB');
}

export const Slug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lowercase letters, digits or hyphens, and not start or end with a hyphen',
  )
  .describe('Small letters, digits and hyphens');

/** The name of a field in a line of a dataset. */
export const FieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be 1 to 64 letters, digits or _, and not start with a digit');

export const Digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a sha256 in hexadecimal');

/** A boolean query parameter: `?flag`, `?flag=true`, `?flag=false`. */
export const QueryFlag = z.enum(['', 'true', 'false']).transform((text) => text !== 'false');
