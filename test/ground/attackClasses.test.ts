import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brokenLink, type LinkedTest } from '../support/linkedTests.ts'

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
    const expected = [numbered('D', 34), numbered('H', 2), numbered('M', 6), numbered('L', 10), numbered('X', 11)].flat()
    expect(classes.map(({ number }) => number)).toEqual(expected)
  })

  test.each(classes)('$number links to tests that exist, with a date', (row) => expect(problemsOf(row)).toEqual([]))

  test('fails for a renamed test, a missing file, a row without a test, and a date in the future', () => {
    const [row] = classes.map(({ number }) => new RegExp(`^\\| ${number} \\|.*$`, 'm').exec(document)?.[0] ?? '')
    const found = (text: string): string[] => attackClasses(text).flatMap(problemsOf)
    expect(found(row as string)).toEqual([])
    expect(found((row as string).replace('succeeds exactly once', 'succeeds'))).toEqual([expect.stringContaining('no test has the title')])
    expect(found((row as string).replace('races.test.ts', 'gone.test.ts'))).toEqual([expect.stringContaining('does not exist')])
    expect(found('| D1 | An attack | – | 2026-01-01 |')).toEqual(['no test'])
    expect(found((row as string).replace(/\d{4}-\d{2}-\d{2}/, '2999-01-01'))).toEqual([expect.stringContaining('not a past day')])
  })
})
