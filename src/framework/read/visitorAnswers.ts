import { LRUCache } from 'lru-cache'
import { utf8 } from '../../lib/utf8.ts'
import type { FactVersion } from '../../store/facts/factVersions.ts'
import type { Answer, VisitorAnswers, VisitorRead } from '../call.ts'
import type { Operation } from '../declare/operations.ts'

export interface VisitorAnswersArguments {
  /** Returns the current version of a school's content; undefined if it cannot be known. Then no response is kept. Never rejects. */
  versionOf(schoolId: string): Promise<FactVersion>
  /** Approximate memory of all responses. */
  maxBytes?: number
}

interface Kept {
  version: string
  until: number
  answer: Promise<Answer>
}

const keptMilliseconds = 1000
/** Longer responses are made for each request. */
const longestText = 262_144
/** An answer holds its body as an object, as text and in UTF-8. */
const bytesPerCharacter = 6
const overheadBytes = 1000

export function createVisitorAnswers({ versionOf, maxBytes = 16 * 1_048_576 }: VisitorAnswersArguments): VisitorAnswers {
  const making = new Map<string, Kept>()
  const kept = new LRUCache<string, Kept & { size: number }>({ maxSize: maxBytes, sizeCalculation: ({ size }) => size })
  const numbers = new WeakMap<Operation, number>()
  let latestNumber = 0

  /** The same operation exists with other parameters, for tools. */
  function numberOf(operation: Operation): number {
    const known = numbers.get(operation)
    if (known !== undefined) return known
    latestNumber += 1
    numbers.set(operation, latestNumber)
    return latestNumber
  }

  function keyOf({ schoolId, operation, format, parameters }: VisitorRead): string {
    const values = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1))
    return `${schoolId} ${numberOf(operation)} ${typeof format === 'object' ? format.type : format} ${JSON.stringify(values)}`
  }

  return {
    async answer(read, make) {
      const at = performance.now()
      const version = await (read.version ?? versionOf(read.schoolId))
      if (version === undefined) return await make()
      const key = keyOf(read)
      const found = making.get(key) ?? kept.get(key)
      if (found && found.version === version && found.until > at) {
        const answer = await found.answer
        // A stream can be read once.
        return answer.stream ? await make() : answer
      }
      const entry: Kept = { version, until: at + keptMilliseconds, answer: make() }
      making.set(key, entry)
      const isLatest = (): boolean => making.get(key) === entry
      try {
        const answer = await entry.answer
        if (isLatest() && !answer.stream && answer.text.length <= longestText) {
          const encoded = { ...answer, bytes: utf8(answer.text) }
          kept.set(key, {
            ...entry,
            answer: Promise.resolve(encoded),
            size: overheadBytes + key.length + answer.text.length * bytesPerCharacter,
          })
        }
        return answer
      } finally {
        if (isLatest()) making.delete(key)
      }
    },
    clear() {
      making.clear()
      kept.clear()
    },
  }
}
