import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/base/http/metrics.ts'
import { type MetricKind, metricTable, outcomes } from '../../src/base/http/metricTable.ts'
import { auditEvents } from '../../src/database/tables/auditEvents.ts'
import { runOutcomes } from '../../src/operate/jobs/schedule.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

interface Rule {
  alert?: string
  record?: string
  expr: string
  annotations?: Record<string, string>
}
const rules: Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)
const dashboard = JSON.parse(read('deploy/grafana/schoolgate.json'))
const panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[] = dashboard.panels
const queries = [
  ...rules.map(({ alert, record, expr }) => ({ where: alert ?? record ?? '', expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
]

/** The names, functions and keywords of PromQL that the queries use. */
const words = new Set(
  'and by clamp_max count histogram_quantile increase label_replace max max_over_time min on or rate sum time topk unless vector le without ignoring'.split(
    ' ',
  ),
)
/** Series that the rules themselves record. */
const recorded = /schoolgate:[\w:]+/g
/** Labels that Prometheus adds. */
const scrapeLabels = ['instance', 'job']

/** Returns the metrics of a query, with the labels that it selects or groups by. Texts and durations are left out. */
function metricsIn(expr: string): { names: string[]; labels: string[]; values: [label: string, value: string][] } {
  const values = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', value = '']): [string, string] => [
    label,
    value,
  ])
  const grouped = [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap((label) => label.trim() || []),
  )
  const bare = expr
    .replace(/\b(?:by|on)\s*\([^)]*\)/g, ' ')
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(recorded, ' ')
  const names = [...bare.matchAll(/[a-zA-Z_]\w*/g)].map(([name]) => name).filter((name) => !words.has(name))
  return { names, labels: [...values.map(([label]) => label), ...grouped], values }
}

describe('the dashboard and the alert rules', () => {
  test('name only metrics and labels that the service exports', async () => {
    const { text } = await createMetrics({ version: '1', log: { warn: () => undefined } }).render()
    const exported = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
    expect(queries.length).toBeGreaterThan(40)
    for (const { where, expr } of queries) {
      const { names, labels } = metricsIn(expr)
      expect(names.length + (expr.match(recorded) ?? []).length, where).toBeGreaterThan(0)
      const families = names.map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      for (const name of families) if (name !== 'up') expect(exported, `${where}: ${name}`).toContain(name)
      const known = new Set([
        ...scrapeLabels,
        'le',
        ...Object.entries<MetricKind>(metricTable).flatMap(([name, kind]) => (families.includes(name) ? kind.labels : [])),
      ])
      for (const label of labels) expect(known, `${where}: ${label}`).toContain(label)
    }
  })

  test('select outcomes and events that exist', () => {
    const known: Record<string, readonly string[]> = {
      outcome: [...outcomes, ...runOutcomes, 'delivered', 'retried', 'dead'],
      event: Object.keys(auditEvents),
    }
    for (const { where, expr } of queries)
      for (const [label, value] of metricsIn(expr).values)
        for (const one of value.split('|'))
          if (known[label])
            expect(
              known[label].some((name) => new RegExp(`^${one}$`).test(name)),
              `${where}: ${one}`,
            ).toBe(true)
  })

  test('use every metric of the service, in one or the other', () => {
    const used = new Set(queries.flatMap(({ expr }) => metricsIn(expr).names.map((name) => name.replace(/_(bucket|sum|count)$/, ''))))
    const unused = Object.keys(metricTable).filter((name) => !used.has(name))
    expect(unused.toSorted()).toEqual(['schoolgate_configuration_reloads_total', 'schoolgate_job_seconds_total', 'schoolgate_schools'])
  })

  test('have a summary and an action in each alert, and metrics whose names are well-formed', () => {
    for (const { alert, annotations } of rules) if (alert) expect(Object.keys(annotations ?? {}), alert).toEqual(['summary', 'action'])
    for (const [name, { type }] of Object.entries<MetricKind>(metricTable)) {
      expect(name).toMatch(/^schoolgate_[a-z_]+$/)
      expect(name.endsWith('_total'), name).toBe(type === 'counter')
    }
  })
})

test('docs/operate.md explains every warning and error of the service', () => {
  const text = read('docs/operate.md')
  const source = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.startsWith('src/operate/cli/') && !path.startsWith('src/gen/'))
    .map((path) => read(path))
    .join('\n')
  const messages = new Set(
    [...source.matchAll(/log\.(?:warn|error|fatal)\([^']*?(?:\}\)?|,) ?'([^']+)'\)/g)].map(([, message = '']) => message),
  )
  expect(messages.size).toBeGreaterThan(12)
  for (const message of messages) expect(text).toContain(`\`${message}\``)
})
