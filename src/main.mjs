#!/usr/bin/env node
// JavaScript, with the modules that it imports: a process that runs the bundle does not load the stripper of types, which takes 25 MB.
import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import { keepCompiledCode } from './operate/serve/compileCache.mjs'
import { programUrl } from './operate/serve/programFile.mjs'

// Imported on demand, so that the supervisor does not load the modules of the service, which take 170 MB.
const workers = Number(process.env.WORKERS)
/** How long the growth of the young generation is limited after the start. */
const startMs = 30_000
// For a number out of this range, the service starts and reports the invalid variable.
const isSupervisor = cluster.isPrimary && Number.isInteger(workers) && workers > 1 && workers <= 64

try {
  if (isSupervisor) {
    const { supervise } = await import(programUrl('operate/serve/supervise', process.env))
    const { openLog } = await import(programUrl('operate/serve/openLog', process.env))
    const format = process.env.LOG_FORMAT === 'json' ? 'json' : 'auto'
    supervise(workers, process, await openLog({ LOG_FORMAT: format, LOG_LEVEL: 'info' }, process))
  } else {
    // Otherwise the garbage of the start and of the first self-check grows the young generation to 48 MB and more, and V8 never shrinks
    // it.
    setFlagsFromString('--semi-space-growth-factor=1')
    // After the flag: V8 takes no code that was compiled with other flags.
    keepCompiledCode(process.env)
    const { runService } = await import(programUrl('operate/serve/runService', process.env))
    await runService(process)
    // V8's default: from then on it can grow with the load.
    setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), startMs).unref()
  }
} catch (error) {
  const { startFailure } = await import('./operate/serve/failureText.ts')
  process.stderr.write(startFailure(error, { isTerminal: process.stderr.isTTY === true }))
  process.exit(1)
}
