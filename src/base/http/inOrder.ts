import type { Context, Middleware } from 'koa'
import type { RequestState } from './requestState.ts'

/** A part of the pipeline that neither waits nor needs what comes after it. It throws a Problem to reject the request. */
export type Step = (ctx: Context) => void

/** Returns the steps as one middleware: a step costs a call, a middleware a promise. */
export const inOrder =
  (steps: readonly Step[]): Middleware<RequestState> =>
  (ctx, next) => {
    for (const step of steps) step(ctx)
    return next()
  }
