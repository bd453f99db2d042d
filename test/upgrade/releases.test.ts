import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { checkOut, reasonAgainst, workTree } from '../../verification/upgrade/checkOut.ts'
import { earlierReleases, releases } from '../../verification/upgrade/releases.ts'
import { programIn } from '../gateway/nextRelease.ts'

describe('the list of releases', () => {
  test('has ascending versions, and ends with the version in package.json', () => {
    const parts = releases.map(({ version }) => version.split('.').map(Number))
    expect(parts.flat().every(Number.isInteger)).toBe(true)
    const isHigher = (one: number[], other: number[]): boolean => {
      const at = one.findIndex((part, index) => part !== other[index])
      return at !== -1 && (one[at] as number) > (other[at] as number)
    }
    for (const [index, version] of parts.entries()) if (index > 0) expect(isHigher(version, parts[index - 1] as number[])).toBe(true)
    expect(releases.at(-1)?.version).toBe(packageJson.version)
  })

  test('names the whole commit of each release but the last, which can be the work tree', () => {
    expect(releases.slice(0, -1).filter(({ commit }) => commit === undefined)).toEqual([])
    for (const { commit } of earlierReleases) expect(commit).toMatch(/^[0-9a-f]{40}$/)
  })
})

describe('an upgrade', () => {
  test('from a commit that the clone lacks says how to get it', async () => {
    await expect(checkOut({ version: '0.0.1', commit: '0'.repeat(40) })).rejects.toThrow('git fetch --unshallow')
  })

  test('can be rolled back if every new migration states that the release before works with it', async () => {
    const [oldest = ''] = (await readdir(join(workTree.folder, 'prisma/migrations'))).toSorted()
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-next-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await cp(join(workTree.folder, 'prisma'), join(folder, 'prisma'), { recursive: true })
    const name = '20990101000000_added'
    const file = join(folder, 'prisma/migrations', name, 'migration.sql')
    await mkdir(dirname(file))
    const added = async (from: string): Promise<string | undefined> => {
      await writeFile(file, `-- Works with releases from: ${from}\n-- Locks: ACCESS EXCLUSIVE on course\nSELECT 1;\n`)
      return await reasonAgainst(workTree, programIn(folder))
    }
    expect(await added(oldest)).toBeUndefined()
    expect(await added('this')).toContain(`${name}, with which no earlier release works`)
  })
})
