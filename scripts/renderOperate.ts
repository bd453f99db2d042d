import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { type MetricKind, metricTable } from '../src/base/http/metricTable.ts'
import { between } from './between.ts'

const markers = (name: string, source: string): [string, string] => [
  `<!-- ${name}: printed by npm run docs from ${source} -->`,
  `<!-- end of the ${name} -->`,
]

interface Rule {
  /** Absent from rules that record a series. */
  alert?: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}

/** Returns docs/operate.md of the working directory with the current tables between their markers. */
export async function renderOperate(): Promise<string> {
  const text = await readFile('docs/operate.md', 'utf8')
  const { groups }: { groups: { rules: Rule[] }[] } = parse(await readFile('deploy/prometheus/alerts.yaml', 'utf8'))
  const withMetrics = between(text, markers('metrics', 'src/base/http/metricTable.ts'), metrics())
  return between(withMetrics, markers('alerts', 'deploy/prometheus/alerts.yaml'), alerts(groups.flatMap(({ rules }) => rules)))
}

function metrics(): string {
  const rows = Object.entries<MetricKind>(metricTable).map(
    ([name, { type, labels, help, use }]) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || 'none'} | ${help}. ${use} |`,
  )
  return ['| metric | type | labels | meaning, and what to do |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function alerts(rules: readonly Rule[]): string {
  const rows = rules.flatMap(({ alert, labels, annotations }) =>
    alert === undefined ? [] : [`| \`${alert}\` | ${labels.severity} | ${annotations.summary} | ${annotations.action} |`],
  )
  return ['| alert | severity | meaning | what to do |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
