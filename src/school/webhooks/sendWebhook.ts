import { DeliveryFailure } from '../../base/net/deliveryFailure.ts'
import { OutboundError, type SendOutbound } from '../../base/net/outboundRequest.ts'
import type { WebhookEvent } from './webhookEvent.ts'

export interface WebhookRequest {
  url: URL
  /** `whsec_…`; the request is signed with each of them. */
  secrets: readonly string[]
  /** The same for every attempt, so that a receiver can recognise a repetition. */
  id: string
  event: WebhookEvent
  send: SendOutbound
}

const timeoutMs = 10_000

/**
 * Sends a webhook as Standard Webhooks specifies, and returns the status of the response. Does not read the body, and follows no redirects.
 * @throws DeliveryFailure without a response
 */
export async function sendWebhook({ url, secrets, id, event, send }: WebhookRequest): Promise<number> {
  // Loaded on first use: most services send no webhooks.
  const { Webhook } = await import('standardwebhooks')
  const body = JSON.stringify(event)
  const sentAt = new Date()
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Schoolgate-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  }
  try {
    return (await send({ url, method: 'POST', headers, body, maxBytes: 0, timeoutMs })).status
  } catch (error) {
    throw new DeliveryFailure(error instanceof OutboundError ? reasonOf(error) : 'the request failed')
  }
}

/** Returns why an attempt failed, without an address: the operator knows the URL, and the addresses behind it are not shown. */
const reasonOf = ({ failure, reason }: OutboundError): string => (failure === 'failed' ? causes[reason] : failures[failure])

const failures = {
  forbidden: 'the address of the receiver is not public',
  invalid: 'the response is not valid',
} as const satisfies Record<Exclude<OutboundError['failure'], 'failed'>, string>

const causes = {
  unknown_host: 'the host name of the receiver has no address',
  refused: 'the receiver refused the connection: nothing listens at this port',
  unreachable: 'the network of the receiver cannot be reached',
  tls: 'the TLS certificate of the receiver is not valid, or its server speaks no TLS',
  reset: 'the receiver closed the connection without a response',
  timeout: 'no response in time',
  unknown: 'the response is not HTTP, or the connection failed',
} as const satisfies Record<OutboundError['reason'], string>
