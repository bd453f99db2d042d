/** A rule that says when an app does something that the owners of a school should know. Every number is one that a page can show. */
export interface SignalRule {
  /** The number that is still usual. */
  threshold: number
  /** Pauses the app where the school wants that. `each time`: the count begins again when the app is continued. */
  pauses: 'never' | 'once a day' | 'each time'
}

/** The people's rows of a day are unusual above this multiple of the median of the days before. */
const usualRows = { times: 5, days: 14 } as const

/** A permission to change things is new if the app did not use it for so many days. */
export const quietDays = 30

export const signalRules = {
  /** Objects that an app deleted within an hour. */
  deletions: { threshold: 50, pauses: 'each time' },
  /** Objects of which an app replaced or emptied a value within an hour. */
  overwrites: { threshold: 300, pauses: 'each time' },
  /** Rows about people that an app read in a day (UTC). The threshold is this number or that of `usualRows`, whichever is greater. */
  people_rows: { threshold: 500, pauses: 'once a day' },
  /** Calls of an app that were refused within an hour of the clock. */
  refused: { threshold: 100, pauses: 'once a day' },
  /** Permissions to change things that an app used for the first time after `quietDays`. */
  new_permission: { threshold: 0, pauses: 'never' },
  /** Codes and refresh tokens that were presented again. Their grants have ended already. */
  reused_token: { threshold: 0, pauses: 'never' },
  /** People who want to use an app to which an owner has to agree. */
  asked: { threshold: 0, pauses: 'never' },
} as const satisfies Record<string, SignalRule>

export const signalLimits = { rules: signalRules, usualRows, quietDays } as const

export type SignalLimits = typeof signalLimits

export type SignalKind = keyof typeof signalRules
