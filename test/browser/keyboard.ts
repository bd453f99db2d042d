import type { Page } from 'playwright-core'

/** Selects what Tab leads to: controls of HTML, which the browser activates with Enter or Space. */
const controls = 'a[href], button, input:not([type="hidden"]), select, textarea, summary'

// The order is written to the elements, because the debugger returns no elements.
const number = `[...document.querySelectorAll(${JSON.stringify(controls)})]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest('[hidden], [inert], [aria-hidden="true"]'))
  // Tab leads to one radio button of a group, the arrow keys to the others.
  .filter((one, _, all) => one.type !== 'radio' || one === (all.find((other) => other.name === one.name && other.checked) ?? all.find((other) => other.name === one.name)))
  .map((one, at) => { one.dataset.tabOrder = at; return one.outerHTML.slice(0, 120) })`

// Tab then begins at the start of the page, wherever the focus was.
const begin = `document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')`

/** Elements that imitate a control, or that change the order. */
const imitations = `[...document.querySelectorAll('[role="button"], [role="link"], [role="checkbox"], [tabindex], [onclick], [accesskey]')]
  .filter((one) => one.tabIndex > 0 || !one.hasAttribute('tabindex'))
  .map((one) => 'no native control: ' + one.outerHTML.slice(0, 120))`

interface Focus {
  /** Position in the document; undefined for something else, such as a region that scrolls. */
  order: number | undefined
  isPage: boolean
  isSeen: boolean
  html: string
}

const focused = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const { width, height, right, left } = one.getBoundingClientRect()
  const isInWindow = width > 0 && height > 0 && right > 0 && left < innerWidth
  return {
    order: one.dataset.tabOrder === undefined ? undefined : Number(one.dataset.tabOrder),
    isPage: one === document.body || one === document.documentElement,
    isSeen: isInWindow && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    html: one.outerHTML.slice(0, 120),
  }
})()`

/**
 * Walks through a page with the Tab key. Returns the controls that it does not reach, that come out of the order of the document, or that do
 * not show the focus, and a place that it cannot leave.
 */
export async function keyboardBarriers(page: Page): Promise<string[]> {
  const all = await page.evaluate<string[]>(number)
  const found = await page.evaluate<string[]>(imitations)
  const reached: number[] = []
  await page.evaluate(begin)
  // The parts of a date are steps of one control.
  const maxSteps = all.length * 5 + 20
  let step = 0
  for (; step < maxSteps; step += 1) {
    // The focus moves when the key goes down; held, it moves on.
    await page.keyboard.down('Tab')
    const { order, isPage, isSeen, html } = await page.evaluate<Focus>(focused)
    if (isPage || (order === 0 && reached.length > 0 && reached.at(-1) !== 0)) break
    if (!isSeen) found.push(`focus not visible: ${html}`)
    if (order === undefined || order === reached.at(-1)) continue
    if (order < (reached.at(-1) ?? -1)) found.push(`out of order: ${html}`)
    reached.push(order)
  }
  await page.keyboard.up('Tab')
  if (step === maxSteps) found.push(`trap after ${all[reached.at(-1) ?? 0]}`)
  const missed = all.filter((_, order) => !reached.includes(order)).map((html) => `not reached: ${html}`)
  return [...new Set([...found, ...missed])]
}
