import { Problem } from '../../base/problem.ts'
import { type Caches, createCaches } from '../../base/process/caches.ts'
import { utf8 } from '../../base/text/utf8.ts'
import type { FactVersion } from '../../database/facts/fact.ts'
import type { ApiResponse, RequestInput, VisitorAnswers, VisitorRead } from '../call.ts'
import type { Operation } from '../declare/operations.ts'
import type { Run } from '../run.ts'

export interface VisitorAnswersArguments {
  /** Returns the current version of a school's content; undefined if it cannot be known. Then no response is kept. Never rejects. */
  versionOf(schoolId: string): Promise<FactVersion>
  caches?: Caches
  /** Approximate memory of all responses. */
  maxBytes?: number
}

interface Kept {
  version: string
  until: number
  answer: Promise<ApiResponse>
}

const keptMilliseconds = 1000
/** Longer responses are made for each request. */
const longestText = 262_144
/** An answer holds its body as an object, as text and in UTF-8. */
const bytesPerCharacter = 6
const overheadBytes = 1000

export function createVisitorAnswers({ versionOf, caches = createCaches(), maxBytes }: VisitorAnswersArguments): VisitorAnswers {
  const making = new Map<string, Kept>()
  const kept = caches.create<Kept & { size: number }>('visitor_answers', {
    ...(maxBytes !== undefined && { maxSize: maxBytes }),
    sizeCalculation: ({ size }) => size,
  })
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

/** Returns `run` with the responses to visitors that are kept. */
export function withVisitorAnswers(run: Run, visitorAnswers: VisitorAnswers): Run {
  return async (operation, caller, sent, context) => {
    const { method, anonymous, resource } = operation
    const isKept = caller.kind === 'anonymous' && anonymous !== 'none' && method === 'GET' && resource.isInCatalogue
    const parameters = isKept ? readable(sent) : undefined
    if (!parameters) return await run(operation, caller, sent, context)
    const { school, contentVersion: version } = context
    return await visitorAnswers.answer({ schoolId: school.id, operation, format: sent.format ?? 'json', parameters, version }, () =>
      run(operation, caller, { ...sent, parameters: () => parameters }, context),
    )
  }
}

/** Returns the parameters; undefined if they are malformed, which `run` reports after the earlier checks. */
function readable(sent: RequestInput): ReturnType<RequestInput['parameters']> | undefined {
  try {
    return sent.parameters()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
