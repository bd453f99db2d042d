/** The name of the schema of every error response. `Error` would hide the type of JavaScript in generated clients. */
export const errorSchemaName = 'ApiError'

export const errorSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', description: 'Error code, for programs.', example: 'not_found' },
    error_description: { type: 'string', description: 'The error and its fix, for people.', example: 'There is no such course.' },
    error_uri: {
      type: 'string',
      format: 'uri',
      description: 'Documentation of this error.',
      example: 'https://school.example/docs/errors#not_found',
    },
    documentation: {
      type: 'string',
      format: 'uri',
      description: 'How to get a token. Present if the request has none.',
      example: 'https://school.example/auth.md',
    },
    request_id: {
      type: 'string',
      description: 'Identifies the request. Include it when you contact support.',
      example: 'req_01jgwejj00e6srgkpqm2sqf05m',
    },
    details: {
      type: 'array',
      description: 'Each invalid field or parameter.',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          field: { type: 'string', description: 'Path of the field, with dots.', example: 'price.amount' },
          code: { type: 'string', description: 'Code of the rule that it breaks.', example: 'min' },
          message: { type: 'string', description: 'The rule and the fix, for people.', example: 'price.amount: must be greater than 0' },
          meta: { type: 'object', description: 'Values of the rule, such as the minimum or the allowed values.' },
        },
      },
    },
  },
}
