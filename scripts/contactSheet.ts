import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'

const [picturesOnSheet, columns] = [24, 8]

/** Writes sheets of the upper parts of pictures, each with its name: `sheet-1.png` and so on. Returns their names. */
export async function writeContactSheets(browser: Browser, folder: string, pictures: readonly string[]): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width: columns * 250, height: 600 } })
  const names: string[] = []
  try {
    for (let start = 0; start < pictures.length; start += picturesOnSheet) {
      const name = `sheet-${start / picturesOnSheet + 1}`
      const source = join(folder, `${name}.html`)
      await writeFile(source, sheetOf(pictures.slice(start, start + picturesOnSheet)))
      await page.goto(pathToFileURL(source).href)
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
      await rm(source)
      names.push(`${name}.png`)
    }
  } finally {
    await page.close()
  }
  return names
}

const style = `body { display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 8px; margin: 8px; font: 11px sans-serif }
figure { margin: 0 } figcaption { overflow-wrap: anywhere } div { height: 420px; overflow: hidden; border: 1px solid gray } img { width: 100% }`

const sheetOf = (pictures: readonly string[]): string =>
  `<!doctype html><meta charset="utf-8"><style>${style}</style>${pictures
    .map((file) => `<figure><figcaption>${basename(file)}</figcaption><div><img src="${basename(file)}" alt=""></div></figure>`)
    .join('')}`
