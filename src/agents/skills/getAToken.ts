import { scriptName, scriptPort } from '../authScript.ts'
import type { Skill } from '../skill.ts'

export const getAToken: Skill = {
  name: 'get-a-token',
  title: 'Get a token',
  description: 'Get, refresh and revoke an OAuth access token for a person of the school. Use before any call that is not public.',
  steps: [
    { about: 'Save the script of /auth.md, which explains it, and read it.', command: 'save' },
    { about: 'Ask for access. The command prints a URL: give it to the person.', command: 'begin' },
    {
      about:
        'The person signs in and consents. Permissions to change data start unticked: name the boxes to tick. The browser then shows that it cannot connect. Ask for the whole address in its address bar, and pass it on without delay:',
      command: `sh ${scriptName} finish 'http://127.0.0.1:${scriptPort}/callback?code=…&state=…&iss=…'`,
    },
    {
      about: 'Call the API. The script refreshes the token when it expires.',
      operation: 'getAccount',
      sample: { id: 'acc_…', object: 'account', email: '…', membership: { roles: '…' } },
    },
    { about: 'After a 401, get another token:', command: `sh ${scriptName} token new` },
    { about: 'When you no longer need access, revoke it:', command: `sh ${scriptName} revoke` },
  ],
}
