import type { Log } from '../ports/records'
import { createCloud, type Cloud } from './client/cloud'
import type { TokenSource } from './client/tokens'
import type { CloudSettings } from './configuration/cloud-settings'

export const cloudOf = ({ authUrl, endpoints: doors, tls }: CloudSettings, log: Log): Cloud =>
  createCloud({ authUrl, ...doors, tls, userAgent: 'mainstay', log })

/** Returns the tokens for the service account, renewed as long as its password or secret is valid. */
export function accountTokensOf(cloud: Cloud, { credentials, scope }: CloudSettings): TokenSource {
  switch (credentials.method) {
    case 'password':
      return cloud.passwordTokens(credentials, scope)
    case 'application_credential':
      return cloud.applicationCredentialTokens(credentials)
    case 'token':
      throw new Error('a token cannot be renewed, so it cannot be a service account')
  }
}
