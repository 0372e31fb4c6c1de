import type { Log } from '../../ports/records'
import { Secret } from '../../ports/secret'
import type { ServiceClient } from '../client/service-client'
import { type Cloud, type CloudOptions, createCloud } from '../client/cloud'
import type { Token } from '../client/token-shape'
import type { TokenSource } from '../client/tokens'
import { type FakeCloud, startFakeCloud } from './fake-cloud/cloud'
import type { FakePeople } from './fake-cloud/keystone'

export const noLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A fake cloud and a client for it. */
export interface ClientFixture {
  fake: FakeCloud
  cloud: Cloud
  /** Returns the tokens for the service account, which is an administrator. */
  account(): TokenSource
  /** Returns a client that acts as the service account. */
  service(requestId?: string): ServiceClient
  /** Signs in, as `demo` by default, and returns an unscoped token. */
  signIn(name?: string, password?: string): Promise<Token>
  stop(): Promise<void>
}

export async function startClientFixture(
  people: Partial<FakePeople> = {},
  options: Partial<CloudOptions> = {},
): Promise<ClientFixture> {
  const fake = await startFakeCloud(people)
  const cloud = createCloud({ authUrl: fake.authUrl, log: noLog, ...options })
  const account = () =>
    cloud.passwordTokens(
      { user: { name: 'mainstay', domain: { id: 'default' } }, password: new Secret('service-secret') },
      { project: { name: 'admin', domain: { id: 'default' } } },
    )
  return {
    fake,
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
      await fake.close()
    },
  }
}
