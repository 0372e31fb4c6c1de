import { expect, test } from 'vitest'
import { refusal } from '../../conformance/cloud'
import { Secret } from '../../ports/secret'
import type { Cloud } from '../client/cloud'
import type { ServiceClient } from '../client/service-client'
import type { Token } from '../client/token-shape'
import type { TokenSource } from '../client/tokens'
import type { CloudSettings } from '../configuration/cloud-settings'
import { accountInProjects } from './account-in-project'

const token = { user: { id: 'u-service' }, project: { id: 'p-admin' } } as unknown as Token
const sourceOf = (): TokenSource => ({ of: 'account', token: async () => token, renew: async () => null })
const tokens = sourceOf()

/** Starts the function under test, with the token sources that it passes to clients, and the roles that it assigns. */
function start(credentials: CloudSettings['credentials']) {
  const used: TokenSource[] = []
  const assigned: string[][] = []
  const cloud = {
    passwordTokens: () => sourceOf(),
    callerFor(source: TokenSource) {
      used.push(source)
      return {} as ServiceClient
    },
  } as unknown as Cloud
  const inProject = async (...given: string[]) => void assigned.push(given)
  return { accountIn: accountInProjects({ cloud, tokens, credentials, assigning: { inProject } }), used, assigned }
}

test('assigns the role each time, and keeps the tokens of each project', async () => {
  const password = new Secret('secret')
  const { accountIn, used, assigned } = start({ method: 'password', user: { id: 'u-service' }, password })
  for (const project of ['p-1', 'p-1', 'p-2']) await accountIn(project)
  expect(assigned).toEqual(['p-1', 'p-1', 'p-2'].map((project) => ['u-service', project, 'project_member']))
  expect(used[1]).toBe(used[0])
  expect(used[2]).not.toBe(used[0])
})

test('uses an application credential only in its own project', async () => {
  const secret = new Secret('secret')
  const { accountIn, used, assigned } = start({ method: 'application_credential', id: 'ac', secret })
  await accountIn('p-admin')
  expect(used).toEqual([tokens])
  expect(await refusal(accountIn('p-1'))).toMatchObject({ code: 'unsupported' })
  expect(assigned).toEqual([])
})
