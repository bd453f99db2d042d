import type { Failure } from './failure.ts'
import { otherFailures } from './otherFailures.ts'
import { postgresFailures } from './postgresFailures.ts'
import { processFailures } from './processFailures.ts'
import { redisFailures } from './redisFailures.ts'

/** Every failure, in the order of the table. */
export const allFailures: readonly Failure[] = [...processFailures, ...postgresFailures, ...redisFailures, ...otherFailures]
