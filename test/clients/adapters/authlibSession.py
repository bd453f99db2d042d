"""Authlib in a web service: runs one command for each line of JSON on its standard input."""

import json
import os
import secrets
import sys

from authlib.integrations.requests_client import OAuth2Session

issuer = os.environ["ISSUER"]
token_endpoint = f"{issuer}/api/oauth/token"
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    os.environ["CLIENT_SECRET"],
    redirect_uri=os.environ["REDIRECT_URI"],
    token_endpoint_auth_method="client_secret_post",
    revocation_endpoint_auth_method="client_secret_post",
    code_challenge_method="S256",
)
verifier = secrets.token_urlsafe(48)
state = ""


def run(command, value):
    global state
    if command == "begin":
        session.scope = value
        url, state = session.create_authorization_url(f"{issuer}/oauth/authorize", code_verifier=verifier)
        return url
    if command == "finish":
        return session.fetch_token(token_endpoint, authorization_response=value, state=state, code_verifier=verifier)
    if command == "tokens":
        return session.token
    if command == "call":
        return session.get(value).status_code
    if command == "refresh":
        return session.refresh_token(token_endpoint)
    return session.revoke_token(f"{issuer}/api/oauth/revoke", token=session.token["refresh_token"]).status_code


for line in sys.stdin:
    try:
        answer = {"result": run(**json.loads(line))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__} {error}"}
    print(json.dumps(answer), flush=True)
