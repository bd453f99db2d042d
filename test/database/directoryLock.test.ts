import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDirectory } from '../../src/database/connection/directoryLock.ts'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'schoolgate-lock-'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const program = `import { lockDirectory } from '${join(import.meta.dirname, '../../src/database/connection/directoryLock.ts')}'
  try {
    globalThis.lock = await lockDirectory(process.argv[1])
    process.stdout.write('held')
    setInterval(() => {}, 1000)
  } catch (error) {
    process.stdout.write('refused')
  }`
const contend = (directory: string) =>
  spawn(process.execPath, ['--input-type=module', '--eval', program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
const firstWord = async (child: ReturnType<typeof contend>) => String((await once(child.stdout, 'data'))[0])

test('one of many processes gets the directory, and the next one when it was killed', async () => {
  const directory = join(parent, 'db')
  for (let round = 0; round < 2; round += 1) {
    const children = Array.from({ length: 4 }, () => contend(directory))
    const words = await Promise.all(children.map(firstWord))
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    expect(words.toSorted()).toEqual(['held', 'refused', 'refused', 'refused'])
  }
  const lock = await lockDirectory(directory)
  lock.release()
})

test('a directory is the same by every path that leads to it', async () => {
  const directory = join(parent, 'db')
  await symlink(parent, join(parent, 'alias'))
  const lock = await lockDirectory(directory)
  await expect(lockDirectory(join(parent, 'alias', 'db'))).rejects.toThrow(`in use by process ${process.pid}`)
  lock.release()
  lock.release()
  const again = await lockDirectory(join(parent, 'alias', 'db'))
  again.release()
})

test('two directories are two locks, however long their names', async () => {
  const locks = await Promise.all(['a', 'b'].map((end) => lockDirectory(join(parent, `${'x'.repeat(180)}${end}`))))
  for (const lock of locks) lock.release()
  expect((await readdir(parent)).filter((name) => name.endsWith('.holder'))).toEqual([])
})

test('a place where no lock can be made is named', async () => {
  await expect(lockDirectory(join(parent, 'missing', 'db'))).rejects.toThrow(`cannot make the lock ${join(parent, 'missing', 'db.lock')}`)
})
