import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readTestGraph } from '../../scripts/relatedTests.ts'

const root = resolve(import.meta.dirname, '../..')

/** Where the records are stored: one file per test file. */
export const recordsDirectory = join(root, 'node_modules/.cache/calls')

type Range = readonly [start: number, end: number]

/**
 * Calls by file of src: the offsets of a function, how often it was called, and its blocks that were not executed. Node strips types without
 * moving the code.
 */
export type Calls = Record<string, (readonly [...Range, count: number, skipped: readonly Range[]])[]>

/** The calls of one test file. */
export interface CallRecord {
  test: string
  /** Hash of the test file. */
  hash: string
  /** The time of the tests, without loading. */
  seconds: number
  passed: boolean
  running: Calls
  /** Calls while the test file was loaded. Modules that earlier files loaded are missing. */
  loading: Calls
  /** Hashes of the called files of src. */
  hashes: Record<string, string>
}

interface Place {
  file: string
  start: number
}

export interface CallMap {
  /** Returns the test files that execute a place of the source, best first. */
  testsOf(place: Place): readonly string[]
}

/** Reads the records of test files that passed. */
export function readCallMap(): CallMap {
  const records = readRecords().filter(({ passed }) => passed)
  const graph = readTestGraph()
  return {
    testsOf(place) {
      const { file } = place
      const callers = callersOf(records, place, hashOf(file))
      const known = new Set(records.map(({ test }) => test))
      const nearest = graph.relatedTo(file).filter((test) => known.has(test))
      const called = new Set(callers.map(({ test }) => test))
      const busiest = callers.toSorted((a, b) => b.callsPerSecond - a.callsPerSecond).map(({ test }) => test)
      const thoroughFirst = callers.toSorted((a, b) => b.executed - a.executed || a.seconds - b.seconds).map(({ test }) => test)
      // Every start of a service calls some functions. Among their callers, those whose subject is the module check the result.
      const atHome = thoroughFirst.filter((test) => homesOf(file).some((folder) => test.startsWith(`test/${folder}/`)))
      const near = nearest.filter((test) => called.has(test))
      // Code that runs while its module is loaded has few callers: then the tests of other code in the file follow.
      const ofFile = records.filter(({ running }) => running[file]).toSorted((a, b) => a.seconds - b.seconds)
      return [...new Set([...inTurns(busiest, atHome, near, thoroughFirst), ...nearest, ...ofFile.map(({ test }) => test)])]
    },
  }
}

/** The folders of test whose subject is a module of src. */
const homes: Readonly<Record<string, readonly string[]>> = {
  'src/identity/': ['identity'],
  'src/base/': ['base', 'identity', 'pages'],
  'src/database/': ['database'],
  'src/engine/': ['engine', 'school'],
  'src/school/': ['school'],
}

const homesOf = (file: string): readonly string[] => Object.entries(homes).find(([start]) => file.startsWith(start))?.[1] ?? []

/** Returns the first items of the lists, then the second ones, and so on. */
const inTurns = (...lists: (readonly string[])[]): string[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()

interface Caller {
  test: string
  seconds: number
  callsPerSecond: number
  /** The number of characters of the function that the test executes. */
  executed: number
}

/**
 * Returns the test files that execute a place of the source, with their calls of the innermost function around it. In records of an earlier
 * text of the file the offsets have moved, so that every call in the file counts.
 */
export function callersOf(records: readonly CallRecord[], { file, start }: Place, hash: string | undefined): Caller[] {
  const has = ([from, to]: readonly [number, number, ...unknown[]]): boolean => from <= start && start < to
  const candidates = records.map((record) => {
    const isCurrent = record.hashes[file] === hash
    return { record, isCurrent, calls: callsIn(record, file).filter((call) => !isCurrent || has(call)) }
  })
  const innermost = Math.min(...candidates.flatMap(({ isCurrent, calls }) => (isCurrent ? calls.map(lengthOf) : [])))
  return candidates.flatMap(({ record: { test, seconds }, isCurrent, calls }) => {
    const counted = isCurrent ? calls.filter((call) => lengthOf(call) === innermost && !call[3].some(has)) : calls
    const count = sumOf(counted.map(([, , number]) => number))
    const executed = sumOf(counted.map((call) => lengthOf(call) - sumOf(call[3].map(lengthOf))))
    // The start of a test file takes about a second, however quick its tests are.
    return count > 0 ? [{ test, seconds, callsPerSecond: count / (seconds + 1), executed }] : []
  })
}

const callsIn = ({ running, loading }: CallRecord, file: string): Calls[string] => [...(running[file] ?? []), ...(loading[file] ?? [])]
const lengthOf = ([start, end]: readonly [number, number, ...unknown[]]): number => end - start
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Returns the records of all test files that still exist. */
export function readRecords(): CallRecord[] {
  if (!existsSync(recordsDirectory)) return []
  return readdirSync(recordsDirectory)
    .map((name): CallRecord => JSON.parse(readFileSync(join(recordsDirectory, name), 'utf8')))
    .filter(({ test }) => existsSync(join(root, test)))
}

/** Returns a short hash of a file of the project; undefined if it does not exist. */
export function hashOf(file: string): string | undefined {
  const path = join(root, file)
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16) : undefined
}
