/**
 * Pictures of the pages that people see, of the demo school, light and dark, on a phone and on a desk.
 *
 *   npm run screenshots    writes docs/screenshots/{page}-{light|dark}-{360|1280}.png
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { tour } from '../test/browser/tour.ts'
import { openVisitor } from '../test/browser/visitor.ts'
import { createAgent } from '../test/support/agent.ts'
import { hasChromium, launchChromium } from '../test/support/chromium.ts'
import { startProcess } from '../test/support/process.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'docs/screenshots')

if (hasChromium()) await takeAll()
else process.exitCode = 1

async function takeAll(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-screenshots-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const service = await startProcess({ home: { directory, config: join(root, 'config'), data: join(directory, 'data'), remove } })
  const browser = await launchChromium()
  try {
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    await mkdir(folder, { recursive: true })
    for (const { name, open } of tour) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [360, 1280]) {
          const { page, close } = await openVisitor(browser, { colorScheme, viewport: { width, height: 640 } })
          await open(page, agent)
          const file = `${name}-${colorScheme}-${width}.png`
          await page.screenshot({ path: join(folder, file), fullPage: true })
          await close()
          console.log(file)
        }
      }
    }
  } finally {
    await browser.close()
    await service.stop()
    await remove()
  }
}
