import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { allEndpoints } from '@mainstay/contract/resources'
import type { PersonaName } from './personas'
import type { TestServer } from './start-server'

/** Every call of the contract that needs somebody and can be made without doing anything: it is about nothing there is. */
export const harmlessCalls = Object.entries<Record<string, Endpoint>>(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table).flatMap(([name, endpoint]) =>
    // a call that asks for nothing and does something would do it
    endpoint.needs === 'public' || (endpoint.verb !== 'GET' && !endpoint.body && paramNames(endpoint.path).length === 0)
      ? []
      : [{ name: `${resource}.${name}`, endpoint }],
  ),
)

/** Whether the server refuses the call to somebody, whatever it is about: they are disabled, or have no right to it. */
export async function isRefused(
  server: TestServer,
  as: PersonaName | { token: string },
  endpoint: Endpoint,
): Promise<boolean> {
  const params = Object.fromEntries(paramNames(endpoint.path).map((name) => [name, 'nothing']))
  const response = await server.fetch({ ...endpoint, path: fillPath(endpoint.path, params) as `/${string}` }, { as })
  const text = response.status === 403 ? await response.text() : (await response.body?.cancel(), '')
  return text.includes('You do not have the permission for this') || text.includes('"access_disabled"')
}
