import { z } from 'zod'

export const tracing = z
  .strictObject({
    sample_ratio: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .meta({ description: 'Share of the requests, deliveries and background jobs that is recorded.', examples: [0.1] }),
    follow_callers: z
      .boolean()
      .default(true)
      .meta({
        description:
          'Record every request whose traceparent header says that the caller records it. Set to false if the gateway passes on the header of strangers: sample_ratio then decides for these requests too. Requests whose caller does not record them are never recorded.',
        examples: [false],
      }),
    service_name: z
      .string()
      .min(1)
      .max(100)
      .default('schoolgate')
      .meta({ description: 'Name of the service in the traces.', examples: ['schoolgate-eu'] }),
  })
  .prefault({})
  .meta({
    description: 'Traces (OpenTelemetry). They are off unless OTEL_EXPORTER_OTLP_ENDPOINT names a receiver.',
    examples: [{ sample_ratio: 0.1 }],
  })

const isReceiver = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !/[?#]/.test(text)
}

/** Headers in the form of OpenTelemetry: `name=value`, separated by commas, with the values in percent-encoding. */
const otlpHeaders = z.string().transform((text, context): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? []
    const decoded = decode(value?.trim() ?? '')
    if (name === undefined || decoded === undefined || !/^[\x20-\x7e]+$/.test(decoded)) {
      context.addIssue({ code: 'custom', input: undefined })
      return z.NEVER
    }
    headers[name.toLowerCase()] = decoded
  }
  return headers
})

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine(isReceiver)
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .meta({
      title: 'an http:// or https:// address without user, query and fragment',
      description:
        'Receiver of traces (OTLP over HTTP, JSON), without /v1/traces. If it is not set, nothing is recorded. `tracing` in server.yaml selects the requests.',
      examples: ['http://otel-collector:4318'],
    }),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional().meta({
    title: 'headers such as authorization=Bearer%20key, separated by commas, with values in percent-encoding',
    description: 'Additional headers for the receiver of traces, such as its key.',
    examples: ['authorization=Bearer%20key'],
    writeOnly: true,
  }),
}
