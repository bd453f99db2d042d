import { reasonOf } from '../../base/log/reason.ts'
import { withinDeadline } from '../../database/connection/withinDeadline.ts'

export type CheckState = 'passed' | 'warned' | 'failed' | 'skipped'

/** The outcome of one check. `fix` says what to do, for every state except passed and skipped. */
export interface Finding {
  state: CheckState
  detail: string
  fix?: string
}

export interface Check {
  id: string
  run(): Promise<Finding>
}

export interface CheckResult extends Finding {
  id: string
  school: string | null
  milliseconds: number
}

export const passed = (detail: string): Finding => ({ state: 'passed', detail })
export const warned = (detail: string, fix: string): Finding => ({ state: 'warned', detail, fix })
export const failed = (detail: string, fix: string): Finding => ({ state: 'failed', detail, fix })
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail })

const checkMs = 60_000

/** Runs one check. An error or a timeout fails this check only. */
export async function runCheck({ id, run }: Check, school: string | null): Promise<CheckResult> {
  const start = performance.now()
  const finding = await withinDeadline(run(), checkMs, `the check ${id}`).catch((error: unknown) =>
    failed(reasonOf(error), 'Look at the log of the service and of the gateway at this time.'),
  )
  return { id, school, ...finding, milliseconds: Math.round(performance.now() - start) }
}
