import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { metricTable } from '../../src/base/http/metricTable.ts'

const run = promisify(execFile)
const file = resolve(import.meta.dirname, '../../deploy/prometheus/alerts.yaml')
const rules: { alert?: string }[] = parse(await readFile(file, 'utf8')).groups.flatMap((group: { rules: object[] }) => group.rules)

/** True if promtool is installed. With REQUIRE_SERVICES=1 its absence is a failure. */
async function hasPromtool(): Promise<boolean> {
  try {
    await run('promtool', ['--version'])
    return true
  } catch (cause) {
    if (process.env.REQUIRE_SERVICES === '1') throw new Error('promtool (package prometheus) is required and not installed', { cause })
    process.stderr.write('NOT RUN: the tests of the alert rules, because promtool is not installed\n')
    return false
  }
}

/** Values of series over two hours, two in a minute, as promtool writes them: `0x20 5+1x10` begins with 0, 21 times. */
type Series = Readonly<Record<string, string>>

const minutes = (count: number): number => count * 2
/** The same value for two hours. */
const always = (value: number | string): string => `${value}x${minutes(120)}`
/** One value for 30 minutes, from the beginning of the 11th minute; another before and after. */
const during = (value: number, usual: number): string => `${usual}x${minutes(10) - 1} ${value}x${minutes(30) - 1} ${usual}x${minutes(80)}`
/** A counter that increases by this much in each half minute of that time. */
const increasing = (step: number): string => `0x${minutes(10) - 1} 0+${step}x${minutes(30) - 1} ${step * minutes(30)}x${minutes(80)}`
/** A counter that increases by this much in each half minute. */
const steady = (step: number): string => `0+${step}x${minutes(120)}`
/** A time that is always now, except in that time, when it stays. Promtool begins at the epoch. */
const stopped = `0+30x${minutes(10) - 1} ${minutes(10) * 30}x${minutes(30) - 1} ${minutes(40) * 30}+30x${minutes(80)}`

const requests = 'schoolgate_requests_total'
const seconds = 'schoolgate_request_seconds_bucket'
/** Two replicas without problems: 20 requests a second. */
const healthy: Series = {
  'up{job="schoolgate",instance="a"}': always(1),
  'up{job="schoolgate",instance="b"}': always(1),
  schoolgate_ready: always(1),
  ...Object.fromEntries(
    ['database', 'keys', 'migrations', 'redis', 'secrets', 'storage', 'mail', 'webhooks', 'outgoing', 'clock'].map((part) => [
      `schoolgate_degraded{part="${part}"}`,
      always(0),
    ]),
  ),
  [`${requests}{operation="listCourses",outcome="success"}`]: steady(600),
  [`${requests}{operation="listCourses",outcome="unavailable"}`]: always(0),
  [`${requests}{operation="listCourses",outcome="server_error"}`]: always(0),
  [`${seconds}{area="api",le="0.1"}`]: steady(600),
  [`${seconds}{area="api",le="1"}`]: steady(600),
  [`${seconds}{area="api",le="2.5"}`]: steady(600),
  [`${seconds}{area="api",le="+Inf"}`]: steady(600),
  'schoolgate_sealed_values{opened_by="none"}': always(0),
  schoolgate_database_up: always(1),
  'schoolgate_database_waiting{pool="api"}': always(0),
  schoolgate_database_errors_total: always(0),
  schoolgate_redis_up: always(1),
  schoolgate_redis_ping_seconds: always(0.001),
  schoolgate_password_checks_refused_total: always(0),
  'schoolgate_events_total{event="sign_in.succeeded"}': steady(30),
  'schoolgate_events_total{event="sign_in.failed"}': steady(3),
  'schoolgate_events_total{event="refresh_token.reused"}': always(0),
  'schoolgate_rate_limit_rejections_total{policy="default"}': always(0),
  schoolgate_event_loop_utilization: always(0.2),
  'process_open_fds{job="schoolgate"}': always(60),
  'process_max_fds{job="schoolgate"}': always(1024),
  'schoolgate_event_loop_blocks_total{operation="listCourses"}': always(0),
  ...Object.fromEntries(
    ['sweep', 'publish'].flatMap((job) => [
      [`schoolgate_job_runs_total{job_name="${job}",outcome="success"}`, steady(1)],
      [`schoolgate_job_runs_total{job_name="${job}",outcome="failure"}`, always(0)],
      [`schoolgate_job_runs_total{job_name="${job}",outcome="unavailable"}`, always(0)],
      [`schoolgate_job_last_success_timestamp_seconds{job_name="${job}"}`, steady(30)],
      [`schoolgate_job_interval_seconds{job_name="${job}"}`, always(30)],
    ]),
  ),
  ...Object.fromEntries(
    ['urgent_email', 'email', 'bulk_email', 'webhook', 'account_notice'].flatMap((kind) => [
      [`schoolgate_outbox_pending{kind="${kind}"}`, always(3)],
      [`schoolgate_outbox_oldest_seconds{kind="${kind}"}`, always(3)],
      [`schoolgate_outbox_attempts_total{kind="${kind}",outcome="dead"}`, always(0)],
      [`schoolgate_outbox_dead{kind="${kind}"}`, always(0)],
    ]),
  ),
  'schoolgate_self_check{school="demo",state="failed"}': always(0),
  schoolgate_schools_without_key: always(0),
  schoolgate_signing_key_age_seconds: always(86_400),
  schoolgate_clock_skew_seconds: always(0.1),
  schoolgate_configuration_reload_failed: always(0),
  'schoolgate_configuration_info{hash="one"}': always(1),
}

