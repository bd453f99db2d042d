import type { ServerMetadata } from './schoolFacts.ts'

/** File name of the script. Its state is in `school.sh.state`, in the same folder. */
export const scriptName = 'school.sh'

/** Port of the redirect URI. A registration of a loopback address is valid for every port (RFC 8252 section 7.3). */
export const scriptPort = 8765

const respond = `const ok=q.url.includes('state=$state');r.writeHead(ok?200:404).end(ok?'You can close this page.':'',()=>ok&&(console.log(q.url),process.exit()))`
/** The listener waits ten minutes. It answers requests of others, such as favicons, with 404. */
const listener = `require('http').createServer((q,r)=>{${respond}}).listen($port,'127.0.0.1');setTimeout(process.exit,6e5)`

/**
 * Renders a POSIX shell script that gets and keeps tokens. Every step can run in a separate shell, because the state is in a file. One
 * process at a time changes the state, and replaces the file in one step: no failed, repeated or concurrent request loses a refresh token.
 */
export function authScript({ issuer, ...metadata }: ServerMetadata): string {
  const at = (url: string): string => (url.startsWith(`${issuer}/`) ? `$base${url.slice(issuer.length)}` : url)
  const { registration_endpoint: registration } = metadata
  const token = at(metadata.token_endpoint)
  return String.raw`#!/bin/sh
# ${scriptName} begin 'SCOPES' 'NAME' | finish ['ADDRESS'] | token [new] | revoke. Needs curl and openssl; to listen, node.
base=${issuer} port=${scriptPort}
back=http://127.0.0.1:$port/callback S=$0.state keys='client asked state verifier access refresh expires'
umask 077; touch "$S" || exit
fail() { echo "$*" >&2; exit 1; }
load() { all=$(cat "$S"); for k in $keys; do eval "$k=\$(echo \"\$all\" | sed -n 's/^$k=//p')"; done${registration ? '' : '; client=THE-ID-THAT-THE-SCHOOL-GAVE-YOU'}; }
save() { for k in $keys; do eval "echo \"$k=\$$k\""; done >"$S.new" && mv "$S.new" "$S" || fail 'Cannot save.'; }
lock() {
  until mkdir "$S.lock" 2>/dev/null; do
    pid=$(cat "$S.lock/pid" 2>/dev/null)
    [ -z "$pid" ] || kill -0 "$pid" 2>/dev/null || [ "$(cat "$S.lock/pid" 2>/dev/null)" != "$pid" ] || rm -rf "$S.lock"
    sleep 1
  done
  trap 'rm -rf "$S.lock" "$S.body"' EXIT; trap '' HUP INT TERM
  echo $$ >"$S.lock/pid"; load
}
send() { # waits as Retry-After says
  curl -sS -o "$S.body" --max-time 30 --retry 4 --retry-max-time 60 "$@" || fail 'No response: run the same command again.'
}
member() { sed -nE "s/.*\"$1\" *: *\"?([^\",}]*).*/\1/p" "$S.body"; }
keep() {
  new=$(member access_token); [ "$new" ] || fail "$(cat "$S.body")"
  access=$new refresh=$(member refresh_token) state= expires=$(($(date +%s) + $(member expires_in) * 9 / 10)); save
}
case $1 in
begin)
  lock
${
  registration
    ? String.raw`  [ "$client" ] || {
    send ${at(registration)} -H 'Content-Type: application/json' -d "{\"client_name\":\"${'$'}{3:-Agent on $(uname -n)}\",\"redirect_uris\":[\"$back\"]}"
    client=$(member client_id); [ "$client" ] || fail "$(cat "$S.body")"
  }
`
    : ''
}  asked=$2 state=$(openssl rand -hex 16) verifier=$(openssl rand -hex 32) || fail 'openssl failed.'
  save
  challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d =)
  echo "${at(metadata.authorization_endpoint)}?response_type=code&client_id=$client&redirect_uri=$back&scope=$(echo "$asked" | tr ' ' +)&code_challenge=$challenge&code_challenge_method=S256&state=$state" ;;
finish)
  load; [ "$state" ] || fail 'Run begin first.'
  answer=${'$'}{2:-$(node -e "${listener}")}
  part() { printf %s "$answer" | tr '?&#' '\n\n\n' | sed -n "s/^$1=//p"; }
  lock
  [ "$(part state)" = "$state" ] && [ "$(part iss)" = ${encodeURIComponent(issuer)} ] || fail 'Not the response to the last begin.'
  [ "$(part code)" ] || fail "refused: $(part error)$(part error_description | sed 's/^/: /;s/+/ /g;s/%2C/,/g;s/%3A/:/g;s/%2F/\//g')"
  send ${token} -d grant_type=authorization_code -d client_id="$client" -d code="$(part code)" -d code_verifier="$verifier" -d redirect_uri="$back"
  granted=$(member scope); keep; echo "granted: $granted"
  for s in $asked; do case " $granted " in *" $s "*) ;; *) echo "not granted: $s" ;; esac; done ;;
token)
  load; [ "$refresh" ] || fail 'No token: run begin and finish.'
  if [ "$2" ] || [ "$(date +%s)" -ge "$expires" ]; then
    old=$access; lock # another shell may have refreshed
    [ "$access" != "$old" ] || { send ${token} -d grant_type=refresh_token -d client_id="$client" -d refresh_token="$refresh"; keep; }
  fi
  echo "$access" ;;
revoke)
  lock; send ${at(metadata.revocation_endpoint)} -d client_id="$client" -d token="$refresh"
  case $(cat "$S.body") in '' | '{}') ;; *) fail "$(cat "$S.body")" ;; esac
  access= refresh=; save ;;
*) fail "$(sed -n 2p "$0")" ;;
esac`
}
