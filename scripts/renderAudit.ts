import { type AuditEventKind, auditEvents, isKeptLonger } from '../src/database/tables/auditEvents.ts'
import { operationsIn, resources } from '../src/school/index.ts'

/** Returns docs/audit.md: the members of an entry, its retention, and every event. */
export function renderAudit(): string {
  const events = Object.entries<AuditEventKind>(auditEvents)
  const objects = [...new Set(operationsIn(resources).flatMap((one) => (one.method === 'GET' ? [] : [one.resource.object])))].toSorted()
  return `<!-- Printed by npm run docs from src/database/tables/auditEvents.ts and src/school. -->

# The audit trail

The service writes an entry for each event below, in the transaction of the change if there is one: an entry exists exactly if the change
does. \`schoolgate audit\` shows, filters, follows and exports the entries; [operate.md](operate.md) has examples.

## Members of an entry

| member | contents |
| --- | --- |
| \`at\` | the time |
| \`event\` | \`area.what_happened\` |
| \`account_id\` | the opaque id of the person |
| \`client_id\` | the client; where a request failed, the client that it named |
| \`grant_id\` | the grant: one consent of one person for one client, with all its tokens |
| \`request_id\` | the request, as in the log and in the header \`Request-Id\` of the response |
| \`address\` | the network address of the caller; after some days its network |
| \`details\` | facts about the event. Operators' events name the operator |

An entry contains no token, code, password or secret, no name and no e-mail address of a person.

## Retention

The job \`sweep_audit\` runs every hour. \`audit\` in \`server.yaml\` configures it:

| key | default | why |
| --- | --- | --- |
| \`full_address_days\` | 30 | A network address is personal data (GDPR, recital 30). The full address is needed while an attack is under way and for the days in which it is noticed. After that the network is enough to show people from where they signed in: 203.0.113.0/24 and 2001:db8:1::/48 |
| \`days\` | 365 | One year covers yearly processes of a school. Storage limitation (GDPR, Article 5(1)(e)) requires an end |
| \`security_days\` | 730 | A consent must be provable while it has effect (GDPR, Article 7(1)), and a grant can last for a year. Misuse of access is often found late. Only entries that show who could access what are kept this long: "long" below |

The trail has what apps change. What they read is counted, not logged: each process counts the calls of an app by authorization, operation and
day, with the rows in the responses and the calls that were refused, and adds them to \`grant_use\` every ten seconds. A process that is killed
loses the counts of its last ten seconds. The counts are kept for 90 days and deleted with the authorization or the person; which rows an app read is
not stored. People see both at \`/account/apps\`, owners and admins at \`/account/school/apps\`.

Shorter times are always possible; agree on longer ones with your data protection officer. \`people erase\` removes the person from the
entries earlier.

## Events

| event | meaning | kept |
| --- | --- | --- |
${events.map(([event, { about, keep }]) => `| \`${event}\` | ${about} | ${keep} |`).join('\n')}

## Writes through the API

Each write has an entry \`<object>.<action>\`: \`created\`, \`updated\`, \`deleted\`, or the name of the operation, such as \`course.publish\`.
\`details\` names the operation, the scope, the role of the person, the object, its versions before and after, and the reason of a corrected
certificate. The objects, and how long
their entries are kept:

| object | kept |
| --- | --- |
${objects.map((object) => `| \`${object}\` | ${isKeptLonger(`${object}.x`) ? 'long' : 'standard'} |`).join('\n')}
`
}
