import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { ConfigError } from '../../src/config/configErrors.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { describedFiles, describedVariables } from '../../src/config/files.ts'
import { keysOf } from '../../src/config/jsonSchema.ts'
import { loadConfig } from '../../src/config/load.ts'
import { runsOrThorough } from '../support/thorough.ts'
import { configFolder, knownScopes, scopes } from './configFolder.ts'

const names = ['server.yaml', 'oauth.yaml', 'resources.yaml', 'roles.yaml', 'schools/demo.yaml']
const keys = describedFiles().flatMap(({ schema }) =>
  [...keysOf(schema)].map(({ name }) => name.split('.').at(-1)?.replace('[]', '') ?? ''),
)
const marks = [
  '-',
  '- ',
  ': ',
  ':',
  '? ',
  '&a ',
  '*a',
  '!x ',
  '<<: *a',
  '{',
  '}',
  '[',
  ']',
  ',',
  '#',
  '"',
  "'",
  '|\n',
  '>\n',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '\t',
  '  ',
  '\n',
  '\r',
  '\0',
  '\u2028',
  'null',
  '~',
  '.nan',
  '1e999',
  '__proto__',
]

/** Checks that loading returns a configuration or throws a ConfigError with one line for each error. */
function survives(directory: string): void {
  try {
    loadConfig({ directory, environment: readEnvironment({}), ...scopes })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.message.split('\n')).toHaveLength(error.issues.length)
    expect(error.message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028]/u)
  }
}

describe('for any content of a file, the loader returns a configuration or lists its errors', () => {
  const withText = (text: fc.Arbitrary<string>): void => {
    const directory = configFolder()
    fc.assert(
      fc.property(fc.constantFrom(...names), text, (name, content) => {
        writeFileSync(join(directory, name), content)
        survives(directory)
        writeFileSync(join(directory, name), '')
      }),
      { numRuns: runsOrThorough(100, 400) },
    )
  }

  test('text of YAML syntax', () => {
    withText(fc.array(fc.constantFrom(...marks, ...keys), { maxLength: 40 }).map((parts) => parts.join('')))
  })

  test('any text', () => {
    withText(fc.string({ unit: 'binary', maxLength: 200 }))
  })

  test('known keys with any values', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys, '__proto__', 'constructor'), tie('tree'), { maxKeys: 4 }),
      ),
      leaf: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.webUrl(), fc.constantFrom(...knownScopes)),
    }))
    withText(fc.dictionary(fc.constantFrom(...keys), tree).map((value) => stringify(value)))
  })

  test.each([
    ['brackets', '['.repeat(100_000)],
    ['braces', '{a: '.repeat(50_000)],
    ['dashes', '- '.repeat(100_000)],
    ['closed brackets', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ])(
    '%s without end',
    (_name, text) => {
      survives(configFolder({ 'server.yaml': text }))
    },
    60_000,
  )
})

test('for any variables, reading the environment returns it or lists its errors', () => {
  const variables = describedVariables().map(({ name }) => name)
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...variables), fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.nat().map(String))),
      (given) => {
        try {
          readEnvironment(given)
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error
        }
      },
    ),
    { numRuns: runsOrThorough(250, 1000) },
  )
})
