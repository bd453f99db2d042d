/**
 * Takes screenshots of the pages of the demo school, light and dark, in the widths of a phone and a desktop.
 *
 *   npm run screenshots          writes docs/screenshots/{page}-{light|dark}-{360|1280}.png
 *   npm run screenshots -- de    the same in German
 *   npm run screenshots -- en app-setup confirm    these pages only
 */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { tour } from '../test/browser/tour.ts'
import { openVisitor } from '../test/browser/visitor.ts'
import { createAgent } from '../test/support/agent.ts'
import { hasChromium, launchChromium } from '../test/support/chromium.ts'
import { until } from '../test/support/poll.ts'
import { startProcess } from '../test/support/process.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/screenshots')
const [locale = 'en', ...chosen] = process.argv.slice(2)
const stops = chosen.length > 0 ? tour.filter(({ name }) => chosen.includes(name)) : tour

if (hasChromium()) await takeAll()
else process.exitCode = 1

async function takeAll(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-screenshots-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const service = await startProcess({ home: { directory, config: join(root, 'config'), data: join(directory, 'data'), remove } })
  const browser = await launchChromium()
  try {
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    const guide = { agent, mailedLink: (email: string) => linkInOutbox(join(directory, 'data/outbox'), email) }
    await mkdir(folder, { recursive: true })
    for (const { name, open } of stops) {
      const { page, close } = await openVisitor(browser, { locale })
      await open(page, guide)
      // Pictures below the window load when somebody scrolls.
      await page.evaluate("Promise.all([...document.images].map((one) => { one.loading = 'eager'; return one.decode().catch(() => {}) }))")
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 640 })
          // The viewport is as tall as the page, so that fixed buttons appear at its end.
          const height = await page.evaluate<number>('document.documentElement.scrollHeight')
          await page.setViewportSize({ width, height })
          const file = `${name}-${colorScheme}-${width}.png`
          await page.screenshot({ path: join(folder, file), fullPage: true })
          console.log(file)
        }
      }
      await close()
    }
  } finally {
    await browser.close()
    await service.stop()
    await remove()
  }
}

/** Returns the first link of the newest message to an address. Waits for it, because messages are written after the response. */
async function linkInOutbox(outbox: string, email: string): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const names = (await readdir(outbox).catch(() => [])).toSorted().reverse()
    for (const name of names) {
      const message = await readFile(join(outbox, name), 'utf8')
      if (message.includes(`To: ${email}`)) return /^https?:\/\/\S+$/m.exec(message)?.[0]
    }
    return undefined
  }
  return until(find, { what: `a message to ${email}`, deadlineMs: 10_000 })
}
