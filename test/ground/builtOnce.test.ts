import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtOnce } from '../support/builtOnce.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-built-'))
  file = join(folder, 'archive.tar')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a file that several callers need is built once', async () => {
  let builds = 0
  const build = async (draft: string): Promise<void> => {
    builds += 1
    await writeFile(draft, 'contents')
  }
  expect(await Promise.all([1, 2, 3, 4, 5].map(() => builtOnce(file, build)))).toEqual(Array(5).fill(file))
  expect(builds).toBe(1)
  expect(await readFile(file, 'utf8')).toBe('contents')
  expect(await readdir(folder)).toEqual(['archive.tar'])
})

test('after a build that failed, or a process that was killed while it built, the next caller builds the file', async () => {
  await expect(builtOnce(file, () => Promise.reject(new Error('no space')))).rejects.toThrow('no space')
  // No process has this number: it is above the limit of Linux.
  await writeFile(`${file}.lock`, '4194305')
  await builtOnce(file, (draft) => writeFile(draft, 'contents'))
  expect(await readdir(folder)).toEqual(['archive.tar'])
})
