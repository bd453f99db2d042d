import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRelease, type Release } from '../../gateway/nextRelease.ts'
import { availableServices, throwawayPostgres, unpackEmbedded } from '../../support/databases.ts'
import { schoolFile, writeConfig } from './cli.ts'

const { postgresql } = await availableServices()
const header = (from: string, locks = 'ACCESS EXCLUSIVE on course'): string => `-- Works with releases from: ${from}\n-- Locks: ${locks}\n`
const newest = '20261125182042_installation'
const [compatible, slow, incompatible, after] = ['compatible', 'slow', 'incompatible', 'after'].map(
  (name, index) => `2099010${index}_${name}`,
)
const applied = (...names: (string | undefined)[]): string => names.map((name) => `applied ${name}\n`).join('')

describe.each([false, ...(postgresql ? [true] : [])])('migrate, from the bundle of the next release, with PostgreSQL: %s', (isServer) => {
  const undo: (() => unknown)[] = []
  let release: Release
  let nothingNew: Release
  let variables: Record<string, string>
  const migrate = (...args: string[]) => release.schoolgate(['migrate', ...args], variables)
  const plan = async (): Promise<Record<string, unknown>[]> => JSON.parse((await migrate('plan', '--json')).out)

  beforeAll(async () => {
    const home = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:3000', 'Demo School') })
    undo.push(() => rm(home, { recursive: true }))
    variables = { CONFIG_DIR: home, DATA_DIR: join(home, '.data'), RUN_FROM: 'bundle' }
    if (isServer) {
      const { url, drop } = await throwawayPostgres()
      undo.push(drop)
      variables.DATABASE_URL = url
    } else await unpackEmbedded(join(home, '.data'))
    nothingNew = await createRelease({})
    release = await createRelease({
      [`${compatible}`]: `${header(newest)}ALTER TABLE "course" ADD COLUMN "later" TEXT;\n`,
      // A million rows are scanned while requests wait.
      [`${slow}`]: `${header(newest)}-- Work: scans course\nALTER TABLE "course" ADD CONSTRAINT "later" CHECK ("later" <> '');\n`,
      [`${incompatible}`]: `${header('this')}ALTER TABLE "course" RENAME COLUMN "later" TO "moved";\n`,
      [`${after}`]: `${header(`${incompatible}`, 'none')}CREATE TABLE "later" ("id" UUID PRIMARY KEY);\n`,
    })
    undo.push(nothingNew.remove, release.remove)
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('plan lists what is pending, who can serve meanwhile, and for how long requests wait, and changes nothing', async () => {
    const rows = await plan()
    expect(rows).toMatchObject([
      { name: compatible, while_serving: 'yes', blocks_seconds: 0.05, locks: ['ACCESS EXCLUSIVE on course'] },
      { name: slow, while_serving: 'yes', blocks_seconds_per_million: 1.6 },
      { name: incompatible, while_serving: 'no: no earlier release works with it' },
      { name: after, while_serving: `no: only releases from ${incompatible} on work with it`, locks: [] },
    ])
    const { code, output } = await migrate('plan')
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${slow} +yes +0\\.05 +1\\.6 .*ACCESS EXCLUSIVE on course$`, 'm')),
    ])
    expect(output).toContain('Times are estimates')
    expect(await plan()).toEqual(rows)
  })

  test('up --while-serving applies what the processes can serve with, and stops with the name, the reason and the way on', async () => {
    const refusal = `not applied: ${incompatible}, because no earlier release works with it. Stop all processes, then run migrate up\n`
    const first = await migrate('up', '--while-serving')
    expect([first.code, first.output]).toEqual([1, expect.stringContaining(applied(compatible, slow))])
    expect(first.output).toContain(refusal)
    expect(first.output).not.toContain('nothing to apply')
    const again = await migrate('up', '--while-serving')
    expect([again.code, again.output]).toEqual([1, expect.stringContaining(refusal)])
    expect(again.output).not.toContain('applied 2')
    expect((await plan()).map(({ name }) => name)).toEqual([incompatible, after])
    const status = await nothingNew.schoolgate(['migrate', 'status', '--json'], variables)
    expect(JSON.parse(status.out)).toContainEqual({ name: slow, state: 'applied by a newer release' })
    expect(await nothingNew.schoolgate(['migrate', 'plan'], variables)).toMatchObject({ code: 0, out: 'nothing to apply\n' })
  })

  test('up applies the rest; then there is nothing to plan or to apply', async () => {
    expect(await migrate('up')).toMatchObject({ code: 0, output: expect.stringContaining(applied(incompatible, after)) })
    expect(await migrate('up', '--while-serving')).toMatchObject({ code: 0, output: expect.stringContaining('nothing to apply\n') })
    expect(await plan()).toEqual([])
    expect(await migrate('plan')).toMatchObject({ code: 0, out: 'nothing to apply\n' })
  })

  test('the release before is refused from then on, with the name of the migration', async () => {
    expect(await nothingNew.schoolgate(['migrate', 'plan'], variables)).toMatchObject({
      code: 1,
      output: expect.stringContaining(incompatible as string),
    })
  })
})
