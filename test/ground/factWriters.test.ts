import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (text: string): { code: number | null; output: string } =>
  checkPlanted({ 'src/pages/steps/rulesStep.ts': text }, ['scripts/factWriters.ts'])

test.each([
  ['a handle outside of a transaction', "await database.kysely\n  .updateTable('account')\n  .set({})\n", ':1 writes account'],
  ['a statement as text', "\nsql.query('UPDATE oidc_grant SET revoked_at = now()')\n", ':2 writes oidc_grant'],
])('a row that processes keep in memory and %s writes is reported, with the way out', (_handle, text, place) => {
  const { code, output } = check(text)
  expect(output).toContain(`src/pages/steps/rulesStep.ts${place} outside of a transaction: write it with the writer`)
  expect(output).toContain('docs/decisions/0012')
  expect(code).toBe(1)
})

test('the writer of a transaction may write it', () => {
  expect(check("await change.writer.deleteFrom('staff').where('id', '=', id)\n").code).toBe(0)
})
