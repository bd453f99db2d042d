import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { filled } from './inputCosts.ts'

const src = resolve(import.meta.dirname, '../../src')

interface Found {
  /** File and line. */
  place: string
  literal: string
}

/** Every regular expression that is written in src. */
function regularExpressions(): Found[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.startsWith('gen/'))
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
    const found: Found[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node))
        found.push({ place: `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`, literal: node.text })
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  })
}

const compiled = ({ literal }: Found): RegExp => {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

const common = [
  'a',
  'A',
  '0',
  ' ',
  '-',
  '.',
  '_',
  '/',
  '\\',
  ':',
  '@',
  '%',
  '"',
  "'",
  '<',
  '>',
  '(',
  '[',
  '{',
  '|',
  '*',
  '#',
  '&',
  ';',
  ',',
  '=',
  '\n',
  '\t',
  '\u200b',
  'é',
]

/** Texts that repeat what the expression itself names, so that its repetitions compete for them. */
function pieces({ literal }: Found): string[] {
  const words = literal.match(/[a-z]{2,}|[A-Z]{2,}/g) ?? []
  const characters = [...new Set(literal.replaceAll(/[\\^$?+]/g, ''))].slice(0, 12)
  const pairs = characters.flatMap((one, index) => characters.slice(index + 1, index + 4).map((other) => one + other))
  return [...new Set([...common, ...words, ...characters, ...pairs])]
}

/** The CPU time in milliseconds of the fastest of several searches in a text that ends in a character that no expression expects. */
function searchTime(expression: RegExp, text: string, runs: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    text.replace(expression, '')
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

const size = 20_000
/** A search that is linear takes less than a millisecond for 20,000 characters; one that is quadratic hundreds. */
const trivialMs = 25
/** Four times the text: 4 if the time is linear, 16 if it is quadratic. */
const maxGrowth = 8

const textOf = (piece: string, length: number): string => `x${filled(piece, length)}\u0001`

/** Returns a text for which the time grows faster than its length, or undefined. */
function expensivePiece(found: Found): string | undefined {
  const expression = compiled(found)
  return pieces(found).find((piece) => {
    const text = textOf(piece, size)
    // One search decides most cases: further ones could only find a shorter time, thus less growth.
    const first = searchTime(expression, text, 1)
    if (first < trivialMs) return false
    const quarter = searchTime(expression, textOf(piece, size / 4), 5)
    if (first / quarter <= maxGrowth) return false
    const time = searchTime(expression, text, 2)
    return time >= trivialMs && time / quarter > maxGrowth
  })
}

/** Returns a text of this length for which the time is not trivial, or undefined. */
function slowPiece(found: Found, length: number): string | undefined {
  const expression = compiled(found)
  return pieces(found).find((piece) => {
    const text = textOf(piece, length)
    return searchTime(expression, text, 1) >= trivialMs && searchTime(expression, text, 5) >= trivialMs
  })
}

/** Expressions whose time grows faster than the text, but is trivial up to a limit that the text never exceeds, for the stated reason. */
const bounded: Readonly<Record<string, { longest: number; reason: string }>> = {
  '/\\/+$/': { longest: 1000, reason: 'the operator writes the address of the receiver' },
  '/^[a-z0-9.-]*[a-z][a-z0-9.-]*$/': { longest: 253, reason: 'a host name (RFC 1035 section 2.3.4)' },
  '/^-+|-+$/g': { longest: 253, reason: 'a host name' },
  '/=+$/': { longest: 64, reason: 'base64 of a salt or a hash' },
  '/(?<=.*\\p{L}.*)[@431!0$57](?=.*\\p{L})/gu': { longest: 1024, reason: 'a password, which has at most 1024 bytes' },
}

describe('regular expressions', () => {
  const all = regularExpressions()

  test('every one of them takes time in proportion to the length of the text, or has a short text', () => {
    expect(all.length).toBeGreaterThan(200)
    const expensive = [...Map.groupBy(all, ({ literal }) => literal)].flatMap(([literal, places]) => {
      const [found] = places as [Found]
      const limit = bounded[literal]
      const piece = limit ? slowPiece(found, limit.longest) : expensivePiece(found)
      return piece === undefined ? [] : places.map(({ place }) => `${place}: ${literal} with ${JSON.stringify(piece)}`)
    })
    expect(expensive).toEqual([])
  })

  test('each exception still exists', () => {
    const literals = new Set(all.map(({ literal }) => literal))
    expect(Object.keys(bounded).filter((literal) => !literals.has(literal))).toEqual([])
  })

  test('a quadratic one is found, and a linear one is not', () => {
    for (const literal of ['/[a-z]+\\s*:|\\\\|&/i', '/\\s+$/'])
      expect([literal, expensivePiece({ place: '', literal })]).toEqual([literal, expect.any(String)])
    for (const literal of ['/[:\\\\&]/', '/^[a-z]+$/', '/^\\s+/']) expect(expensivePiece({ place: '', literal })).toBeUndefined()
  })
})
