import type { ExpectedRow, Life, SeenEvent } from './judge.ts'

/** A row that was acknowledged, and how it is read. */
export interface LedgerRow extends Omit<ExpectedRow, 'values'> {
  values: string[]
  /** The path that reads it, and the member of the response that has the value. */
  path: string
  member: string
  /** The number of acknowledged changes: its version is at least that. Absent if the feed does not follow it. */
  version?: number
  /** Which caller reads it. */
  role: string
}

/** One grant: its tokens from the first on. */
export interface Chain {
  id: number
  clientId: string
  life: Life
  /** How it ended, for messages. */
  ended?: string
  accessToken: string
  /** The `performance.now()` at which the access token was received. */
  accessSince: number
  refreshToken: string
  /** Refresh tokens that were used, with the time of the response. */
  used: { token: string; at: number }[]
  /** Former access tokens. */
  former: string[]
  /** True while a request may change it. */
  isBusy: boolean
}

/** A browser that signed in, with its cookies at that time. */
export interface SignedInBrowser {
  id: number
  life: Life
  cookies: string
  since: number
  isBusy: boolean
}

export interface LedgerFile {
  id: string
  bytes: Buffer
}

/** The model: what the service has acknowledged. */
export interface Ledger {
  rows: Map<string, LedgerRow>
  /** Every marker that a request sent, acknowledged or not. */
  markers: Set<string>
  chains: Chain[]
  browsers: SignedInBrowser[]
  clients: string[]
  files: LedgerFile[]
  /** Paid orders: their number and the number of their invoice. */
  invoices: Map<string, string>
  /** Entries of the change feed, in the order of reading. */
  changes: SeenEvent[]
  /** Webhooks in the order of their first arrival. */
  webhooks: SeenEvent[]
  /** Returns a new marker. */
  mark(): string
  acknowledge(row: LedgerRow): void
}

export function createLedger(): Ledger {
  let last = 0
  const markers = new Set<string>()
  const rows: Ledger['rows'] = new Map()
  return {
    rows,
    markers,
    chains: [],
    browsers: [],
    clients: [],
    files: [],
    invoices: new Map(),
    changes: [],
    webhooks: [],
    mark() {
      last += 1
      const marker = `soak${String(last).padStart(6, '0')}`
      markers.add(marker)
      return marker
    },
    acknowledge: (row) => void rows.set(`${row.table} ${row.id}`, row),
  }
}

/** Returns the marker in a text. */
export const markerIn = (text: string): string => /soak\d{6}/.exec(text)?.[0] ?? 'none'
