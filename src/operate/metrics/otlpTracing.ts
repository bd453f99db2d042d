import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import type { TraceContext } from '../../base/log/traceContext.ts'
import type { Span, SpanAttributes, SpanStart, Tracing } from '../../base/log/tracing.ts'
import type { ServerConfig } from '../../config/server.ts'
import { withinDeadline } from '../../database/connection/withinDeadline.ts'

export interface OtlpArguments {
  /** The base URL of the receiver. */
  endpoint: string
  /** Additional headers of each export, such as a key of the receiver. */
  headers: Record<string, string>
  version: string
  settings: ServerConfig['tracing']
  log: Pick<Log, 'warn'>
}

/** Spans that wait for an export. Further ones are dropped. */
const maxWaiting = 2048
const batchSize = 512
const batchMs = 2000
const exportMs = 5000
const shutdownMs = 5000
/** A receiver that is unavailable is reported once in this time. */
const reportMs = 300_000
const longestReason = 200

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

/** Exports spans to an OTLP receiver over HTTP. Nothing is registered globally, so two services in one process have separate traces. */
export function otlpTracing({ endpoint, headers, version, settings, log }: OtlpArguments): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers,
    timeoutMillis: exportMs,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.service_name,
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
    sampler: sampler(settings),
    spanLimits: { attributeValueLengthLimit: 200 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, log),
        maxQueueSize: maxWaiting,
        maxExportBatchSize: batchSize,
        scheduledDelayMillis: batchMs,
        exportTimeoutMillis: exportMs + 1000,
      }),
    ],
  })
  return tracingOf(provider.getTracer('schoolgate', version), async () => {
    await withinDeadline(provider.shutdown(), shutdownMs, 'the receiver of traces').catch(() => undefined)
  })
}

/** A trace of a caller that is not sampled is never recorded. */
function sampler({ sample_ratio: ratio, follow_callers: followsCallers }: ServerConfig['tracing']): ParentBasedSampler {
  const root = new TraceIdRatioBasedSampler(ratio)
  return new ParentBasedSampler({ root, remoteParentSampled: followsCallers ? new AlwaysOnSampler() : root })
}

/** Returns the same exporter. It reports failures to the log, and hides them from the processor, which would report each of them. */
function reporting(exporter: SpanExporter, log: Pick<Log, 'warn'>): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY
  let lost = 0
  const report = (error: unknown, spans: number): void => {
    lost += spans
    if (performance.now() - reportedAt < reportMs) return
    reportedAt = performance.now()
    log.warn({ reason: reasonOf(error ?? 'no reason').slice(0, longestReason), spans: lost }, 'traces not exported')
    lost = 0
  }
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        if (code !== 0) report(error, spans.length)
        done({ code: 0 })
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

function tracingOf(tracer: Tracer, shutdown: () => Promise<void>): Tracing {
  const storage = new AsyncLocalStorage<Span | undefined>()
  return {
    current: () => storage.getStore(),
    start: ({ name, kind, attributes = {} }: SpanStart, parent?: TraceContext) =>
      spanOf(
        tracer.startSpan(
          name,
          { kind: kinds[kind], attributes: defined(attributes) },
          parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT,
        ),
      ),
    within: (span, work) => storage.run(span, work),
    shutdown,
  }
}

/** Parents of this process are ended by it, those of callers are remote: only the sampler sees the difference. */
const contextOf = (parent: TraceContext) => ({
  traceId: parent.traceId,
  spanId: parent.spanId,
  traceFlags: parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: !('end' in parent),
})

function spanOf(span: ReturnType<Tracer['startSpan']>): Span {
  const { traceId, spanId } = span.spanContext()
  return {
    traceId,
    spanId,
    isSampled: span.isRecording(),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(defined(attributes)),
    fail: (type) => void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type),
    end: () => span.end(),
  }
}

const defined = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
