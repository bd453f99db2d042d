// JavaScript without newer syntax, because it runs on every version of Node: older ones cannot load TypeScript.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const numbers = (text) => text.replace(/^\D+/, '').split('.').map(Number)
const [least, leastMinor] = numbers(engines.node)
const [major, minor] = numbers(process.version)
if (major < least || (major === least && minor < leastMinor)) {
  console.error(
    `Node ${engines.node} is required, and ${process.execPath} is ${process.version}: run npm ci without --omit=optional, which installs it, or install Node ${least}`,
  )
  process.exit(1)
}
