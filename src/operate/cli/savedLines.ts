import { createReadStream } from 'node:fs'

const linesAtOnce = 1000
const charactersAtOnce = 4_194_304

/** Yields the lines of a file in parts of a limited size. Lines end with a line feed only: JSON contains other separators as they are. */
export async function* savedLines(path: string): AsyncGenerator<string[]> {
  let [rest, characters] = ['', 0]
  let lines: string[] = []
  const texts: AsyncIterable<string> = createReadStream(path, { encoding: 'utf8', highWaterMark: 262_144 })
  for await (const text of texts) {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      characters += line.length
      if (lines.length < linesAtOnce && characters < charactersAtOnce) continue
      yield lines
      ;[lines, characters] = [[], 0]
    }
  }
  if (rest !== '') lines.push(rest)
  if (lines.length > 0) yield lines
}
