import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The rules that depend on colours and space: all others check the content of the page, which is the same in every theme and at every width. */
const rulesOfLooks = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable', 'css-orientation-lock']

/** Returns the findings of axe on the rendered page, with all rules for WCAG 2.2 AA and good practice, or with the visual ones. */
export async function barriers(page: Page, which: 'all' | 'looks' = 'all'): Promise<string[]> {
  // Evaluated by the debugger: the page's policy lets no script of the page in, and none is put into it.
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(axe)
  const options = { runOnly: which === 'all' ? everyRule : rulesOfLooks, resultTypes: ['violations'] }
  // The rest of the results describes every element of the page.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  )
}

const rules = new StaticConfigLoader({
  extends: ['html-validate:recommended'],
  rules: {
    // Boxes of one name are a list: that is how forms say it.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'button', 'submit'] }],
    // This rule is advice for search engines. A title ends with the name of the school, which can be long.
    'long-title': 'off',
  },
})
// Otherwise the library merges the rules again for each page, which takes longer than the validation.
const merged = await rules.getConfigFor('')
const validator = new HtmlValidate(Object.assign(rules, { getConfigFor: () => merged }))

/** Returns the errors in the page's HTML as it was sent. */
export async function htmlErrors(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`))
}
