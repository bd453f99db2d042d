/** The signals of a process, and its end. */
export interface SignalSource {
  on(event: NodeJS.Signals | 'exit', listener: () => void): unknown
}

export interface StopHandlers {
  /** Called for the first SIGTERM or SIGINT. */
  stop(signal: NodeJS.Signals): void
  /** Called for a second one, which asks to stop without waiting. */
  hurry(): void
}

/** The time in which signals count as one: a Ctrl-C arrives several times, from the terminal, npm and the supervisor. */
const sameRequestMs = 1000

/** Listens for SIGTERM and SIGINT. */
export function onStopSignals(source: SignalSource, { stop, hurry }: StopHandlers): void {
  let since: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    source.on(signal, () => {
      if (since === undefined) {
        since = performance.now()
        stop(signal)
      } else if (performance.now() - since > sameRequestMs) hurry()
    })
  }
}
