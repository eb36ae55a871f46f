import { describe, expect, it } from '@jest/globals';
import { rowsHeight, rowTop, rowWindow } from './row-window.js';

const closed = { count: 10_000, height: 50, open: -1, detailsHeight: 0 };
const opened = { ...closed, open: 3, detailsHeight: 400 };

describe('the rows in sight', () => {
  it('are those between the edges, with a few to spare', () => {
    expect(rowWindow(closed, 0, 500, 4)).toEqual({ start: 0, end: 15 });
    expect(rowWindow(closed, 5000, 500, 4)).toEqual({ start: 96, end: 115 });
    expect(rowWindow(closed, 499_500, 500, 4)).toEqual({ start: 9986, end: 10_000 });
  });

  it('are none of none, and all of a few', () => {
    expect(rowWindow({ ...closed, count: 0 }, 0, 500, 4)).toEqual({ start: 0, end: 0 });
    expect(rowWindow({ ...closed, count: 3 }, 0, 500, 4)).toEqual({ start: 0, end: 3 });
  });

  it('begin with the open row while its details are in sight', () => {
    expect(rowWindow(opened, 300, 100, 0)).toEqual({ start: 3, end: 4 });
    expect(rowWindow(opened, 600, 100, 0)).toEqual({ start: 4, end: 7 });
  });

  it('lie below the details of the open one', () => {
    expect([rowTop(opened, 3), rowTop(opened, 4)]).toEqual([150, 600]);
    expect([rowsHeight(closed), rowsHeight(opened)]).toEqual([500_000, 500_400]);
  });
});
