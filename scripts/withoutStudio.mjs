/** Gives the Prisma CLI empty modules for its studio and its local server, which are not installed: 130 MB that generating does not use. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) =>
    /^@prisma\/(?:dev|studio-core)(?:\/|$)/.test(name)
      ? { url: 'node:constants', format: 'builtin', shortCircuit: true }
      : next(name, context),
})