const job = (outcome: string, values: string): Series =>
  Object.fromEntries(['sweep', 'publish'].map((name) => [`schoolgate_job_runs_total{job_name="${name}",outcome="${outcome}"}`, values]))
const lastSuccess = (values: string): Series =>
  Object.fromEntries(['sweep', 'publish'].map((name) => [`schoolgate_job_last_success_timestamp_seconds{job_name="${name}"}`, values]))
const degraded = (part: string): Series => ({ [`schoolgate_degraded{part="${part}"}`]: during(1, 0) })
const waiting = (...kinds: string[]): Series =>
  Object.fromEntries(kinds.map((kind) => [`schoolgate_outbox_oldest_seconds{kind="${kind}"}`, during(1800, 3)]))
const outcome = (name: string, step: number): Series => ({ [`${requests}{operation="listCourses",outcome="${name}"}`]: increasing(step) })

/** The series that change from the 10th to the 40th minute, by the only alert that fires. */
const problems: Record<string, Series> = {
  SchoolgateDown: { 'up{job="schoolgate",instance="a"}': during(0, 1), 'up{job="schoolgate",instance="b"}': during(0, 1) },
  SchoolgateNotReady: { schoolgate_ready: during(0, 1) },
  SchoolgateStorageDown: { ...degraded('storage'), ...outcome('unavailable', 100) },
  SchoolgateDegraded: { ...degraded('mail'), ...waiting('urgent_email', 'email', 'bulk_email', 'account_notice') },
  SchoolgateSecretMissing: { ...degraded('secrets'), 'schoolgate_sealed_values{opened_by="none"}': during(3, 0) },
  SchoolgateOutgoingHeld: degraded('outgoing'),
  SchoolgateWebhookReceiverFailing: { ...degraded('webhooks'), 'schoolgate_outbox_oldest_seconds{kind="webhook"}': during(1800, 3) },
  SchoolgateServerErrors: outcome('server_error', 100),
  SchoolgateUnavailable: outcome('unavailable', 100),
  SchoolgateSlow: {
    [`${seconds}{area="api",le="0.1"}`]: always(0),
    [`${seconds}{area="api",le="1"}`]: `0+600x${minutes(10) - 1} 12000x${minutes(30) - 1} 12000+600x${minutes(80)}`,
  },
  SchoolgateEventLoopBlocked: { 'schoolgate_event_loop_blocks_total{operation="listCourses"}': increasing(2) },
  SchoolgateDatabaseDown: { schoolgate_database_up: during(0, 1) },
  SchoolgateDatabaseConnectionsExhausted: { 'schoolgate_database_waiting{pool="api"}': during(4, 0) },
  SchoolgateDatabaseConnectionsLost: { schoolgate_database_errors_total: increasing(5) },
  SchoolgateRedisDown: { schoolgate_redis_up: during(0, 1) },
  SchoolgateRedisSlow: { schoolgate_redis_ping_seconds: during(0.5, 0.001) },
  SchoolgatePasswordQueueFull: { schoolgate_password_checks_refused_total: increasing(1) },
  SchoolgateTokenReplay: { 'schoolgate_events_total{event="refresh_token.reused"}': increasing(1) },
  SchoolgatePasswordGuessing: { 'schoolgate_events_total{event="sign_in.failed"}': increasing(600) },
  SchoolgateRateLimited: { 'schoolgate_rate_limit_rejections_total{policy="default"}': increasing(100) },
  SchoolgateOpenFilesExhausted: { 'process_open_fds{job="schoolgate"}': during(900, 60) },
  SchoolgateEventLoopBusy: { schoolgate_event_loop_utilization: during(0.95, 0.2) },
  SchoolgateJobFailing: { ...job('failure', increasing(1)), ...lastSuccess(stopped) },
  SchoolgateJobNotRunning: lastSuccess(stopped),
  SchoolgateOutboxStuck: waiting('account_notice'),
  SchoolgateOutboxBacklog: { ...waiting('bulk_email'), 'schoolgate_outbox_pending{kind="bulk_email"}': during(50_000, 3) },
  SchoolgateOutboxDead: { 'schoolgate_outbox_attempts_total{kind="email",outcome="dead"}': increasing(1) },
  SchoolgateSelfCheckFailed: { 'schoolgate_self_check{school="demo",state="failed"}': during(1, 0) },
  SchoolgateSigningKeyMissing: { schoolgate_schools_without_key: during(1, 0) },
  SchoolgateClockWrong: { ...degraded('clock'), schoolgate_clock_skew_seconds: during(30, 0.1) },
  SchoolgateReloadFailed: { schoolgate_configuration_reload_failed: during(1, 0) },
  SchoolgateConfigurationDiffers: {
    'schoolgate_configuration_info{hash="two"}': `_x${minutes(10)} 1x${minutes(30) - 1} stale`,
  },
  SchoolgateSigningKeyOld: { schoolgate_signing_key_age_seconds: during(500 * 86_400, 86_400) },
}

