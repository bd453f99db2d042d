import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, succeeds } from './podman.ts'

/** The certificates of a Debian machine. */
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** Returns the base image of the Dockerfile if it is here or a registry has it, and otherwise one that is made here. */
export async function baseImage(root: string, say: (text: string) => void): Promise<string> {
  const [, named = ''] = /^ARG NODE=(.+)$/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8')) ?? []
  if (await succeeds('podman', ['pull', '--policy', 'missing', `docker.io/library/${named}`])) return `docker.io/library/${named}`
  const made = `localhost/${named}`
  if (await succeeds('podman', ['image', 'exists', made])) return made
  say(`no registry has ${named}: makes ${made} with debootstrap and the Node of this project`)
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-base-'))
  try {
    await run('debootstrap', [
      '--variant=minbase',
      '--include=ca-certificates',
      'bookworm',
      join(folder, 'root'),
      'http://deb.debian.org/debian',
    ])
    await run('sh', [
      '-c',
      'umount "$1/proc" "$1/sys" 2> /dev/null; tar -C "$1" --exclude "./proc/*" --exclude "./sys/*" --exclude "./var/cache/apt/archives/*.deb" -cf "$2" .',
      'sh',
      join(folder, 'root'),
      join(folder, 'root.tar'),
    ])
    // The official image contains node, npm and the user node. Its certificates are those of this machine, which may be behind a proxy.
    await run('npm', ['pack', 'npm@11', '--pack-destination', folder])
    await run('sh', ['-c', 'cd "$1" && tar xzf npm-*.tgz', 'sh', folder])
    await cp(process.execPath, join(folder, 'node'))
    await cp(certificates, join(folder, 'ca-certificates.crt'))
    await writeFile(
      join(folder, 'Dockerfile'),
      `FROM scratch
ADD root.tar /
COPY node /usr/local/bin/node
COPY package /usr/local/lib/node_modules/npm
COPY ca-certificates.crt ${certificates}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
ENV NODE_EXTRA_CA_CERTS=${certificates}
`,
    )
    await run('podman', ['build', '--isolation', 'chroot', '--tag', made, folder])
    return made
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
