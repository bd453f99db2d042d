import packageJson from '../../package.json' with { type: 'json' }
import type { Environment } from '../config/environment.ts'
import type { ServerConfig } from '../config/server.ts'
import type { Job } from '../jobs/schedule.ts'
import type { Log } from '../lib/log.ts'
import { inRootSpan, type Tracing } from '../lib/tracing.ts'

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

/** Returns the same jobs. Each run is a trace. */
export const tracedJobs = (tracing: Tracing | undefined, jobs: readonly Job[]): Job[] =>
  jobs.map((job) => ({
    ...job,
    run: (signal) =>
      inRootSpan(tracing, { name: `job ${job.name}`, kind: 'internal', attributes: { 'schoolgate.job': job.name } }, () => job.run(signal)),
  }))
