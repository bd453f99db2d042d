import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { markupLimits, markupWork } from '../../src/base/text/markupLimits.ts'
import { createMarkupRenderer, type MarkupRendererOptions, maxImmediateWork } from '../../src/school/markupRenderer.ts'
import { htmlOf, plainText } from '../../src/school/richText.ts'

const open: ReturnType<typeof createMarkupRenderer>[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
function create(options: Partial<MarkupRendererOptions> = {}) {
  const failures: string[] = []
  // Generous, because tests run on machines that are busy.
  const renderer = createMarkupRenderer({ onFailure: (reason) => failures.push(reason), limitMilliseconds: 60_000, ...options })
  open.push(renderer)
  return { renderer, failures }
}
const code = (text: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${text}`)}`)
const silent = code('parentPort.on("message", () => {})')

/** The texts that took longest, within the limits of markup. */
const heavy = ['"**"'.repeat(19_990), '![&'.repeat(13_300), '![_!['.repeat(7900), '[a](b) '.repeat(9900)]
const rich = (text: string, format: 'markdown' | 'html' = 'markdown') => ({ text, format, field: 'content' })

describe('texts with much markup are rendered outside of the event loop', () => {
  test('a usual text is rendered without a thread', async () => {
    const { renderer } = create()
    const text = 'A **bold** [link](https://example.com).\n\n'.repeat(100)
    expect(await renderer.html([rich(text)])).toEqual([htmlOf(text, 'markdown')])
    expect(await renderer.words([rich(text)])).toEqual([plainText(text, 'markdown')])
    expect(renderer.isStarted()).toBe(false)
  })

  test('a heavy one is rendered in a thread to the same result, while the event loop runs on', async () => {
    const { renderer, failures } = create()
    // Starts the thread.
    await renderer.html([rich(heavy[0] ?? '')])
    expect(renderer.isStarted()).toBe(true)
    for (const text of heavy) {
      expect(markupWork(text)).toBeLessThanOrEqual(markupLimits.marks + 1)
      let turns = 0
      const turn = setInterval(() => {
        turns += 1
      }, 1)
      const html = await renderer.html([rich(text)])
      clearInterval(turn)
      expect(turns).toBeGreaterThan(2)
      expect(html).toEqual([htmlOf(text, 'markdown')])
    }
    expect(await renderer.words([rich('<b>a</b> '.repeat(3000), 'html')])).toEqual([plainText('<b>a</b> '.repeat(3000), 'html')])
    expect(failures).toEqual([])
  })

  test('the sum decides: many short texts go to the thread together', async () => {
    const { renderer } = create()
    const texts = Array.from({ length: 50 }, () => rich('*a* '.repeat(30)))
    expect(await renderer.html(texts)).toEqual(texts.map(({ text }) => htmlOf(text, 'markdown')))
    expect(renderer.isStarted()).toBe(true)
  })

  test('a text that breaks a limit is refused with its field, before and in the thread', async () => {
    const { renderer } = create()
    const refused = (text: string, format: 'markdown' | 'html' = 'markdown') =>
      expect(renderer.html([rich('a'), { text, format, field: 'bio' }])).rejects.toMatchObject({
        code: 'validation_failed',
        details: [expect.objectContaining({ field: 'bio', message: expect.stringMatching(/^bio: must .*\.$/) })],
      })
    await refused('*'.repeat(markupLimits.marks + 1))
    await refused('<b>'.repeat(markupLimits.depth + 1), 'html')
    await refused('<b>'.repeat(maxImmediateWork), 'html')
  })

  test.each([
    ['that is too slow', { module: silent, limitMilliseconds: 100 }, 'validation_failed', []],
    [
      'that fails',
      { module: code('parentPort.on("message", () => { throw new RangeError("the text") })') },
      'temporarily_unavailable',
      [/RangeError$/],
    ],
    ['that cannot be loaded', { module: new URL('file:///nowhere/worker.ts') }, 'temporarily_unavailable', [/MODULE_NOT_FOUND$/]],
  ])('a thread %s has a clear response', async (_, options, problem, reasons) => {
    const { renderer, failures } = create(options)
    await expect(renderer.html([rich(heavy[0] ?? '')])).rejects.toMatchObject({ code: problem })
    expect(failures).toEqual(reasons.map((reason) => expect.stringMatching(reason)))
    expect(await renderer.html([rich('*a*')])).toEqual(['<p><em>a</em></p>\n'])
  })

  test('a limited number of texts waits, and the others are refused for now', async () => {
    const { renderer } = create({ module: silent, queue: 1, limitMilliseconds: 300 })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => renderer.html([rich(heavy[0] ?? '')])))
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'rendered'))
    expect(codes.toSorted()).toEqual(['temporarily_unavailable', 'temporarily_unavailable', 'validation_failed', 'validation_failed'])
  })
})

test('nothing that a request runs renders a text of any length on the event loop', () => {
  const src = resolve(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /^(?!gen\/).*\.ts$/.test(file))
  const importing = files.filter((file) => {
    const imports = readFileSync(join(src, file), 'utf8').matchAll(/import \{([^}]*)\} from '[./\w]*\/richText\.ts'/g)
    return [...imports].some(([, names = '']) => /\b(?:htmlOf|plainText|storedHtmlOf)\b/.test(names))
  })
  expect(importing.filter((file) => !file.startsWith('operate/demo/')).toSorted()).toEqual([
    // Comments have at most 5,000 characters.
    'pages/account/commentPages.ts',
    'school/comments/addComment.ts',
    'school/comments/ownComments.ts',
    'school/markupRenderer.ts',
    // Texts that an earlier release stored without their HTML.
    'school/pages/renderBlocks.ts',
    'school/settings/school.ts',
  ])
})
