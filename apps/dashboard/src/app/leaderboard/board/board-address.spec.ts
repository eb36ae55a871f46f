import { Component, inject } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter, Router } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BoardAddress } from './board-address.js';

@Component({ template: '', providers: [BoardAddress] })
class Board {
  readonly address = inject(BoardAddress);
}

@Component({ template: '' })
class Other {}

describe('the address of a board', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    const routes = [
      { path: 'board', component: Board },
      { path: 'other', component: Other },
    ];
    TestBed.configureTestingModule({ providers: [provideRouter(routes)] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('follows a slider once the slider rests', async () => {
    const harness = await RouterTestingHarness.create();
    const { address } = await harness.navigateByUrl('/board', Board);
    address.move({ weights: { accuracy: 2 } });
    address.move({ weights: { accuracy: 3 } });
    expect(TestBed.inject(Router).url).toBe('/board');
    await jest.runAllTimersAsync();
    expect(TestBed.inject(Router).url).toBe('/board?weights=accuracy:3');
  });

  it('stays with the next page after a slider moved', async () => {
    const harness = await RouterTestingHarness.create();
    const { address } = await harness.navigateByUrl('/board', Board);
    address.move({ weights: { accuracy: 3 } });
    await harness.navigateByUrl('/other', Other);
    await jest.runAllTimersAsync();
    expect(TestBed.inject(Router).url).toBe('/other');
  });
});
