const firstSeconds = 5
const longestSeconds = 4 * 3600

/**
 * Returns how many seconds to wait after a failed attempt, counted from 1: 5 seconds, doubled with each attempt up to 4 hours. A random
 * half of it is left out, so that work that failed together is not retried together.
 */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(longestSeconds, firstSeconds * 2 ** Math.min(attempt - 1, 20))
  return longest * (0.5 + random() / 2)
}
