import { Problem } from '../../base/problem.ts'
import { createTurns } from '../../base/process/turns.ts'

/** For whom a password is hashed. Places and turns are shared between networks, and within a network between accounts. */
export interface PasswordCaller {
  network: string
  account: string
  /** True for a browser that signed in to the account before. A part of the queue is kept for these. */
  isKnown: boolean
}

export type PasswordGate = <Result>(caller: PasswordCaller, work: () => Promise<Result>) => Promise<Result>

export type PasswordTurn = (verify: () => Promise<boolean>) => Promise<boolean>

export interface PasswordGateState {
  running: number
  waiting: number
}

interface Waiting {
  start(): void
  refuse(): void
}

/** The part of the queue that is kept for known browsers. */
const keptPart = 1 / 4

/**
 * Creates a gate for password hashing, which deliberately costs memory and a core: at most `concurrency` calls run and `queue` calls
 * wait. Networks take turns, and so do the accounts of a network. A call that finds the queue full takes the place of the newest call of
 * the network that has most of them waiting, or fails if that is its own: many calls of one caller never delay or refuse those of others.
 * @throws Problem temporarily_unavailable with Retry-After, from the gate
 */
export function createPasswordGate({
  concurrency,
  queue,
  onRefused,
}: {
  concurrency: number
  queue: number
  onRefused?: () => void
}): PasswordGate & { state(): PasswordGateState } {
  const known = createTurns<Waiting>()
  const others = createTurns<Waiting>()
  const placesOfOthers = queue - Math.ceil(queue * keptPart)
  let running = 0
  let isTurnOfKnown = true

  const waiting = (): number => known.size() + others.size()

  const takeNext = (): Waiting | undefined => {
    isTurnOfKnown = !isTurnOfKnown
    return isTurnOfKnown ? (others.take() ?? known.take()) : (known.take() ?? others.take())
  }

  const wait = ({ network, account, isKnown }: PasswordCaller): Promise<void> =>
    new Promise((resolve, reject) => {
      const refuse = (): void => {
        onRefused?.()
        reject(new Problem('temporarily_unavailable', { headers: { 'Retry-After': '2' } }))
      }
      const own = isKnown ? known : others
      own.add([network, account], { start: resolve, refuse })
      if (waiting() <= queue) return
      const crowded = others.size() > placesOfOthers ? others : known
      crowded.removeFromLongest([network, account])?.refuse()
    })

  const gate: PasswordGate = async (caller, work) => {
    if (running < concurrency) running++
    else await wait(caller)
    try {
      return await work()
    } finally {
      // The slot passes to the next waiting call directly, so that no later call can take it first.
      const next = takeNext()
      if (next) next.start()
      else running--
    }
  }
  return Object.assign(gate, { state: () => ({ running, waiting: waiting() }) })
}
