/** A rule that says when an app does something that the owners of a school should know. Every number is one that a page can show. */
export interface SignalRule {
  /** The number that is still usual. */
  threshold: number
  /** True if it pauses the app where the school wants that. */
  pauses: boolean
}

/** The people's rows of a day are unusual above this multiple of the median of the days before. */
const usualRows = { times: 5, days: 14 } as const

/** A permission to change things is new if the app did not use it for so many days. */
export const quietDays = 30

export const signalRules = {
  /** Objects that an app deleted within an hour. */
  deletions: { threshold: 50, pauses: true },
  /** Rows about people that an app read in a day (UTC). The threshold is this number or that of `usualRows`, whichever is greater. */
  people_rows: { threshold: 500, pauses: true },
  /** Calls of an app that were refused within an hour of the clock. */
  refused: { threshold: 100, pauses: true },
  /** Permissions to change things that an app used for the first time after `quietDays`. */
  new_permission: { threshold: 0, pauses: false },
  /** Codes and refresh tokens that were presented again. Their grants have ended already. */
  reused_token: { threshold: 0, pauses: false },
  /** People who want to use an app to which an owner has to agree. */
  asked: { threshold: 0, pauses: false },
} as const satisfies Record<string, SignalRule>

export const signalLimits = { rules: signalRules, usualRows, quietDays } as const

export type SignalLimits = typeof signalLimits

export type SignalKind = keyof typeof signalRules
