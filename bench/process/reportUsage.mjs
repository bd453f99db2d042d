/**
 * A preload script (`node --import`): reports the memory and CPU of its process to the parent that asks for it. In JavaScript, so that the
 * process loads no stripper of types.
 */
import cluster from 'node:cluster'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'

process.on('message', (message) => {
  if (message === 'usage') {
    process.send?.({ cpu: process.cpuUsage() })
  } else if (message === 'memory') {
    // Not earlier: the cache of compiled code belongs to a set of options.
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc')
    // Twice: what the first run finalizes, the second one frees.
    collectGarbage()
    collectGarbage()
    // V8 gives freed pages back to the system a little later.
    setTimeout(() => process.send?.({ memory: process.memoryUsage() }), 2000)
  } else if (typeof message === 'string' && message.startsWith('snapshot ')) {
    process.send?.({ snapshot: writeHeapSnapshot(message.slice('snapshot '.length)) })
  }
})
// The parent decides when the process ends. A worker has its channel to the supervisor, which keeps it alive.
if (!cluster.isWorker) process.channel?.unref()
