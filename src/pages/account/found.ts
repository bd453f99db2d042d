import { Problem } from '../../base/problem.ts'
import { pageProblem } from '../pageProblem.ts'

/** True for the problem of a row that the person does not see, or of a list that the person does not have. */
export const isClosed = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'not_found' || error.code === 'access_denied')

/** @throws Problem not_found, as for a page that does not exist, if the request of the page names nothing that the person sees */
export async function found<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (isClosed(error) || (error instanceof Problem && error.status === 400))
      throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
    throw error
  }
}
