/** Returns the first number, or the second with TEST_DATABASES=both, as `npm run test:all` sets it: that run may take its time. */
export const runsOrThorough = (runs: number, thorough: number): number => (process.env.TEST_DATABASES === 'both' ? thorough : runs)
