import { describe, expect, test } from 'vitest'
import { cpuTime, defineCase, filled, type ParserCase } from './inputCosts.ts'

const pieces = [
  'a',
  'a.',
  '.',
  '-',
  '@',
  ' ',
  '%',
  '%41',
  '/',
  ':',
  '(',
  ')',
  ';',
  '"',
  '\\',
  'é',
  '\u202e',
  '1',
  '0.',
  'Mozilla/5.0 (',
  ',',
]
/** Cases of a parser of texts: one for each piece, of which the text consists. */
export const texts = (parser: string, parse: (text: string) => unknown, size = 20_000): ParserCase[] =>
  pieces.map((piece) => defineCase({ parser, grows: JSON.stringify(piece), size, input: (length) => filled(piece, length), parse }))
/** Returns a text that is nested this deep. */
export const nested = (open: string, close: string) => (depth: number) => open.repeat(depth) + close.repeat(depth)

/** Shorter times depend more on the machine than on the parser. */
const trivialMs = 40
/** From 2n to 8n: 4 if the time is linear, 16 if it is quadratic. */
const maxGrowth = 9

/** Returns the CPU time in milliseconds for `factor * size`: the minimum of several runs, since more runs can only find a shorter time. */
async function timeOf({ size, input, parse }: ParserCase, factor: number, runs: number): Promise<number> {
  const given = input(factor * size) as never
  return (await cpuTime(() => parse(given), runs)).ms
}

/** Returns the times if they grow faster than the input, else undefined. Measures again before it says so. */
export async function fasterThanInput(one: ParserCase): Promise<string | undefined> {
  // One run of the largest input decides most cases: further ones could only find a shorter time, thus less growth.
  const first = await timeOf(one, 8, 1)
  if (first < trivialMs || first / (await timeOf(one, 2, 3)) < maxGrowth) return undefined
  for (let attempt = 0; attempt < 3; attempt++) {
    const [double, most] = [await timeOf(one, 2, 3), await timeOf(one, 8, 3)]
    if (most < trivialMs || most / double < maxGrowth) return undefined
    if (attempt === 2) return `${one.parser}, ${one.grows}: ${double} ms for ${2 * one.size}, ${most} ms for ${8 * one.size}`
  }
  return undefined
}

/** Tests every parser of the cases: its time, and its output if that is bounded. */
export function testGrowth(cases: readonly ParserCase[]): void {
  describe('eight times the input takes at most about eight times the time', () => {
    const parsers = Map.groupBy(cases, ({ parser }) => parser)
    test.each([...parsers.keys()])('%s', async (parser) => {
      for (const one of parsers.get(parser) ?? []) {
        expect(await fasterThanInput(one)).toBeUndefined()
        if (one.maxOutput === undefined) continue
        expect((await cpuTime(() => one.parse(one.input(8 * one.size) as never), 1)).output).toBeLessThanOrEqual(one.maxOutput)
      }
    })
  })
}
