import { describe, expect, it } from '@jest/globals';
import { markdownToHtml } from './markdown-to-html.js';

const HOSTILE = [
  '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#10;script:alert(1)) [d](&#x6A;avascript:alert(1))',
  '[a](vbscript:x) [b](data:text/html,<script>alert(1)</script>) [c](blob:x) [d](file:///etc/passwd) [e](tel:1)',
  '<a href="javascript:alert(1)" onclick="alert(1)" ping="//elsewhere.example" download>x</a>',
  '![a](https://elsewhere.example/pixel.png) ![b](data:image/svg+xml;base64,PHN2Zz4=) ![c](//elsewhere.example/x)',
  '<img src=x onerror=alert(1)><picture><source srcset="//elsewhere.example/a"><img></picture>',
  '<table background="//elsewhere.example/a"><tr><td background="//elsewhere.example/b">x</td></tr></table>',
  '<svg><script>alert(1)</script><use href="data:,x"/><foreignObject><p>x</p></foreignObject></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form id=x action="//elsewhere.example"><input name=attributes><button formaction="//elsewhere.example">x</button></form>',
  '<a id="defaultView" name="cookie" class="panel" style="position:fixed" data-session="yes" aria-label="x">x</a>',
  '<style>@import "//elsewhere.example"</style><link rel=stylesheet href="//elsewhere.example"><base href="//elsewhere.example">',
  '<meta http-equiv=refresh content="0;url=//elsewhere.example"><iframe src="//elsewhere.example"></iframe><object data=x></object>',
  '<video poster="//elsewhere.example/a" src=x autoplay></video><audio src=x></audio><embed src=x>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<script>alert(1)</script><template><script>alert(1)</script></template><xss-x onfocus=alert(1) autofocus tabindex=1>',
  '`<img src=x onerror=alert(1)>` \n\n```html\n<script>alert(1)</script>\n```',
  '> > > <div onmouseover=alert(1)>\n> - <details ontoggle=alert(1) open>',
];
const TAGS = /^(?:A|BLOCKQUOTE|CODE|DETAILS|DIV|LI|P|PRE|TABLE|TBODY|TD|TR|UL)$/;
const ATTRIBUTES = /^(?:href|rel|target|open|title)$/;

const shown = (text: string): readonly Element[] => {
  const holder = document.createElement('div');
  holder.innerHTML = markdownToHtml(text);
  return [...holder.querySelectorAll('*')];
};

describe('markdownToHtml', () => {
  it.each(HOSTILE)('makes %s harmless', (text) => {
    for (const element of shown(text)) {
      expect(element.tagName).toMatch(TAGS);
      for (const name of element.getAttributeNames()) expect(name).toMatch(ATTRIBUTES);
      const href = element.getAttribute('href');
      if (href !== null) expect(href).toMatch(/^https?:/);
    }
  });

  it('keeps what Markdown says, and tells no other page where a reader came from', () => {
    const [link] = shown('[the paper](https://elsewhere.example/a?b=1)').slice(-1);
    expect(link!.outerHTML).toBe(
      '<a href="https://elsewhere.example/a?b=1" rel="nofollow noopener noreferrer ugc" target="_blank">the paper</a>',
    );
    const text =
      '# Title\n\n- **one**\n- `two`\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<details><summary>more</summary>x</details>';
    const tags = shown(text).map(({ tagName }) => tagName.toLowerCase());
    for (const tag of ['h1', 'li', 'strong', 'code', 'th', 'td', 'details', 'summary']) expect(tags).toContain(tag);
  });

  it.each([
    ['pairs that never close', '_a'.repeat(50_000)],
    ['brackets', '['.repeat(100_000)],
    ['quotes within quotes', '>'.repeat(100_000)],
    ['quotes of lists', '> - '.repeat(25_000)],
    ['stars of many kinds', 'a**b__c~~d'.repeat(10_000)],
  ])('shows %s as they were written: to pair them takes seconds', (_what, text) => {
    const [only, ...others] = shown(text);
    expect([only!.tagName, others.length, only!.textContent === text]).toEqual(['PRE', 0, true]);
  });

  it('shows quotes that are too deep as they were written', () => {
    const text = Array.from({ length: 40 }, () => '> '.repeat(1_900)).join('\n\n');
    expect(markdownToHtml(text)).toMatch(/^<(?:pre|blockquote)>/);
  });
});
