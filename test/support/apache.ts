import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './poll.ts'
import { freePort } from './process.ts'

const run = promisify(execFile)

export interface Apache {
  origin: string
  stop(): Promise<void>
}

/** Starts Apache with these directives, on a free port and with its own folder. The modules are those of Debian. */
export async function startApache(modules: readonly string[], directives: string): Promise<Apache> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-apache-'))
  // The workers of Apache run as another user.
  await chmod(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'apache.conf')
  const isRoot = process.getuid?.() === 0
  await writeFile(
    file,
    `ServerRoot ${folder}
ServerName app.example.com
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
${['mpm_event', 'authz_core', 'authn_core', 'authz_user', ...modules].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${isRoot ? 'User www-data\nGroup www-data' : ''}
StartServers 1
${directives}
`,
  )
  const log = (): Promise<string> => readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
  await run('apache2', ['-t', '-f', file])
  const child: ChildProcess = spawn('apache2', ['-D', 'FOREGROUND', '-f', file], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await until(() => accepts(port), { what: 'Apache to listen' }).catch(async (cause) => {
    throw new Error(await log(), { cause })
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
  return true
}
