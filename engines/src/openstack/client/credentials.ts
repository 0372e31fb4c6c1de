import type { Secret } from '../../ports/secret'

/** A domain by ID or by name. */
export type DomainRef = { id: string } | { name: string }
/** A user by ID, or by name within a domain. */
export type UserRef = { id: string } | { name: string; domain: DomainRef }

export type Credentials =
  | { method: 'password'; user: UserRef; password: Secret }
  | { method: 'token'; token: Secret }
  | { method: 'application_credential'; id: string; secret: Secret }
  | { method: 'application_credential'; name: string; user: UserRef; secret: Secret }

/** Scope of a requested token. Defaults to the user's default project, if there is one. */
export type AuthScope =
  | { project: { id: string } | { name: string; domain: DomainRef } }
  | { domain: DomainRef }
  | 'system'
  | 'unscoped'

function identityOf(credentials: Credentials): object {
  switch (credentials.method) {
    case 'password': {
      const { user, password } = credentials
      return { methods: ['password'], password: { user: { ...user, password: password.reveal() } } }
    }
    case 'token':
      return { methods: ['token'], token: { id: credentials.token.reveal() } }
    case 'application_credential': {
      const { method: _, secret, ...named } = credentials
      return {
        methods: ['application_credential'],
        application_credential: { ...named, secret: secret.reveal() },
      }
    }
  }
}

const scopeOf = (scope: AuthScope) => (scope === 'system' ? { system: { all: true } } : scope)

/** Returns the body of a Keystone token request. Contains secrets. */
export const authRequest = (credentials: Credentials, scope?: AuthScope): object => ({
  auth: {
    identity: identityOf(credentials),
    ...(scope !== undefined && { scope: scopeOf(scope) }),
  },
})
