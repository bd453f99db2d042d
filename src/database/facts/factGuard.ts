import { AsyncLocalStorage } from 'node:async_hooks'
import { type Fact, type FactVersion, nameOfFact, reportedFact, schoolFact } from './fact.ts'

/** A change of facts that were named before it. */
export interface FactChange extends MarkedChange {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/**
 * Marks every change of a fact. The database reports changes to the connection that makes them (see the triggers of
 * `prisma/migrations`), so no writer can forget it. A change in a transaction needs nothing else. A single statement outside a transaction
 * commits by itself, so its facts have to be named before: otherwise they are marked too late, which is reported as an error.
 */
export interface FactGuard {
  /** Names the facts that a statement outside a transaction changes, and marks them as busy. */
  begin(facts: readonly Fact[]): Promise<FactChange>
  /** The same around `work`. If `work` fails, the facts stay busy for a while, since it is unknown whether they were changed. */
  changing<Result>(facts: readonly Fact[], work: () => Promise<Result>): Promise<Result>
  /** Names the facts that a statement changes for several requests, each of which has begun its own. */
  naming<Result>(facts: readonly Fact[], work: () => Promise<Result>): Promise<Result>
  /** Marks changes here from now on. */
  useMarkers(markers: FactMarkers): void
  /** Where changes are marked now. */
  readonly markers: FactMarkers
  /** The markers of the embedded database, if they are used. */
  readonly memory: MemoryMarkers | undefined
  watch(): ConnectionWatch
  /** Calls the listener when a statement has been answered, in the context of the code that waits for it. */
  onAnswer(listener: () => void): void
  /** To be called when a statement has been answered. */
  answered(): void
}

/** The part of a guard with which statements outside a transaction name their facts. */
export type NamedFacts = Pick<FactGuard, 'begin' | 'changing' | 'naming'>

/** For statements within a transaction: its commit marks the changes. */
export const markedByTransaction: NamedFacts = {
  begin: async () => ({ run: (work) => work(), end: async () => undefined }),
  changing: (_facts, work) => work(),
  naming: (_facts, work) => work(),
}

/** The facts that one connection has changed and not yet committed. */
export interface ConnectionWatch {
  readonly isEmpty: boolean
  note(message: { code?: string | undefined; detail?: string | undefined }): void
  forget(): void
  /** Marks what the connection has changed as busy: its transaction is about to be committed. */
  begin(): Promise<MarkedChange>
  /** Marks what a statement outside a transaction has changed, unless it was named before. `named` is from the time of the statement. */
  settle(named: ReadonlySet<string> | undefined): Promise<void>
  /** The facts that the running code has named. */
  named(): ReadonlySet<string> | undefined
}

/** More changes of one transaction are marked for the school as a whole. */
export const maxFacts = 500

const unmarked: FactMarkers = { begin: async () => ({ end: async () => undefined }) }

/** @param onLateMark is called with the kinds of the facts that were changed outside a transaction without being named */
export function createFactGuard(kind: 'embedded' | 'postgresql', onLateMark: (facts: readonly Fact[]) => void): FactGuard {
  const running = new AsyncLocalStorage<ReadonlySet<string>>()
  let memory = kind === 'embedded' ? memoryMarkers() : undefined
  let markers: FactMarkers = memory ?? unmarked

  const listeners: (() => void)[] = []
  const naming: FactGuard['naming'] = (facts, work) => running.run(new Set(facts.map(nameOfFact)), work)
  const begin = async (facts: readonly Fact[]): Promise<FactChange> => {
    const change = await markers.begin(facts)
    return { end: () => change.end(), run: (work) => naming(facts, work) }
  }

  return {
    begin,
    naming,
    async changing(facts, work) {
      const change = await begin(facts)
      const result = await change.run(work)
      await change.end()
      return result
    },
    onAnswer: (listener) => void listeners.push(listener),
    answered() {
      for (const listener of listeners) listener()
    },
    useMarkers(used) {
      markers = used
      memory = undefined
    },
    get markers() {
      return markers
    },
    get memory() {
      return memory
    },
    watch() {
      const changed = new Map<string, Fact>()
      const take = (): Fact[] => {
        const facts = summarize([...changed.values()])
        changed.clear()
        return facts
      }
      return {
        get isEmpty() {
          return changed.size === 0
        },
        note(message) {
          const fact = reportedFact(message)
          if (fact) changed.set(nameOfFact(fact), fact)
        },
        forget: () => changed.clear(),
        begin: () => markers.begin(take()),
        async settle(named) {
          const late = take().filter((fact) => !named?.has(nameOfFact(fact)))
          if (late.length === 0) return
          await (await markers.begin(late)).end()
          // Content is marked after its commit in any case.
          const unnamed = late.filter(({ kind }) => kind !== 'content')
          if (unnamed.length > 0) onLateMark(unnamed)
        },
        named: () => running.getStore(),
      }
    },
  }
}

function summarize(facts: Fact[]): Fact[] {
  if (facts.length <= maxFacts) return facts
  return [...new Set(facts.map(({ schoolId }) => schoolId))].map(schoolFact)
}

/** Markers in the memory of the process, for a database that only this process can open. */
interface MemoryMarkers extends FactMarkers {
  versionOf(fact: Fact): FactVersion
}

interface Marker {
  changes: number
  version: number
  forgottenAt: number
}

function memoryMarkers(): MemoryMarkers {
  const markers = new Map<string, Marker>()
  let latest = 0

  const forgetOld = (now: number): void => {
    // In the order of their last change.
    for (const [name, { changes, forgottenAt }] of markers) {
      if (changes > 0 || forgottenAt > now) return
      markers.delete(name)
    }
  }
  const mark = (fact: Fact, difference: 1 | -1): void => {
    const now = performance.now()
    forgetOld(now)
    const name = nameOfFact(fact)
    const changes = (markers.get(name)?.changes ?? 0) + difference
    latest += 1
    markers.delete(name)
    markers.set(name, { changes, version: latest, forgottenAt: now + versionSeconds * 1000 })
  }
  const stateOf = (fact: Fact): string | undefined => {
    const marker = markers.get(nameOfFact(fact))
    return marker && marker.changes > 0 ? undefined : String(marker?.version ?? 0)
  }

  return {
    async begin(facts) {
      for (const fact of facts) mark(fact, 1)
      return {
        async end() {
          for (const fact of facts) mark(fact, -1)
        },
      }
    },
    versionOf(fact) {
      const [school, version] = [stateOf(schoolFact(fact.schoolId)), stateOf(fact)]
      return school === undefined || version === undefined ? undefined : `${school} ${version}`
    },
  }
}

/**
 * Marks changes of facts for every process that keeps them in memory. A change is marked as busy before its transaction commits, and gets a
 * fresh version after the commit and before it is acknowledged.
 */
export interface FactMarkers {
  /** Marks the facts as busy: no process uses or keeps them until the change has ended, or for `busySeconds` if its process dies. */
  begin(facts: readonly Fact[]): Promise<MarkedChange>
}

export interface MarkedChange {
  /** Gives the facts a fresh version. Not called if it is unknown whether the transaction was committed. */
  end(): Promise<void>
}

/** How long a process keeps a fact, counted from the moment when it read the version. */
export const keptSeconds = 20
/** Longer than any process keeps a fact: what was kept before a process died within its change is forgotten by then. */
export const busySeconds = 30
/** Versions are forgotten after this time. No process can hold an earlier version of the fact then. */
export const versionSeconds = 60
/** Without an epoch nothing is kept, and the next one is new. */
export const epochSeconds = 86_400
