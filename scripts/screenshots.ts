/**
 * Takes screenshots of the pages of the demo school and of the e-mails, light and dark, in the widths of a phone, a tablet and a desktop.
 *
 *   npm run screenshots                               writes docs/screenshots/{page}-{light|dark}-{360|768|1280}.png
 *   npm run screenshots -- app-setup mail-enrolled    these pages and e-mails only
 *   npm run screenshots -- --locale de                in German: {page}-{light|dark}-{width}-de.png
 *   npm run screenshots -- --names long               with long names of which one half is Arabic: {page}-…-long.png
 *   npm run screenshots -- --school empty             without the data of the demo school
 *   npm run screenshots -- --sheet                    and sheets of the pictures, 24 on each: sheet-1.png
 *   npm run screenshots -- --gallery                  the pictures of docs/screenshots/README.md, as JPEG
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { parse } from 'yaml'
import { emailKinds } from '../src/base/mail/emailKinds.ts'
import { diskFiles } from '../src/database/files/fileStorage.ts'
import { inSchool } from '../src/database/school/inSchool.ts'
import { makeDemoSchool } from '../src/operate/demo/makeDemoSchool.ts'
import { saveForm } from '../src/school/forms/saveForm.ts'
import { learn } from '../test/browser/learningTour.ts'
import { giveLongNames } from '../test/browser/longNames.ts'
import { publish } from '../test/browser/siteTour.ts'
import { tour, tourForm, tourists } from '../test/browser/tour.ts'
import { openVisitor } from '../test/browser/visitor.ts'
import { lastLink } from '../test/pages/account/account.ts'
import { createAgent } from '../test/support/agent.ts'
import { hasChromium, sharedChromium } from '../test/support/chromium.ts'
import { passwordHash, startService, type TestService } from '../test/support/service.ts'
import { writeContactSheets } from './contactSheet.ts'
import { fileOf, gallery, type Picture } from './gallery.ts'
import { writeMailPreviews } from './mails.ts'

const folder = resolve(import.meta.dirname, '../docs/screenshots')
const themes = ['light', 'dark'] as const
const widths = [360, 768, 1280] as const
/** Taller pages are cut off. */
const maxHeight = { png: 8000, jpeg: 2400 }

/** Contents of the service. */
type Content = Pick<Picture, 'school' | 'names'>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    locale: { type: 'string', default: 'en' },
    names: { type: 'string', default: 'short' },
    school: { type: 'string', default: 'demo' },
    gallery: { type: 'boolean', default: false },
    sheet: { type: 'boolean', default: false },
  },
})

if (!hasChromium()) process.exitCode = 1
else if (values.gallery) {
  const chosen = gallery.filter(({ page }) => positionals.length === 0 || positionals.includes(page))
  const kinds = Map.groupBy(chosen, ({ school, names }) => `${school} ${names}`)
  for (const pictures of kinds.values()) if (pictures[0]) await takeAll(pictures[0], pictures, 'jpeg')
} else {
  const locale = values.locale === 'de' ? 'de' : 'en'
  const content = { school: values.school === 'empty' ? 'empty' : 'demo', names: values.names === 'long' ? 'long' : 'short' } as const
  const pages = stops('').map(({ name }) => name)
  const chosen = positionals.length > 0 ? pages.filter((name) => positionals.includes(name)) : pages
  const pictures = chosen.flatMap((page) =>
    themes.flatMap((theme) => widths.map((width) => ({ ...content, page, locale, theme, width }) as const)),
  )
  await takeAll(content, pictures, 'png')
}

/** Returns the stops of the tour, and one for each e-mail, whose previews are in a folder. */
function stops(previews: string): (typeof tour)[number][] {
  const mails = Object.keys(emailKinds).map((kind) => ({
    name: `mail-${kind}`,
    async open(page: Page) {
      const language = await page.evaluate<string>('navigator.language')
      await page.goto(pathToFileURL(join(previews, `${kind}-${language}-logo.html`)).href)
    },
  }))
  return [...tour, ...mails]
}

async function takeAll(content: Content, pictures: readonly Picture[], type: 'png' | 'jpeg'): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-screenshots-'))
  const service = await startSchool(directory, content)
  const browser = await sharedChromium()
  const taken: string[] = []
  try {
    await mkdir(folder, { recursive: true })
    await writeMailPreviews(join(directory, 'mails'))
    const agent = await createAgent(service.issuer, { client_name: 'Course Companion' })
    const guide = { agent, mailedLink: async (email: string) => (await lastLink(service, email)).href }
    if (content.names === 'long') {
      await publish(guide)
      await learn(guide)
      await giveLongNames(service.database)
    }
    for (const [name, locales] of Map.groupBy(pictures, ({ page }) => page))
      for (const [locale, ofPage] of Map.groupBy(locales, (picture) => picture.locale)) {
        const { page, close } = await openVisitor({ locale })
        await stops(join(directory, 'mails'))
          .find((stop) => stop.name === name)
          ?.open(page, guide)
        // Pictures below the window load when somebody scrolls.
        await page.evaluate(
          "Promise.all([...document.images].map((one) => { one.loading = 'eager'; return one.decode().catch(() => {}) }))",
        )
        for (const picture of ofPage) {
          const { theme, width } = picture
          await page.emulateMedia({ colorScheme: theme })
          await page.setViewportSize({ width, height: 640 })
          // The viewport is as tall as the page, so that fixed buttons appear at its end.
          const height = Math.min(maxHeight[type], await page.evaluate<number>('document.documentElement.scrollHeight'))
          await page.setViewportSize({ width, height })
          const file = fileOf(picture, type)
          await page.screenshot({ path: join(folder, file), type, ...(type === 'jpeg' && { quality: 50 }) })
          taken.push(file)
          console.log(file)
        }
        await close()
      }
    if (values.sheet) for (const name of await writeContactSheets(browser, folder, taken)) console.log(name)
  } finally {
    await browser.close()
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Starts a service with the people and the form of the tour. */
async function startSchool(directory: string, { school }: Content): Promise<TestService> {
  const storage = diskFiles(join(directory, 'files'))
  const service = await startService({ storage, school: { defaults: await demoDefaults() } })
  const owner = service.app.schools.all.find(({ school: { issuer } }) => issuer === service.issuer)?.school
  if (!owner) throw new Error('the service has no school')
  const { database } = service
  if (school === 'demo') {
    await makeDemoSchool(database, { school: owner, now: new Date(), hashPassword: async () => passwordHash, storage })
    // The pages are then in the language of the browser.
    await database.sql.query('UPDATE account SET locale = NULL')
    return service
  }
  for (const tourist of tourists) await service.addPerson(tourist)
  await database.transaction((writer) => saveForm(inSchool(writer, owner.id), { schoolId: owner.id, now: new Date() }, tourForm))
  await database.sql.query("UPDATE school SET registration = 'open'")
  return service
}

/** Returns the name, the languages and the looks of the demo school. */
async function demoDefaults(): Promise<object> {
  const file: { defaults: object } = parse(await readFile(resolve(import.meta.dirname, '../config/schools/demo.yaml'), 'utf8'))
  return file.defaults
}
