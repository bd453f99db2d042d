import type { Summary } from './measure.ts'
import type { OperationName } from './operations.ts'

export interface Measured extends Summary {
  operation: OperationName
  target: string
}

const service = 'Schoolgate'

/** Prints one Markdown table: a row for each operation and server, and the rate of the service as a share of the peer's. */
export function printTable(measured: readonly Measured[]): string {
  const header = [
    'operation',
    'server',
    'requests/s',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'CPU',
    'CPU of stores',
    'memory MB',
    'Schoolgate : server',
  ]
  const lines = measured.map((row) => {
    const own = measured.find(({ operation, target }) => operation === row.operation && target === service)
    const ratio = own && row.target !== service ? (own.perSecond / row.perSecond).toFixed(2) : ''
    return [
      row.operation,
      row.target,
      row.perSecond.toFixed(0),
      row.p50.toFixed(1),
      row.p95.toFixed(1),
      row.p99.toFixed(1),
      row.cpu.toFixed(2),
      row.storesCpu.toFixed(2),
      row.memoryMegabytes.toFixed(0),
      ratio,
    ]
  })
  const align = header.map((_name, column) => (column < 2 ? '---' : '---:'))
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
