import type { MetricsSnapshot } from '../../base/http/metrics.ts'

// The messages about metrics between the workers and their supervisor. `id` is the request of one worker.

/** A worker asks for the values of all workers. */
export interface MetricsQuestion {
  about: 'all metrics'
  id: number
}

/** The supervisor asks a worker for its values. */
export interface MetricsRequest {
  about: 'own metrics'
  collection: number
}

/** A worker sends its values. */
export interface MetricsReport {
  about: 'own metrics'
  collection: number
  snapshot: MetricsSnapshot
}

/** The supervisor sends the values of all workers. */
export interface MetricsReply {
  about: 'all metrics'
  id: number
  snapshots: MetricsSnapshot[]
}

/** True for messages of one of these kinds; workers and their supervisor also send others. */
export const isAbout = <Message extends { about: string }>(message: unknown, about: Message['about']): message is Message =>
  typeof message === 'object' && message !== null && 'about' in message && message.about === about
