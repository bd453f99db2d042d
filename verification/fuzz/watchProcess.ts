/** A preload script (`node --import`): reports to the parent how long the event loop was blocked, and the memory after a collection. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

process.on('message', (message) => {
  if (message === 'delay') {
    process.send?.({ longestMs: delay.max / 1e6 })
    delay.reset()
  } else if (message === 'memory') {
    // Twice: what the first run finalizes, the second one frees.
    collectGarbage()
    collectGarbage()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ bytes: heapUsed + external, resident: rss })
    delay.reset()
  }
})
// The parent decides when the process ends.
process.channel?.unref()
