/** The process, as far as its signals go. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown
}

export interface StopHandlers {
  /** The first SIGTERM or SIGINT. */
  stop(signal: NodeJS.Signals): void
  /** A second one: whoever sent it does not want to wait. */
  hurry(): void
}

/** One Ctrl-C reaches the process several times: from the terminal, from npm and from the supervisor. */
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
