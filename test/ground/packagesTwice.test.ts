import { describe, expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

/** Runs the check on programs of which the service has this text. */
const check = (service: string): { code: number | null; output: string } =>
  checkPlanted(
    {
      'src/operate/serve/runService.ts': service,
      'src/operate/serve/supervise.ts': 'export const supervise = 1\n',
      'src/operate/serve/openLog.ts': "export { pino } from 'pino'\n",
      'src/operate/cli/commandLine.ts': 'export const run = 1\n',
    },
    ['scripts/packagesTwice.ts'],
  )

/** Loads a package that stays outside of the bundle, and which loads `@prisma/client-runtime-utils`. */
const client = "export const open = () => import('@prisma/client/runtime/client')\n"

describe('a process that runs the bundle', () => {
  test('passes if packages of the bundle and those outside of it are different', () => {
    const { code, output } = check(client)
    expect([code, output]).toEqual([0, expect.stringContaining('packages in the bundle')])
  })

  test('fails if a package is in the bundle and a package outside of it loads it again, with both names and the fix', () => {
    const { code, output } = check(`${client}export * from '@prisma/client-runtime-utils'\n`)
    expect(output).toContain(
      '@prisma/client/runtime/client is outside of the bundle and loads packages that are in it: @prisma/client-runtime-utils',
    )
    expect(output).toContain('scripts/bundle.ts')
    expect(code).toBe(1)
  })

  test('fails if the check finds no package, because it would then always pass', () => {
    const { code, output } = checkPlanted(
      Object.fromEntries(
        ['operate/serve/runService', 'operate/serve/supervise', 'operate/serve/openLog', 'operate/cli/commandLine'].map((name) => [
          `src/${name}.ts`,
          'export const a = 1\n',
        ]),
      ),
      ['scripts/packagesTwice.ts'],
    )
    expect([code, output]).toEqual([1, expect.stringContaining('contains no package')])
  })
})
