// More than 250 lines: the table lists every metric.

export interface MetricKind {
  type: 'counter' | 'gauge' | 'histogram'
  /** The text of the exposition, one line. */
  help: string
  labels: readonly string[]
  /** The part of docs/operate.md that says what to do with it. */
  use: string
  /** How the values of several processes become one. Counters and histograms are added up. */
  across?: 'sum' | 'max' | 'min'
  /** Upper bounds of a histogram. */
  buckets?: readonly number[]
}

/**
 * Every metric of the service by name. Labels have few values, which all exist from the start; none contains a value that a caller chose.
 * docs/operate.md is printed from this table, and a test compares it with the dashboard and the alert rules.
 */
export const metricTable = {
  schoolgate_requests_total: {
    type: 'counter',
    labels: ['operation', 'outcome'],
    help: 'Requests by operation and outcome',
    use: 'Find out which operation fails or is refused. `outcome` is `success`, `client_error`, `rate_limited` (429), `unavailable` (503) or `server_error`. Every `server_error` has an error in the log with the same `request_id`.',
  },
  schoolgate_request_seconds: {
    type: 'histogram',
    labels: ['area'],
    help: 'Time to respond to a request',
    use: 'Watch percentiles. If one area becomes slow, compare the connections of its pool and the event loop.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  schoolgate_operation_seconds_total: {
    type: 'counter',
    labels: ['operation'],
    help: 'Time spent on responses, by operation',
    use: 'Divide its rate by the rate of `schoolgate_requests_total` to get the mean duration of an operation.',
  },
  schoolgate_events_total: {
    type: 'counter',
    labels: ['event'],
    help: 'Events of the audit trail that this service wrote',
    use: 'Watch `refresh_token.reused` and `code.replayed` (stolen or duplicated tokens) and `sign_in.failed` (guessing). `schoolgate audit --event <event>` lists them.',
  },
  schoolgate_rate_limit_rejections_total: {
    type: 'counter',
    labels: ['policy'],
    help: 'Requests that a rate limit refused',
    use: 'See which limit of `rate_limits` in `server.yaml` refuses requests. The request lines of the log name the client.',
  },
  schoolgate_ready: {
    type: 'gauge',
    labels: [],
    across: 'min',
    help: 'Whether the process is ready: 1 or 0',
    use: 'While it is 0, `/readyz` responds with 503, names the reason, and the gateway sends no requests.',
  },
  schoolgate_degraded: {
    type: 'gauge',
    labels: ['part'],
    across: 'max',
    help: 'Whether a part is unavailable while the process serves the requests that do not need it: 1 or 0',
    use: '`/readyz` and the line `part unavailable` of the log name the reason. [Degraded parts](#degraded-parts) says what fails meanwhile.',
  },
  schoolgate_sealed_values: {
    type: 'gauge',
    labels: ['opened_by'],
    across: 'max',
    help: 'Stored values that are encrypted, or signed by release 1.0.0, by what opens them: the newest secret of SECRET_KEY, an older one, none',
    use: 'Counted once an hour; while SECRET_KEY has one secret, without what ends within a month. Above zero for `none`, a secret was removed too early: add it again. Zero for `older` means that the older secrets can be removed; `schoolgate secrets rotate` leads there.',
  },
  schoolgate_database_up: {
    type: 'gauge',
    labels: [],
    across: 'min',
    help: 'Whether the database responds and takes writes: 1 or 0',
    use: 'While it is 0, requests get 503 with Retry-After. Full disk and read-only mode count as 0; `/readyz` names the reason.',
  },
  schoolgate_database_connections: {
    type: 'gauge',
    labels: ['pool', 'state'],
    help: 'Connections to the database, by pool and state',
    use: 'If `in_use` stays at the maximum of a pool, statements are slow or the pool is too small.',
  },
  schoolgate_database_connections_max: {
    type: 'gauge',
    labels: ['pool'],
    help: 'Maximum number of connections of a pool',
    use: 'Set by `database_connections` in `server.yaml`.',
  },
  schoolgate_database_waiting: {
    type: 'gauge',
    labels: ['pool'],
    help: 'Requests that wait for a connection to the database',
    use: 'Above zero for minutes: look for long statements and locks in PostgreSQL before the pool is made larger.',
  },
  schoolgate_database_errors_total: {
    type: 'counter',
    labels: [],
    help: 'Lost connections to the database',
    use: 'A few during a failover are normal. A steady rate points to the network or to a limit of PostgreSQL.',
  },
  schoolgate_cache_hits_total: {
    type: 'counter',
    labels: ['cache'],
    help: 'Entries that were found in a cache in memory',
    use: '`schoolgate caches` shows them as rates. docs/caching.md says what each cache holds.',
  },
  schoolgate_cache_misses_total: {
    type: 'counter',
    labels: ['cache'],
    help: 'Entries that were not found in a cache in memory',
    use: 'A cache that misses more often than it hits for days costs memory for nothing, or its bound is too small for the schools.',
  },
  schoolgate_cache_entries: {
    type: 'gauge',
    labels: ['cache'],
    help: 'Entries of a cache in memory',
    use: 'Compare it with the bound in docs/caching.md.',
  },
  schoolgate_redis_up: {
    type: 'gauge',
    labels: [],
    across: 'min',
    help: 'Whether the connection to Redis is ready: 1 or 0; 1 without Redis',
    use: 'While it is 0, tokens and sign-ins are answered with 503; public reads and registrations continue.',
  },
  schoolgate_redis_ping_seconds: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Time of a PING to Redis at the collection; 0 without Redis',
    use: 'Every token request waits for Redis. Above 0.01 look for slow commands, memory and the network. Commands fail after two seconds.',
  },
  schoolgate_redis_errors_total: {
    type: 'counter',
    labels: [],
    help: 'Errors of the connection to Redis',
    use: 'See the lines `Redis` of the log for the reason.',
  },
  schoolgate_password_checks_running: {
    type: 'gauge',
    labels: [],
    help: 'Password hashes that are being computed',
    use: 'At most `passwords.concurrency` for each process.',
  },
  schoolgate_password_checks_waiting: {
    type: 'gauge',
    labels: [],
    help: 'Sign-ins that wait for a password hash',
    use: 'Close to `passwords.queue`: the next sign-ins get 503. Add processes, or raise `passwords.concurrency` if cores are free.',
  },
  schoolgate_password_checks_refused_total: {
    type: 'counter',
    labels: [],
    help: 'Sign-ins that were refused because the queue of password hashes was full',
    use: 'Any increase means that people could not sign in. Check `sign_in.failed` for an attack first.',
  },
  schoolgate_event_loop_utilization: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Share of the time in which the event loop was busy since the last scrape, of the busiest process',
    use: 'Above 0.8 for minutes, responses wait for each other: add processes (`WORKERS` or replicas).',
  },
  schoolgate_event_loop_blocks_total: {
    type: 'counter',
    labels: ['operation'],
    help: 'Times that an operation blocked the event loop for more than 100 milliseconds',
    use: 'While the event loop is blocked, the process answers no other request. Each block has a line `event loop blocked` in the log, which names the operation and its caller. Jobs count as `other`.',
  },
  schoolgate_job_runs_total: {
    type: 'counter',
    labels: ['job_name', 'outcome'],
    help: 'Runs of background jobs. `skipped`: another process was running the job. `unavailable`: a store did not respond',
    use: 'See `job failed` in the log for the reason of a `failure`, and `schoolgate jobs list`.',
  },
  schoolgate_job_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: ['job_name'],
    across: 'max',
    help: 'Time of the last run of a job that this service completed; the start of the process before that',
    use: 'With several replicas take the maximum: each run takes place in one of them.',
  },
  schoolgate_job_interval_seconds: {
    type: 'gauge',
    labels: ['job_name'],
    across: 'max',
    help: 'How often a job runs',
    use: 'Compare it with the time since the last success.',
  },
  schoolgate_job_seconds_total: {
    type: 'counter',
    labels: ['job_name'],
    help: 'Time spent in background jobs',
    use: 'Find the job that keeps the database busy.',
  },
  schoolgate_outbox_pending: {
    type: 'gauge',
    labels: ['kind'],
    across: 'max',
    help: 'E-mails and other pending work in the outbox',
    use: 'A short rise is normal. If it keeps growing, the mail server or a receiver rejects deliveries: see the log.',
  },
  schoolgate_outbox_oldest_seconds: {
    type: 'gauge',
    labels: ['kind'],
    across: 'max',
    help: 'Age of the oldest pending work in the outbox; 0 if there is none',
    use: 'A value of minutes means that deliveries fail and are retried. Nothing is lost in the meantime.',
  },
  schoolgate_outbox_dead: {
    type: 'gauge',
    labels: ['kind'],
    across: 'max',
    help: 'Work in the outbox that was given up after its last attempt',
    use: 'Repair the reason, which is stored with the work, then replay it.',
  },
  schoolgate_outbox_attempts_total: {
    type: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Attempts to do the work of the outbox',
    use: '`retried` attempts are repeated later. `dead` work waits for an operator. `withheld` work was not sent because of `outgoing: off`.',
  },
  schoolgate_schools: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Schools of the configuration',
    use: 'Compare it after a reload with the number of files in `config/schools`.',
  },
  schoolgate_schools_without_key: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Schools without an active signing key',
    use: 'Above zero, these schools cannot sign ID tokens: see the job `create_signing_keys` and `schoolgate keys list`.',
  },
  schoolgate_people_active: {
    type: 'gauge',
    labels: ['days'],
    across: 'max',
    help: 'Active people of the last 1, 7 and 30 days in all schools',
    use: 'Counts people with a login who signed in or whose app called the API. Updated every ten minutes. Use it to plan the size of the installation. `schoolgate people active` shows one school.',
  },
  schoolgate_signing_key_age_seconds: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Age of the oldest signing key in use, over all schools',
    use: 'Rotate keys with `schoolgate keys rotate` before they are older than your policy allows.',
  },
  schoolgate_self_check: {
    type: 'gauge',
    labels: ['school', 'state'],
    across: 'max',
    help: 'State of the self-check of a school: 1 for the current state, 0 for the others',
    use: '`failed` means that the documents of the school contradict the service: the line `self-check failed` of the log names each problem.',
  },
  schoolgate_clock_skew_seconds: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Difference between the clock of this machine and that of the database',
    use: 'Above 2 the log has a warning, above 10 the process is degraded: ID tokens have wrong times. Synchronise the clocks (NTP).',
  },
  schoolgate_configuration_info: {
    type: 'gauge',
    labels: ['hash'],
    across: 'max',
    help: 'Digest of the configuration and the environment that a process runs with; always 1',
    use: 'Several values at the same time mean that processes have different settings: compare `configuration` in `/readyz`. `schoolgate audit --event configuration.changed` names the keys.',
  },
  schoolgate_configuration_reloads_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Reloads of the configuration',
    use: 'After a `failed` one the former configuration stays: the line `configuration reload failed` of the log has the errors.',
  },
  schoolgate_configuration_reload_failed: {
    type: 'gauge',
    labels: [],
    across: 'max',
    help: 'Whether the last reload of the configuration failed: 1 or 0',
    use: 'While it is 1, the files contain errors, and the next start fails. `schoolgate config check` names them.',
  },
  schoolgate_workers: {
    type: 'gauge',
    labels: [],
    help: 'Processes whose values are in this response',
    use: 'Less than `WORKERS` means that a process is starting, or too busy to respond within two seconds.',
  },
  schoolgate_build_info: {
    type: 'gauge',
    labels: ['version'],
    across: 'max',
    help: 'Version of the service; always 1',
    use: 'See which versions run during a rollout.',
  },
} as const satisfies Record<string, MetricKind>

export type MetricName = keyof typeof metricTable

type NameOf<Type extends MetricKind['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]

export type CounterName = NameOf<'counter'>
export type GaugeName = NameOf<'gauge'>

export type LabelsOf<Name extends MetricName> = Record<(typeof metricTable)[Name]['labels'][number], string>

/** How the responses to requests are counted. */
export const outcomes = ['success', 'client_error', 'rate_limited', 'unavailable', 'server_error'] as const
export type Outcome = (typeof outcomes)[number]

export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'success'
  if (status === 429) return 'rate_limited'
  if (status === 503) return 'unavailable'
  return status < 500 ? 'client_error' : 'server_error'
}