/** Everything that changes while PostgreSQL is away: no request, no job and no delivery works. */
const databaseOutage: Series = {
  schoolgate_database_up: during(0, 1),
  schoolgate_ready: during(0, 1),
  ...outcome('unavailable', 600),
  [`${requests}{operation="listCourses",outcome="success"}`]: `0+600x${minutes(10) - 1} 12000x${minutes(30) - 1} 12000+600x${minutes(80)}`,
  [`${seconds}{area="api",le="0.1"}`]: `0+600x${minutes(10) - 1} 12000x${minutes(30) - 1} 12000+600x${minutes(80)}`,
  [`${seconds}{area="api",le="1"}`]: `0+600x${minutes(10) - 1} 12000x${minutes(30) - 1} 12000+600x${minutes(80)}`,
  'schoolgate_database_waiting{pool="api"}': during(9, 0),
  schoolgate_database_errors_total: increasing(5),
  ...job('unavailable', increasing(1)),
  ...job('success', `0+1x${minutes(10) - 1} 20x${minutes(30) - 1} 20+1x${minutes(80)}`),
  ...lastSuccess(stopped),
  ...waiting('email', 'account_notice'),
}
const redisOutage: Series = {
  schoolgate_redis_up: during(0, 1),
  schoolgate_redis_ping_seconds: during(2, 0.001),
  ...degraded('redis'),
  ...outcome('unavailable', 300),
}

interface Expectation {
  minute: number
  alerts: readonly string[]
}

/** Runs the rules over the series of the healthy service with these changes. Throws with the alerts that differ. */
async function expectAlerts(changes: Series, expected: readonly Expectation[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-alerts-'))
  try {
    const series = Object.entries({ ...healthy, ...changes }).map(([name, values]) => ({ series: name, values }))
    const promql_expr_test = expected.map(({ minute, alerts }) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minute}m`,
      exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    }))
    const path = join(folder, 'test.yaml')
    await writeFile(
      path,
      stringify({ rule_files: [file], evaluation_interval: '1m', tests: [{ interval: '30s', input_series: series, promql_expr_test }] }),
    )
    await run('promtool', ['test', 'rules', path]).catch((error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Alerts over an hour or a quarter of one stay until that time has passed. */
const staysMinutes: Record<string, number> = { SchoolgateOutboxDead: 61, SchoolgateTokenReplay: 16 }

describe.runIf(await hasPromtool())('the alert rules', () => {
  test('do not fire for two hours without a problem', async () => {
    await expectAlerts(
      {},
      [0, 15, 30, 60, 120].map((minute) => ({ minute, alerts: [] })),
    )
  })

  test('each have a problem for which they fire, and the series of the tests are metrics of the service', () => {
    expect(Object.keys(problems).sort()).toEqual(rules.flatMap(({ alert }) => alert ?? []).sort())
    const names = Object.keys({ ...healthy, ...databaseOutage, ...redisOutage }).map((name) => name.replace(/\{.*|_bucket\b.*/, ''))
    for (const name of names) if (!/^(up|process_.*)$/.test(name)) expect(Object.keys(metricTable)).toContain(name)
  })

  test.each(Object.keys(problems))('%s fires for its problem, as the only alert, and clears after it', async (alert) => {
    await expectAlerts(problems[alert] as Series, [
      { minute: 9, alerts: [] },
      { minute: 39, alerts: [alert] },
      { minute: 41 + (staysMinutes[alert] ?? 11), alerts: [] },
      { minute: 119, alerts: [] },
    ])
  })

  test.each([
    ['PostgreSQL', 'SchoolgateDatabaseDown', databaseOutage],
    ['Redis', 'SchoolgateRedisDown', redisOutage],
  ])('an outage of %s is one alert, which ends with it', async (_store, alert, series) => {
    const after = [43, 46, 50, 55, 60, 75, 90, 119].map((minute) => ({ minute, alerts: [] }))
    await expectAlerts(series, [...[13, 15, 20, 25, 30, 39].map((minute) => ({ minute, alerts: [alert] })), ...after])
  })

  test('jobs that fail together are one alert, which ends when they succeed', async () => {
    await expectAlerts({ ...job('failure', increasing(1)), ...lastSuccess(stopped) }, [
      { minute: 20, alerts: ['SchoolgateJobFailing'] },
      { minute: 42, alerts: [] },
    ])
  })
})
