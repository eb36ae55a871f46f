import { describe, expect, it } from '@jest/globals';
import type { Header } from 'tar-stream';

import { ImageContents } from './image-contents.js';

describe('the contents of an image', () => {
  it('are refused beyond a million entries', () => {
    const contents = new ImageContents('', ['/serve']);
    const header = fileHeader('x');
    for (let count = 0; count < 1_000_000; count++) contents.place(header);

    expect(() => contents.place(header)).toThrow('more than 1000000 entries');
  }, 60_000);

  it('are refused where names would take hours to go through', () => {
    const contents = new ImageContents('', ['/serve']);
    const deep = 'a/'.repeat(2000);
    const fill = (): void => {
      for (let count = 0; count < 10_000; count++) contents.place(fileHeader(`${deep}${count}`));
    };

    expect(fill).toThrow('too long and too deep');
  }, 60_000);

  it('are refused where the names of a layer would fill the memory', () => {
    const contents = new ImageContents('', ['/serve']);
    const long = 'a'.repeat(240);
    const fill = (): void => {
      for (let count = 0; count < 600_000; count++) contents.place(fileHeader(`${long}${count}`));
    };

    expect(fill).toThrow('names of a layer take more than 134217728 bytes');
  }, 60_000);
});

function fileHeader(name: string): Header {
  return {
    name,
    type: 'file',
    size: 0,
    mode: 0o644,
    uid: 0,
    gid: 0,
    mtime: new Date(0),
    linkname: '',
    uname: '',
    gname: '',
    devmajor: 0,
    devminor: 0,
    pax: null,
  };
}
