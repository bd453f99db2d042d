import packageJson from '../../../package.json' with { type: 'json' }
import type { ReportBlock } from '../../base/http/reportBlock.ts'
import type { Log } from '../../base/log/log.ts'
import { inRootSpan, type Tracing } from '../../base/log/tracing.ts'
import type { LoopWatch } from '../../base/process/loopWatch.ts'
import type { Environment } from '../../config/environment.ts'
import type { ServerConfig } from '../../config/server.ts'
import type { Job } from '../jobs/schedule.ts'

export interface TracingArguments {
  environment: Pick<Environment, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS'>
  settings: ServerConfig['tracing']
  log: Log
}

/** Opens the export of traces if the environment names a receiver; otherwise nothing of OpenTelemetry is loaded. */
export async function openTracing({ environment, settings, log }: TracingArguments): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = environment
  if (endpoint === undefined) return undefined
  const { otlpTracing } = await import('./otlpTracing.ts')
  return otlpTracing({ endpoint, headers, version: packageJson.version, settings, log })
}

export interface WatchArguments {
  tracing?: Tracing | undefined
  loop: LoopWatch
  reportBlock: ReportBlock
}

/** Returns the same jobs. Each run is a trace, and is measured by how long it blocks the event loop. */
export const watchedJobs = ({ tracing, loop, reportBlock }: WatchArguments, jobs: readonly Job[]): Job[] =>
  jobs.map((job) => {
    const name = `job ${job.name}`
    const blocked = (milliseconds: number): void => reportBlock(milliseconds, { operation: name })
    const span = { name, kind: 'internal', attributes: { 'schoolgate.job': job.name } } as const
    return { ...job, run: (signal) => loop.run({ blocked }, () => inRootSpan(tracing, span, () => job.run(signal))) }
  })
