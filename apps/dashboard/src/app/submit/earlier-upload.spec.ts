import { HttpHeaders } from '@angular/common/http';
import { describe, expect, it } from '@jest/globals';
import { isSameFile, readEarlier } from './earlier-upload.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const told = (more: Record<string, string> = {}): HttpHeaders =>
  new HttpHeaders({
    'upload-length': '900',
    'upload-offset': '400',
    'upload-metadata': `filename ${base64('modèle.tar')},modified ${base64('1700000000000')}`,
    ...more,
  });

describe('readEarlier', () => {
  it('reads how far the upload of which file is', () => {
    expect(readEarlier(told())).toEqual({ name: 'modèle.tar', size: 900, sent: 400, modified: 1_700_000_000_000 });
  });

  it('finds nothing where nothing was sent, or not by a page', () => {
    expect(readEarlier(told({ 'upload-offset': '0' }))).toBeNull();
    expect(readEarlier(told({ 'upload-metadata': `digest ${base64('ab')}` }))).toBeNull();
    expect(readEarlier(new HttpHeaders({ 'upload-defer-length': '1', 'upload-offset': '0' }))).toBeNull();
  });
});

describe('isSameFile', () => {
  const earlier = { name: 'a.tar', size: 3, sent: 1, modified: 5 };
  const file = (name: string, content: string, lastModified: number) => new File([content], name, { lastModified });

  it('takes the file that was begun, and no other', () => {
    expect(isSameFile(file('a.tar', 'abc', 5), earlier)).toBe(true);
    expect(isSameFile(file('b.tar', 'abc', 5), earlier)).toBe(false);
    expect(isSameFile(file('a.tar', 'abcd', 5), earlier)).toBe(false);
    expect(isSameFile(file('a.tar', 'abc', 6), earlier)).toBe(false);
  });
});
