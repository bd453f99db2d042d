#!/usr/bin/env node
import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'

// Both sides are imported when they are needed: the supervisor loads nothing of the service, which would take 170 MB.
const workers = Number(process.env.WORKERS)
// The service itself reports a number that is not allowed.
/** How long the garbage of the start is kept small. */
const startMs = 30_000
const isSupervisor = cluster.isPrimary && Number.isInteger(workers) && workers > 1 && workers <= 64

try {
  if (isSupervisor) {
    const { supervise } = await import('./wiring/supervise.ts')
    supervise(workers, process)
  } else {
    // Without this the young generation grows to 48 MB and more for garbage that only the start makes, and V8 never shrinks it. The
    // first self-check belongs to the start.
    setFlagsFromString('--semi-space-growth-factor=1')
    const { runService } = await import('./wiring/runService.ts')
    await runService(process)
    // V8's default: from then on it may grow with the load.
    setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), startMs).unref()
  }
} catch (error) {
  const { startFailure } = await import('./wiring/failureText.ts')
  process.stderr.write(startFailure(error, { isTerminal: process.stderr.isTTY === true }))
  process.exit(1)
}
