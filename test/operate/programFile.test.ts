import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundledSource, programUrl, sourceList } from '../../src/operate/serve/programFile.mjs'

describe('the program of a process', () => {
  let folder: string
  const sources = ['package.json', 'src/operate/compose/app.ts', 'views/locales/en.json']
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-program-'))
    for (const path of sources) await write(path, '{}')
    await write(sourceList, JSON.stringify(sources.map((path) => bundledSource(path, folder))))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const chosen = (variables: { RUN_FROM?: string } = {}): string => programUrl('operate/serve/runService', variables, folder)
  const fromBundle = /\/src\/gen\/bundle\/runService\.js$/
  const fromSource = /\/src\/operate\/serve\/runService\.ts$/

  test('is the bundle while no source has changed', () => {
    expect(chosen()).toMatch(fromBundle)
  })

  test.each(sources)('is the source after %s has another size', async (path) => {
    await write(path, '{ }')
    expect(chosen()).toMatch(fromSource)
  })

  test('is the source after a file of the same size was written later', async () => {
    const later = Date.now() / 1000 + 5
    await utimes(join(folder, 'src/operate/compose/app.ts'), later, later)
    expect(chosen()).toMatch(fromSource)
  })

  test('is the source after a file was removed', async () => {
    await rm(join(folder, 'src/operate/compose/app.ts'))
    expect(chosen()).toMatch(fromSource)
  })

  test.each(['', '[', '{}'])('is the source if the list of the sources is %j', async (text) => {
    await write(sourceList, text)
    expect(chosen()).toMatch(fromSource)
  })

  test('is the source with RUN_FROM=source, and the bundle with RUN_FROM=bundle', async () => {
    expect(chosen({ RUN_FROM: 'source' })).toMatch(fromSource)
    await write('src/operate/compose/app.ts', 'changed')
    expect(chosen({ RUN_FROM: 'bundle' })).toMatch(fromBundle)
  })
})
