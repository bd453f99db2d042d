import { Problem } from '../../src/base/problem.ts'

/** A parser of untrusted input, with an input of any size. */
export interface ParserCase {
  parser: string
  /** The property that grows with `size`: length, depth or count. */
  grows: string
  /** The smaller of the two sizes that are compared; the other is twice as much. */
  size: number
  input(size: number): unknown
  parse(input: never): unknown
  /** The maximum length of the output, if the parser has one. */
  maxOutput?: number
}

export const defineCase = <Input>(
  one: Omit<ParserCase, 'input' | 'parse'> & { input(size: number): Input; parse(input: Input): unknown },
) => one as ParserCase

/** Repeats a piece to a text of exactly this length. */
export const filled = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** CPU time in milliseconds of the fastest of several runs, and the result: the length of a text, or -1 if it was rejected. */
export async function cpuTime(work: () => unknown, runs = 2): Promise<{ ms: number; output: number }> {
  let best = Number.POSITIVE_INFINITY
  let output = 0
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    try {
      const result = await work()
      output = typeof result === 'string' ? result.length : 0
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      output = -1
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return { ms: best, output }
}
