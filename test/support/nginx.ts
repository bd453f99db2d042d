import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { until } from './poll.ts'

const run = promisify(execFile)

export interface Nginx {
  /** Returns the error log of nginx. */
  errors(): Promise<string>
  stop(): Promise<void>
}

export interface NginxOptions {
  /** Port for TLS, and the port that redirects to it. */
  port: number
  plainPort: number
  /** Ports of the processes behind it. */
  upstreams: readonly number[]
  /** Planted errors: what replaces which text of the file. */
  planted?: Readonly<Record<string, string>>
}

/** True if nginx and openssl are installed. With REQUIRE_SERVICES=1 their absence is a failure. */
export async function hasNginx(): Promise<boolean> {
  try {
    await run('nginx', ['-v'])
    await run('openssl', ['version'])
    return true
  } catch (cause) {
    if (process.env.REQUIRE_SERVICES === '1') throw new Error('nginx and openssl are required and not installed', { cause })
    process.stderr.write('NOT RUN: everything that needs nginx and openssl, which are not installed\n')
    return false
  }
}

/** Runs nginx with `deploy/nginx.conf`: ports, processes, certificate, folders and planted errors are replaced, and nothing else. */
export async function startNginx({ port, plainPort, upstreams, planted = {} }: NginxOptions): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-nginx-'))
  // The workers of nginx run as another user.
  await chmod(folder, 0o755)
  const { key, certificate } = await trustedCertificate(folder)
  const delivered = await readFile(resolve(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
  const [first = 0, second = 0] = upstreams
  const replaced = replaceAll(delivered, {
    ...planted,
    'pid /run/nginx.pid;': `pid ${folder}/nginx.pid;`,
    'error_log /var/log/nginx/error.log;': `error_log ${folder}/error.log info;`,
    'access_log /var/log/nginx/access.log': `access_log ${folder}/access.log`,
    'server 127.0.0.1:3000': `server 127.0.0.1:${first}`,
    'server 127.0.0.1:3001': `server 127.0.0.1:${second}`,
    'listen 80 default_server;': `listen 127.0.0.1:${plainPort} default_server;`,
    'listen [::]:80 default_server;': '',
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    'listen [::]:443 ssl http2 default_server;': '',
    '/etc/ssl/schoolgate/fullchain.pem': certificate,
    '/etc/ssl/schoolgate/privkey.pem': key,
    'http {\n': `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};\n`).join('')}`,
  })
  const file = join(folder, 'nginx.conf')
  await writeFile(file, replaced)
  await run('nginx', ['-t', '-c', file, '-p', folder, '-e', join(folder, 'error.log')])
  const child: ChildProcess = spawn('nginx', ['-c', file, '-p', folder, '-e', join(folder, 'error.log'), '-g', 'daemon off;'], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await until(() => accepts(port), { what: 'nginx to listen' })
  return {
    errors: () => readFile(join(folder, 'error.log'), 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @throws Error for a text that is not there: the delivered file and this list must agree. */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`deploy/nginx.conf does not contain: ${from}`)
    return before.replaceAll(from, () => to)
  }, text)
}

/** Creates a certificate of this machine, which this process trusts from now on. Returns the paths of its files. */
export async function trustedCertificate(folder: string): Promise<Record<'key' | 'certificate', string>> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost'
  const shape = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '60', '-subj', '/CN=localhost']
  await run('openssl', ['req', '-x509', ...shape, '-addext', names, '-keyout', key, '-out', certificate])
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')])
  return { key, certificate }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
  return true
}
