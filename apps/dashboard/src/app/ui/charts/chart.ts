import {
  afterNextRender,
  Component,
  computed,
  DestroyRef,
  effect,
  ElementRef,
  inject,
  input,
  signal,
  viewChild,
} from '@angular/core';
import type { ECharts, EChartsCoreOption } from 'echarts/core';
import { Theme } from '../layout/theme.js';

/** The chart colours of the current theme, as CSS colours. */
export interface ChartColours {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  /**
   * The seven colours of series. Each goes with the symbol of `CHART_SYMBOLS` at the same index, so
   * that colour alone never carries information.
   */
  readonly data: readonly string[];
}

/** The symbols of series, in the order of the colours. */
export const CHART_SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow', 'roundRect'] as const;

const ROLES = ['text', 'muted', 'line', 'surface', 'accent'] as const;

/**
 * A chart by ECharts. `options` receives the colours of the theme and the width of the chart in CSS
 * pixels. It returns ECharts options without text style, animation or background. ECharts is loaded
 * with the first chart. A page with a chart must also show its numbers as a table.
 */
@Component({
  selector: 'app-chart',
  template: `<div #frame role="img" [attr.aria-label]="label()" [style.height.px]="height()"></div>`,
  styles: `
    :host {
      display: block;
      min-width: 0;
      /* when the frame becomes narrower, the drawing keeps its width until the observer runs: it must not widen the page meanwhile */
      overflow: clip;
    }
  `,
})
export class Chart {
  readonly options = input.required<(colours: ChartColours, width: number) => EChartsCoreOption>();
  /** The content of the chart in a sentence, for screen readers. */
  readonly label = input.required<string>();
  /** The height in CSS pixels. */
  readonly height = input(320);

  private readonly frame = viewChild.required<ElementRef<HTMLElement>>('frame');
  private readonly theme = inject(Theme);
  private readonly destroyed = inject(DestroyRef);
  private readonly chart = signal<ECharts | undefined>(undefined);
  private readonly width = signal(0);
  private readonly colours = computed(() => {
    this.theme.shown();
    return coloursOf(this.frame().nativeElement);
  });

  constructor() {
    afterNextRender(() => void this.start());
    effect(() => {
      const [chart, options] = [this.chart(), this.options()(this.colours(), this.width())];
      chart?.setOption({ ...this.manner(this.colours()), ...options }, { notMerge: true });
    });
  }

  private async start(): Promise<void> {
    const { init } = await import('./chart-engine.js');
    if (this.destroyed.destroyed) return;
    const chart = init(this.frame().nativeElement, undefined, { renderer: 'svg' });
    const resize = (): void => {
      chart.resize();
      this.width.set(chart.getWidth());
    };
    const observer = new ResizeObserver(resize);
    observer.observe(this.frame().nativeElement);
    this.destroyed.onDestroy(() => {
      observer.disconnect();
      chart.dispose();
    });
    this.width.set(chart.getWidth());
    this.chart.set(chart);
  }

  private manner(colours: ChartColours): EChartsCoreOption {
    const style = getComputedStyle(this.frame().nativeElement);
    return {
      animation: false,
      backgroundColor: 'transparent',
      color: [...colours.data],
      textStyle: { fontFamily: style.fontFamily, fontSize: 12, color: colours.text },
    };
  }
}

/**
 * Reads the tokens of the current theme. Needs a probe element, because `light-dark()` resolves
 * only in a property that is in use.
 */
function coloursOf(element: HTMLElement): ChartColours {
  const probe = element.appendChild(document.createElement('i'));
  const read = (token: string): string => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const roles = Object.fromEntries(ROLES.map((role) => [role, read(role)])) as Record<(typeof ROLES)[number], string>;
  const data = Array.from({ length: 7 }, (_, index) => read(`data-${index + 1}`));
  probe.remove();
  return { ...roles, data };
}
