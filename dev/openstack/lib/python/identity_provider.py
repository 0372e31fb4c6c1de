"""An identity provider in front of Keystone, in place of Apache's modules for OpenID Connect and SAML.

Pages that hand over a token require HTTP Basic authentication. The user is passed to Keystone in request variables.
The password of each user is the username.
"""
import base64
import re

HANDS_OVER = re.compile(r"^/v3/auth/OS-FEDERATION/(identity_providers/[^/]+/protocols/[^/]+/websso|websso/[^/]+)$")
# groups that the provider reports, by username
PEOPLE = {"fay": "federated", "stranger": "nowhere"}


def who(header):
    """Returns the user who signs in with this header, or None."""
    scheme, _, text = header.partition(" ")
    try:
        name, _, password = base64.b64decode(text).decode().partition(":")
    except ValueError:
        return None
    return name if scheme.lower() == "basic" and name in PEOPLE and password == name else None


def guard(keystone):
    def application(environ, start_response):
        # callers must not be able to set the provider's variables
        environ = {key: value for key, value in environ.items() if not key.startswith("IDP_")}
        if HANDS_OVER.match(environ.get("PATH_INFO", "")):
            name = who(environ.get("HTTP_AUTHORIZATION", ""))
            if name is None:
                start_response("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="The company"'),
                                                    ("Content-Type", "text/plain")])
                return [b"Sign in"]
            environ.update(IDP_ISSUER="https://company.test", IDP_NAME=name, IDP_EMAIL=name + "@company.test",
                           IDP_GROUPS=PEOPLE[name])
        return keystone(environ, start_response)
    return application
