import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import type { Evaluation } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { ModelCosts, sharedBins } from './model-costs.js';

const edge = (place: number): number => Number((2 ** (place / 4)).toPrecision(6));
const bin = (place: number, n: number) => ({ low: edge(place), high: edge(place + 1), n });

describe('sharedBins', () => {
  it('gives shares of both on one scale, with the empty bins between', () => {
    const bins = sharedBins([bin(4, 30), bin(6, 10)], [bin(3, 5), bin(4, 15)]);

    expect(bins.map(({ low }) => Number(low.toPrecision(4)))).toEqual([1.682, 2, 2.378, 2.828]);
    expect(bins.map(({ model }) => model)).toEqual([0, 0.75, 0, 0.25]);
    expect(bins.map(({ floor }) => floor)).toEqual([0.25, 0.75, 0, 0]);
  });

  it('is of the model alone where no floor is known, and of nothing without either', () => {
    expect(sharedBins([bin(-2, 4)], [])).toMatchObject([{ model: 1, floor: 0 }]);
    expect(sharedBins([], [])).toEqual([]);
  });
});

describe('the costs of a model', () => {
  const floor = { latency_p50: 0.4, latency_p90: 0.5, latency_p95: 0.5, latency_p99: 0.6, count: 700 };

  async function textOf(measures: Evaluation['measures'], inputs: Readonly<Record<string, unknown>> = {}) {
    TestBed.configureTestingModule({ providers: [provideRouter([])] });
    const fixture = TestBed.createComponent(ModelCosts);
    const cell = { dataset: 'one', version: 1, state: 'scored', examples: 40, metrics: {}, slices: {} } as const;
    fixture.componentRef.setInput('evaluations', [{ ...cell, measures }] satisfies Evaluation[]);
    for (const [name, value] of Object.entries(inputs)) fixture.componentRef.setInput(name, value);
    await fixture.whenStable();
    return (fixture.nativeElement as HTMLElement).textContent.replace(/\s+/g, ' ');
  }

  it.each([
    [0.39, true],
    [0.4, false],
  ])('with a median latency of %d ms say whether it is below the floor: %s', async (latency_p50, isBelow) => {
    const text = await textOf({ hardware: 'one core', latency_p50, floor });
    expect(text.includes('less time than those of a model that does nothing')).toBe(isBelow);
  });

  const latency_low = { latency_p50: 0.81, latency_p90: 1.25, latency_p95: null, latency_p99: null };
  it.each([
    [{ latency_low }, true],
    [{}, false],
  ])('show the lower ends of the intervals of latencies where they are known (%#)', async (more, isShown) => {
    const text = await textOf({ hardware: 'one core', latency_p50: 0.9, floor, ...more });
    expect(text.includes('at least, with 95% confidence0.8101.25··')).toBe(isShown);
    expect(text.includes('at least')).toBe(isShown);
  });

  it.each([true, false])('are provisional while a measurement follows: %s', async (awaitsMeasurement) => {
    const text = await textOf({ hardware: 'one core', provisional: true }, { awaitsMeasurement });
    expect(text.includes('provisional')).toBe(awaitsMeasurement);
  });
});
