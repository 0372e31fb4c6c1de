import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { session } from '@mainstay/contract/identity/session'
import { allEndpoints } from '@mainstay/contract/resources'
import type { PersonaName } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { allows } from './may'

/* The menu, buttons and the guard of pages ask `allows` for the right of a call, and the server asks its own table. */

const people: readonly PersonaName[] = [
  'superuser',
  'superuser@alpha-one',
  'viewer',
  'compute-operator',
  'compute-operator@alpha-one',
  'domain-admin',
  'domain-admin@alpha-one',
  'project-admin',
  'project-member',
  'service-account',
  'other-member',
]

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const calls = Object.entries<Record<string, Endpoint>>(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table).flatMap(([name, endpoint]) =>
    // a call that asks for nothing and does something would do it
    endpoint.needs === 'public' || (endpoint.verb !== 'GET' && !endpoint.body && paramNames(endpoint.path).length === 0)
      ? []
      : [{ name: `${resource}.${name}`, endpoint }],
  ),
)

/** Whether the server refuses the call for want of the right to it. It is about nothing that there is, and says nothing. */
async function isRefused(as: PersonaName, endpoint: Endpoint): Promise<boolean> {
  const params = Object.fromEntries(paramNames(endpoint.path).map((name) => [name, 'nothing']))
  const response = await server.fetch({ ...endpoint, path: fillPath(endpoint.path, params) as `/${string}` }, { as })
  const text = response.status === 403 ? await response.text() : (await response.body?.cancel(), '')
  return text.includes('You do not have the permission for this')
}

it.each(people)(
  'nothing that %s is shown is refused, and nothing that is hidden is allowed',
  { timeout: 120_000 },
  async (as) => {
    const meta = await server.call(session.meta, { as })
    const disagreeing: string[] = []
    let hidden = 0
    for (const { name, endpoint } of calls) {
      const isShown = allows(meta, endpoint.needs)
      if (!isShown) hidden += 1
      if (isShown === (await isRefused(as, endpoint))) disagreeing.push(`${name} is ${isShown ? 'shown' : 'hidden'}`)
    }
    expect(disagreeing).toEqual([])
    expect(calls.length - hidden).toBeGreaterThan(10)
  },
)
