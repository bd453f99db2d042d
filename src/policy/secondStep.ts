/** The rule of a school about second factors: never asked, or asked of people who have set one up. */
export type SecondStepRule = 'off' | 'optional'
