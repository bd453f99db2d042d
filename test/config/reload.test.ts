import { describe, expect, test } from 'vitest'
import { planReload } from '../../src/config/reload.ts'
import { load as loadFiles } from './configFolder.ts'

const load = (files: Record<string, string>) => loadFiles(files, { SECRET_KEY: 's'.repeat(32) })
const plan = (before: Record<string, string>, after: Record<string, string>) => planReload(load(before), load(after))
const issuersOf = ({ config }: ReturnType<typeof plan>) => Object.fromEntries(config.schools.map(({ slug, issuer }) => [slug, issuer]))

const demo = { 'schools/demo.yaml': '' }
const north = { 'schools/north.yaml': 'issuer: https://north.example.com\n' }

describe('a reload', () => {
  test('keeps serving a school whose file was removed, until the next start', () => {
    const planned = plan({ ...demo, ...north }, demo)
    expect(planned.needsRestart).toEqual(['schools.north (removed)'])
    expect(issuersOf(planned)).toEqual({ demo: 'http://127.0.0.1:3000', north: 'https://north.example.com' })
  })

  test('keeps the issuer of a school, and what is derived from it, until the next start; its other changes take effect', () => {
    const planned = plan(north, { 'schools/north.yaml': 'issuer: https://new.example.com\npricing_note: New.\n' })
    expect(planned).toMatchObject({ needsRestart: ['schools.north.issuer'], reloadable: ['schools.north.pricing_note'] })
    expect(planned.config.schools).toMatchObject([
      { issuer: 'https://north.example.com', docs_url: 'https://north.example.com/auth.md', pricing_note: 'New.' },
    ])
  })

  test('keeps server.yaml until the next start', () => {
    const planned = plan(demo, { ...demo, 'server.yaml': 'shutdown_seconds: 5\n' })
    expect(planned.needsRestart).toEqual(['server.shutdown_seconds'])
    expect(planned.config.server).toEqual(load(demo).server)
  })

  test('adds a school only at the next start if its host still belongs to another', () => {
    const planned = plan(north, { 'schools/northern.yaml': 'issuer: https://north.example.com\n' })
    expect(planned.needsRestart.toSorted()).toEqual(['schools.north (removed)', 'schools.northern (added)'])
    expect(issuersOf(planned)).toEqual({ north: 'https://north.example.com' })
  })

  test('adds a new school', () => {
    const planned = plan(demo, { ...demo, ...north })
    expect(planned).toMatchObject({ needsRestart: [], reloadable: ['schools.north (added)'] })
    expect(Object.keys(issuersOf(planned))).toEqual(['demo', 'north'])
  })

  test('repeats the changes that need a restart, and drops them when the file is restored', () => {
    const first = plan({ ...demo, ...north }, demo)
    expect(planReload(first.config, load(demo)).needsRestart).toEqual(['schools.north (removed)'])
    expect(planReload(first.config, load({ ...demo, ...north }))).toMatchObject({ needsRestart: [], reloadable: [] })
  })
})
