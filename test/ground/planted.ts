import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/**
 * Runs a check of this project on a small tree with these files.
 * @param files by path, each with its text
 * @param command the file that Node runs, from the root of the project, and its arguments
 */
export function checkPlanted(
  files: Record<string, string>,
  [script, ...args]: [string, ...string[]],
): { code: number | null; output: string } {
  const directory = mkdtempSync(join(tmpdir(), 'schoolgate-planted-'))
  try {
    for (const name of ['package.json', 'tsconfig.json', 'biome.json']) cpSync(join(root, name), join(directory, name))
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: directory, encoding: 'utf8' })
    return { code: status, output: stdout + stderr }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
