import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { variables } from '../../src/config/environment.ts'
import { brokenLink, type LinkedTest } from '../support/linkedTests.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8')
const model = read('docs/threat-model.md')

/** The rows of a table, by the heading above it: the texts of its cells. */
function rowsUnder(heading: string): string[][] {
  const section = model.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/threat-model.md', () => {
  test('states for each asset what protects it and what does not', () => {
    const assets = rowsUnder('Assets')
    expect(assets.length).toBeGreaterThan(15)
    for (const cells of assets) {
      expect(cells).toHaveLength(3)
      for (const cell of cells) expect(cell.length, cells[0]).toBeGreaterThan(4)
    }
    expect(new Set(assets.map(([asset]) => asset)).size).toBe(assets.length)
  })

  test('has an asset for each purpose for which the service derives a key', () => {
    const type = /export type KeyPurpose =\n((?: {2}\| '[^']+'\n)+)/.exec(read('src/base/keyring.ts'))?.[1] ?? ''
    const purposes = [...type.matchAll(/'([^']+)'/g)].map(([, purpose]) => purpose)
    expect(purposes.length).toBeGreaterThan(10)
    const named = new Set(
      rowsUnder('Assets').flatMap(([, protection = '']) => [...protection.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
    )
    expect(purposes.filter((purpose) => !named.has(purpose))).toEqual([])
  })

  test('names only settings that exist', () => {
    const settings = rowsUnder('Operators decide').map(([setting = '']) => /`([\w.]+)/.exec(setting)?.[1] ?? '')
    const documented = read('config/README.md')
    expect(settings.length).toBeGreaterThan(4)
    const isKnown = (name: string): boolean => name in variables || name.split('.').every((part) => documented.includes(part))
    expect(settings.filter((name) => !isKnown(name))).toEqual([])
  })
})

test('SECURITY.md names commands that the program has, and no address that nobody reads', () => {
  const text = read('SECURITY.md')
  const commands = [...text.matchAll(/`schoolgate (\w+) ([\w-]+)/g)].map(([, group, command]) => [group, command] as const)
  expect(commands.length).toBeGreaterThan(3)
  const documented = `${read('docs/operate.md')}\n${read('docs/deploy.md')}`
  for (const [group, command] of commands) expect(documented).toContain(`${group} ${command}`)
  expect(text.match(/[\w.+-]+@[\w-]+\.\w+/g)).toBeNull()
})

interface AttackClass {
  number: string
  tests: LinkedTest[]
  date: string
}

const document = readFileSync(resolve(import.meta.dirname, '../../docs/attack-classes.md'), 'utf8')

/** Reads the rows of the table of attack classes. */
function attackClasses(text: string): AttackClass[] {
  return [...text.matchAll(/^\| ([A-Z]\d+) \| .+? \| (.*) \| (.*) \|$/gm)].map(([, number = '', tests = '', date = '']) => ({
    number,
    date,
    tests: [...tests.matchAll(/\[((?:\\.|[^\]\\])+)\]\(\.\.\/test\/([^)]+)\)/g)].map(([, title = '', file = '']) => ({
      file,
      title: title.replaceAll(/\\(.)/g, '$1'),
    })),
  }))
}

/** The problems of one row. */
const problemsOf = ({ tests, date }: AttackClass): string[] => [
  ...(tests.length > 0 ? [] : ['no test']),
  ...(/^\d{4}-\d{2}-\d{2}$/.test(date) && Date.parse(date) <= Date.now() ? [] : [`the date ${date} is not a past day`]),
  ...tests.map(brokenLink).filter((problem) => problem !== undefined),
]

const numbered = (letter: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
const classes = attackClasses(document)

describe('the table of attack classes in docs/attack-classes.md', () => {
  test('has each class once, in order', () => {
    const expected = [numbered('D', 34), numbered('H', 2), numbered('M', 6), numbered('L', 10), numbered('X', 13)].flat()
    expect(classes.map(({ number }) => number)).toEqual(expected)
  })

  test.each(classes)('$number links to tests that exist, with a date', (row) => expect(problemsOf(row)).toEqual([]))

  test('fails for a renamed test, a missing file, a row without a test, and a date in the future', () => {
    const [row] = classes.map(({ number }) => new RegExp(`^\\| ${number} \\|.*$`, 'm').exec(document)?.[0] ?? '')
    const found = (text: string): string[] => attackClasses(text).flatMap(problemsOf)
    expect(found(row as string)).toEqual([])
    expect(found((row as string).replace('returns the same tokens 50 times', 'returns tokens'))).toEqual([
      expect.stringContaining('no test has the title'),
    ])
    expect(found((row as string).replace('races.test.ts', 'gone.test.ts'))).toEqual([expect.stringContaining('does not exist')])
    expect(found('| D1 | An attack | – | 2026-01-01 |')).toEqual(['no test'])
    expect(found((row as string).replace(/\d{4}-\d{2}-\d{2}/, '2999-01-01'))).toEqual([expect.stringContaining('not a past day')])
  })
})
