"""An identity provider before Keystone, as Apache's modules for OpenID Connect and SAML are one to it.

Who asks for a page that hands over a token signs in by HTTP Basic first; Keystone is then told who it is by variables of
the request. Everybody's password is their name.
"""
import base64
import re

HANDS_OVER = re.compile(r"^/v3/auth/OS-FEDERATION/(identity_providers/[^/]+/protocols/[^/]+/websso|websso/[^/]+)$")
# by name: the groups that the provider tells of
PEOPLE = {"fay": "federated", "stranger": "nowhere"}


def who(header):
    """The name of whoever signs in with this header; None for nobody."""
    scheme, _, text = header.partition(" ")
    try:
        name, _, password = base64.b64decode(text).decode().partition(":")
    except ValueError:
        return None
    return name if scheme.lower() == "basic" and name in PEOPLE and password == name else None


def guard(keystone):
    def application(environ, start_response):
        # what a caller says of itself would be taken for the provider's word
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
