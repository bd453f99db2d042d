import { Problem } from '../../../lib/problem.ts'
import { pageProblem } from '../../pageProblem.ts'

/** @throws Problem not_found, as for a page that does not exist, if the request of the page names nothing */
export async function found<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 400))
      throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    throw error
  }
}
