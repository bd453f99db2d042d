import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ejs from 'ejs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiledViews } from '../../scripts/compiledViews.ts'
import { codeTexts } from '../../scripts/writeTexts.ts'
import { compileView, readData } from '../../src/base/text/views.ts'
import { root, textFolder } from '../../src/operate/serve/programFile.mjs'

test('each text that a process of the bundle reads is the one that the sources render, and is the same in the next rendering', async () => {
  const rendered = codeTexts()
  const written = await Promise.all([...rendered.keys()].map(async (path) => [path, await readFile(join(root, textFolder, path), 'utf8')]))
  const differing = written.filter(([path = '', text]) => rendered.get(path) !== text).map(([path]) => path)
  expect([rendered.size > 60, differing]).toEqual([true, []])
})

describe('the module that the bundle has for views', () => {
  const imported = async (directory: string): Promise<{ compileView: typeof compileView; readData: typeof readData }> => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-views-'))
    const file = join(folder, 'views.mjs')
    await writeFile(file, compiledViews(directory))
    const module = await import(file)
    await rm(folder, { recursive: true })
    return module
  }

  test('renders a page as the sources do, whatever its values contain, with the parts that a template includes', async () => {
    const views = await imported(join(root, 'views'))
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-planted-'))
    await writeFile(
      join(folder, 'whole.ejs'),
      '<%- include("part", { own: page.text }) %><p><%= page.text %></p><% if (page.none) { %>no<% } %>',
    )
    await writeFile(join(folder, 'part.ejs'), '<i title="<%= page.own %>"><%- page.text %><%= page.none %></i>')
    const planted = (await imported(folder)).compileView('whole')
    const filename = join(folder, 'whole.ejs')
    const template = ejs.compile(await readFile(filename, 'utf8'), { filename, strict: true, localsName: 'page' })
    const fromSource = compileView('parts')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(planted({ text })).toBe(template({ text }))
        const page = { parts: [{ text }, { text, isValue: true }] }
        expect(views.compileView('parts')(page)).toBe(fromSource(page))
      }),
    )
    await rm(folder, { recursive: true })
  })

  test('has the data of each file', async () => {
    const views = await imported(join(root, 'views'))
    for (const path of ['apps.yaml', 'skills/sell.yaml']) expect(views.readData(path)).toEqual(readData(path))
  })
})
