import { expect, it } from 'vitest'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { session } from '@mainstay/contract/identity/session'
import { startServer } from '../../../server/src/testing/start-server'
import { allows } from './may'

/* The menu, buttons and the guard of pages ask `allows` for the right of a call, and the server asks its own table. */

it('delete plus update gives change: a token is replaced by who may both, and by nobody who may one of them [PE-015]', async () => {
  const { needs } = serviceTokens.replace
  const server = await startServer()
  const meta = await server.call(session.meta, { as: 'domain-admin' })
  await server.close()
  expect(allows(meta, needs)).toBe(true)
  const withMethods = (...methods: string[]) => ({
    ...meta,
    permissions: { ...meta.permissions, domain_user: { name: 'domain_user', methods } },
  })
  expect(allows(withMethods('PATCH', 'DELETE'), needs)).toBe(true)
  for (const methods of [['GET', 'POST', 'PUT', 'PATCH'], ['GET', 'POST', 'DELETE'], []])
    expect(allows(withMethods(...methods), needs), methods.join()).toBe(false)
  // before permissions are known only reading is allowed
  expect(allows(null, needs)).toBe(false)
})
