/** Setup file of Vitest: writes which functions of src a test file calls, and how often. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import type { CallRecord, Calls } from './callMap.ts'

const root = process.cwd()
const source = new URL('src/', `file://${root}/`).href
const directory = process.env.MUTATE_RECORDS ?? ''

// Modules stay loaded from one test file to the next, so each file starts with new counters.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

let start = 0
let loading: Calls = {}

beforeAll(async () => {
  loading = await takeCalls()
  start = performance.now()
})

// biome-ignore lint/correctness/noEmptyPattern: Vitest accepts only a pattern as the first parameter
afterAll(async ({}, suite) => {
  const seconds = (performance.now() - start) / 1000
  const running = await takeCalls()
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  const test = relative(root, suite.file.filepath)
  const record: CallRecord = { test, hash: hashOf(test), seconds, passed: hasPassed(suite.tasks), running, loading, hashes: {} }
  for (const file of new Set([...Object.keys(running), ...Object.keys(loading)])) record.hashes[file] = hashOf(file)
  writeFileSync(join(directory, `${test.replaceAll('/', '.')}.json`), JSON.stringify(record))
})

/** Returns the calls since the counters were read before. */
async function takeCalls(): Promise<Calls> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const calls: Calls = {}
  for (const { url, functions } of result) {
    if (!url.startsWith(source) || url.startsWith(`${source}gen/`)) continue
    const called = functions.flatMap(({ ranges: [range, ...blocks] }) => {
      if (!range || range.count === 0) return []
      const skipped = blocks.flatMap(({ startOffset, endOffset, count }) => (count === 0 ? [[startOffset, endOffset] as const] : []))
      return [[range.startOffset, range.endOffset, range.count, skipped] as const]
    })
    if (called.length > 0) calls[relative(root, fileURLToPath(url))] = called
  }
  return calls
}

interface Task {
  mode: string
  result?: { state?: string }
}

const hasPassed = (tasks: readonly Task[]): boolean => tasks.every(({ mode, result }) => mode === 'skip' || result?.state === 'pass')

const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex')
    .slice(0, 16)
