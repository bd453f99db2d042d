import { setImmediate as turn } from 'node:timers/promises'
import { array, assert, asyncProperty, constantFrom, record, string } from 'fast-check'
import { expect, test } from 'vitest'
import { linesOfTurn } from '../../src/base/process/linesOfTurn.ts'

function collected() {
  const writes: string[] = []
  return { writes, lines: linesOfTurn({ write: (text) => writes.push(text) }) }
}

test('the lines of one turn of the event loop are one write', async () => {
  const { writes, lines } = collected()
  for (const line of ['a\n', 'b\n', 'c\n']) lines.together.write(line)
  expect(writes).toEqual([])
  await turn()
  expect(writes).toEqual(['a\nb\nc\n'])
  lines.together.write('d\n')
  await turn()
  expect(writes).toEqual(['a\nb\nc\n', 'd\n'])
})

test('lines keep their order, are complete, and no write of several lines is longer than a pipe takes as a whole', async () => {
  const line = record({
    way: constantFrom('together', 'immediately', 'turn'),
    text: string({ unit: 'binary', maxLength: 3000 }).map((text) => `${text.replaceAll('\n', ' ')}\n`),
  })
  await assert(
    asyncProperty(array(line, { maxLength: 40 }), async (all) => {
      const { writes, lines } = collected()
      for (const { way, text } of all) {
        if (way === 'turn') await turn()
        else {
          lines[way].write(text)
          if (way === 'immediately') expect(writes.at(-1)).toBe(text)
        }
      }
      lines.flush()
      expect(writes.join('')).toBe(all.map(({ way, text }) => (way === 'turn' ? '' : text)).join(''))
      for (const write of writes) if (write.indexOf('\n') < write.length - 1) expect(Buffer.byteLength(write)).toBeLessThanOrEqual(4096)
    }),
  )
})
