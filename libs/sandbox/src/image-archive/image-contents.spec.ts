import { describe, expect, it } from '@jest/globals';
import type { Header } from 'tar-stream';

import { CONTENT_LIMITS, type ContentLimits, ImageContents } from './image-contents.js';

const limits: ContentLimits = {
  entries: 10_000,
  names: 10_000,
  symlinks: 1000,
  symlinkBytes: 100_000,
  lookupBytes: 20_000_000,
};

describe('the contents of an image', () => {
  it('are refused beyond a number of entries, with what to do about it', () => {
    const contents = new ImageContents('', ['/serve'], { ...limits, entries: 1000 });
    const header = fileHeader('x');
    for (let count = 0; count < 1000; count++) contents.place(header);

    expect(() => contents.place(header)).toThrow(/more than 1000 files.*Leave out caches/);
  }, 60_000);

  it('may have 500,000 entries unless told otherwise', () => {
    expect(CONTENT_LIMITS.entries).toBe(500_000);
  });

  it('may have as many entries as the limit in all layers together, and not one more', () => {
    const contents = new ImageContents('', ['/serve'], { ...limits, entries: 1000 });
    const header: Header = { ...fileHeader('x'), type: 'fifo' };
    for (let layer = 0; layer < 2; layer++) {
      contents.startLayer();
      for (let count = 0; count < 500; count++) contents.place(header);
    }

    expect(() => contents.place(header)).toThrow('The image has more than 1000 files, folders and links.');
  });

  it('are refused where names would take hours to look up', () => {
    const contents = new ImageContents('', ['/serve'], limits);
    // no folder of the name is known, so each lookup starts at the top
    const deep = '/a'.repeat(2000);
    const fill = (): void => {
      for (let count = 0; count < 200; count++) contents.place({ ...fileHeader(`${count}${deep}`), type: 'fifo' });
    };

    expect(fill).toThrow('too long and too deep');
  });

  it('are refused where the names of a layer would fill the memory', () => {
    const contents = new ImageContents('', ['/serve'], { ...limits, names: 1000 });
    const fill = (): void => {
      for (let count = 0; count < 20; count++) contents.place(fileHeader(`${count}${'/a'.repeat(100)}`));
    };

    expect(fill).toThrow('A layer of the image has more than 1000 names, including folders.');
  }, 60_000);

  it('are refused where their symlinks would fill the memory', () => {
    const fill = (limits: ContentLimits) => (): void => {
      const contents = new ImageContents('', ['/serve'], limits);
      for (let count = 0; count < 200; count++)
        contents.place({ ...fileHeader(String(count)), type: 'symlink', linkname: 'x'.repeat(20) });
    };

    expect(fill({ ...limits, symlinks: 100 })).toThrow('more than 100 symlinks');
    expect(fill({ ...limits, symlinkBytes: 2000 })).toThrow('or they take more than 2000 bytes');
  });
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
