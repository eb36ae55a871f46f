import { Component, computed, inject, input } from '@angular/core';
import type { Task } from '@assay/api-client/angular';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { inputWords, outputWords, taskWeights, weightShares } from './task-words.js';

/** The inputs, output, metrics and weights of a task. */
@Component({
  selector: 'app-key-facts',
  imports: [Term],
  templateUrl: './key-facts.html',
  styleUrl: './key-facts.scss',
})
export class KeyFacts {
  readonly task = input.required<Task>();

  protected readonly numbers = inject(Numbers);
  protected readonly inputs = computed(() => inputWords(this.task().inputs));
  protected readonly output = computed(() => outputWords(this.task().output));
  protected readonly weights = computed(() => weightShares(taskWeights(this.task())));
  protected readonly metrics = computed(() => {
    const { performance, metrics = [] } = this.task();
    return [...new Set([performance, ...metrics])];
  });
  protected readonly language = computed(() => {
    const { language } = this.task();
    return new Intl.DisplayNames([navigator.language], { type: 'language' }).of(language) ?? language;
  });

  protected arrow(metric: string): string {
    return metricReading(metric, this.task().performance).isLowerBetter ? '↓' : '↑';
  }

  protected better(metric: string): string {
    return metricReading(metric, this.task().performance).isLowerBetter
      ? $localize`less is better`
      : $localize`more is better`;
  }
}
