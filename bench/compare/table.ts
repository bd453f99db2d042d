import type { Summary } from './measure.ts'
import type { OperationName } from './operations.ts'

export interface Measured extends Summary {
  operation: OperationName
  target: string
}

/**
 * Prints one Markdown table: a row for each operation and server. The first ratio divides the CPU of the peer by that of the service, the
 * second the rate of the service by that of the peer: above 1 the service is ahead.
 */
export function printTable(measured: readonly Measured[], service: string): string {
  const header = [
    'operation',
    'server',
    'CPU µs',
    'of it stores',
    'peer : Schoolgate',
    'requests/s',
    'Schoolgate : peer',
    'p50 ms',
    'p99 ms',
    'memory MB',
  ]
  const lines = measured.map((row) => {
    const own = measured.find(({ operation, target }) => operation === row.operation && target === service)
    const peer = row.target === service ? undefined : own
    return [
      row.operation,
      row.target,
      row.cpu.toFixed(0),
      row.storesCpu.toFixed(0),
      peer ? (row.cpu / peer.cpu).toFixed(2) : '',
      row.perSecond.toFixed(0),
      peer ? (peer.perSecond / row.perSecond).toFixed(2) : '',
      row.p50.toFixed(1),
      row.p99.toFixed(1),
      row.memoryMegabytes.toFixed(0),
    ]
  })
  const align = header.map((_name, column) => (column < 2 ? '---' : '---:'))
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
