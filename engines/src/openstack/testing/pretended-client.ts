import type { Log } from '../../ports/records'
import { Secret } from '../../ports/secret'
import type { ServiceClient } from '../client/service-client'
import { type Cloud, type CloudOptions, createCloud } from '../client/cloud'
import type { Token } from '../client/token-shape'
import type { TokenSource } from '../client/tokens'
import { type PretendedCloud, startPretendedCloud } from './pretended-cloud'
import type { PretendedPeople } from './pretended-keystone'

export const noLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A cloud that is played, and a client of it. */
export interface PretendedClient {
  pretended: PretendedCloud
  cloud: Cloud
  /** Tokens of the service account, an administrator. */
  account(): TokenSource
  /** A caller for the service account. */
  service(requestId?: string): ServiceClient
  /** An unscoped token by name and password; those of `demo` unless told otherwise. */
  signIn(name?: string, password?: string): Promise<Token>
  stop(): Promise<void>
}

export async function startPretendedClient(
  people: Partial<PretendedPeople> = {},
  options: Partial<CloudOptions> = {},
): Promise<PretendedClient> {
  const pretended = await startPretendedCloud(people)
  const cloud = createCloud({ authUrl: pretended.authUrl, log: noLog, ...options })
  const account = () =>
    cloud.passwordTokens(
      { user: { name: 'mainstay', domain: { id: 'default' } }, password: new Secret('service-secret') },
      { project: { name: 'admin', domain: { id: 'default' } } },
    )
  return {
    pretended,
    cloud,
    account,
    service: (requestId) => cloud.callerFor(account(), requestId === undefined ? {} : { requestId }),
    signIn: (name = 'demo', password = 'demo') =>
      cloud.authenticate(
        { method: 'password', user: { name, domain: { name: 'Default' } }, password: new Secret(password) },
        'unscoped',
      ),
    async stop() {
      await cloud.close()
      await pretended.close()
    },
  }
}
