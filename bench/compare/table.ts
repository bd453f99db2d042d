import { floors, goals } from './goals.ts'
import type { Summary } from './measure.ts'
import type { OperationName } from './operations.ts'

export interface Measured extends Summary {
  operation: OperationName
  target: string
}

/**
 * Prints one Markdown table with a row for each operation: the CPU of the service and of each peer in microseconds, with that of the peer
 * divided by that of the service in brackets, and which goals were met.
 */
export function printTable(measured: readonly Measured[], service: string): string {
  const of = (operation: string, target: string): Measured | undefined =>
    measured.find((row) => row.operation === operation && row.target === target)
  const operations = [...new Set(measured.map(({ operation }) => operation))]
  const peers = [...new Set(measured.map(({ target }) => target))].filter((target) => target !== service && !floors.includes(target))
  const lines = operations.flatMap((operation) => {
    const own = of(operation, service)
    if (!own) return []
    const ratio = (target: string): number => (of(operation, target)?.cpu ?? Number.NaN) / own.cpu
    const cost = (target: string | undefined): string =>
      target !== undefined && of(operation, target) ? `${of(operation, target)?.cpu.toFixed(0)} (${ratio(target).toFixed(2)})` : ''
    const floor = floors.find((target) => of(operation, target))
    const aims = goals.filter((goal) => goal.operation === operation && of(operation, goal.peer))
    const name = (peer: string): string => (peer === floor ? 'floor' : peer)
    return [
      [
        ...[operation, `${own.cpu.toFixed(0)}, stores ${own.storesCpu.toFixed(0)}`, cost(floor), ...peers.map(cost)],
        aims.map((goal) => `${name(goal.peer)} ${goal.ratio}`).join(', '),
        aims.map((goal) => (ratio(goal.peer) >= goal.ratio ? 'yes' : 'no')).join(', '),
      ],
    ]
  })
  return tableOf(['operation', service, 'floor', ...peers, 'goal', 'reached'], lines, peers.length + 2)
}

/** Prints the rates, latencies and memory of each server as a second table. */
export function printDetails(measured: readonly Measured[]): string {
  const lines = measured.map((row) => [
    ...[row.operation, row.target, row.perSecond.toFixed(0), row.p50.toFixed(1), row.p99.toFixed(1), row.memoryMegabytes.toFixed(0)],
  ])
  return tableOf(['operation', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'memory MB'], lines, 5)
}

function tableOf(header: readonly string[], lines: readonly (readonly string[])[], lastNumber: number): string {
  const align = header.map((_name, column) => (column > 0 && column <= lastNumber ? '---:' : '---'))
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
