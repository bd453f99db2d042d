/** A preload script (`node --import`): moves the clock of the process by MOVED_CLOCK_MINUTES. */
const moved = Number(process.env.MOVED_CLOCK_MINUTES) * 60_000
const RealDate = Date

class MovedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + moved)
    else super(...(given as [number]))
  }
  static override now(): number {
    return RealDate.now() + moved
  }
}

globalThis.Date = MovedDate as DateConstructor
