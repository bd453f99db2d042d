/** Runs in a thread: its dictionaries take about 70 MB. Responds to each request with a number of guesses. */
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as german } from '@zxcvbn-ts/language-de'
import { dictionary as english } from '@zxcvbn-ts/language-en'
import type { GuessRequest } from './guessEstimator.ts'

const estimator = new ZxcvbnFactory({
  dictionary: { ...common, ...english, ...german },
  graphs: adjacencyGraphs,
  // The default of 100 takes seconds for 72 characters, this one a tenth.
  l33tMaxSubstitutions: 20,
})

parentPort?.on('message', ({ password, words }: GuessRequest) => {
  parentPort?.postMessage(estimator.check(password, [...words]).guesses)
})
