import { expect, it } from 'vitest'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { session } from '@mainstay/contract/identity/session'
import { startServer } from '../../../server/src/testing/start-server'
import { allows } from './may'

/* Menu, buttons and route guards check `allows` with a call's permission; the server has its own table. */

it('requires both update and delete to replace a token [PE-015]', async () => {
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
  // before permissions are loaded, only reading is allowed
  expect(allows(null, needs)).toBe(false)
})
