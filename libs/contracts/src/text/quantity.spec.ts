import { describe, expect, it } from '@jest/globals';
import { ByteSize, FieldName, formatBytes, Slug } from './quantity.js';

describe('ByteSize', () => {
  it.each([
    [1024, 1024],
    ['1024', 1024],
    ['4GiB', 4 * 2 ** 30],
    ['512 MiB', 512 * 2 ** 20],
    ['1.5 KiB', 1536],
    ['10 GB', 10 * 2 ** 30],
    ['10g', 10 * 2 ** 30],
    ['2 tib', 2 * 2 ** 40],
  ])('reads %j as %i bytes', (written, bytes) => {
    expect(ByteSize.parse(written)).toBe(bytes);
  });

  it.each(['', 'lots', '4 apples', '4GiBs', '-1GB', '1.2.3GiB', '0', 0, -5, 1.5, '9999999TiB', null])(
    'refuses %j',
    (written) => {
      expect(ByteSize.safeParse(written).success).toBe(false);
    },
  );

  it('writes an amount as it would be read', () => {
    expect(formatBytes(4 * 2 ** 30)).toBe('4 GiB');
    expect(formatBytes(1536)).toBe('1.5 KiB');
    expect(formatBytes(12)).toBe('12 B');
  });
});

describe('names', () => {
  it.each(['nli', 'a', 'anli-r1', '0'])('takes the slug %j', (slug) => expect(Slug.safeParse(slug).success).toBe(true));

  it.each(['', 'A', '-a', 'a-', 'a_b', 'a/b', '..', 'a'.repeat(64)])('refuses the slug %j', (slug) =>
    expect(Slug.safeParse(slug).success).toBe(false),
  );

  it('takes for a field what stands as a key in JSON without surprises', () => {
    expect(['context', '_x', 'tag_2'].every((name) => FieldName.safeParse(name).success)).toBe(true);
    expect(['', '2nd', 'a b', 'a.b'].some((name) => FieldName.safeParse(name).success)).toBe(false);
  });
});
