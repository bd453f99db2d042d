"""requests-oauthlib in a web service: runs one command for each line of JSON on its standard input."""

import base64
import hashlib
import json
import os
import secrets
import sys

from requests_oauthlib import OAuth2Session

issuer = os.environ["ISSUER"]
token_endpoint = f"{issuer}/api/oauth/token"
credentials = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}
session = OAuth2Session(credentials["client_id"], redirect_uri=os.environ["REDIRECT_URI"])
verifier = secrets.token_urlsafe(48)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def run(command, value):
    if command == "begin":
        session.scope = value.split(" ")
        url, _state = session.authorization_url(
            f"{issuer}/oauth/authorize", code_challenge=challenge, code_challenge_method="S256"
        )
        return url
    if command == "finish":
        return session.fetch_token(
            token_endpoint,
            authorization_response=value,
            code_verifier=verifier,
            include_client_id=True,
            client_secret=credentials["client_secret"],
        )
    if command == "tokens":
        return {**session.token, "scope": " ".join(session.token["scope"])}
    if command == "call":
        return session.get(value).status_code
    return session.refresh_token(token_endpoint, **credentials)


for line in sys.stdin:
    try:
        answer = {"result": run(**json.loads(line))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__} {error}"}
    print(json.dumps(answer), flush=True)
