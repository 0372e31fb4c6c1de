import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { allEndpoints } from '@mainstay/contract/resources'
import type { PersonaName } from './personas'
import type { TestServer } from './start-server'

/** Every call of the contract. */
export const everyCall = Object.entries<Record<string, Endpoint>>(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table).map(([name, endpoint]) => ({ name: `${resource}.${name}`, endpoint })),
)

/** Every call that needs somebody who is signed in. */
export const authenticatedCalls = everyCall.filter(({ endpoint }) => endpoint.needs !== 'public')

/** Whether a call does something though nothing is said with it: the others are about nothing there is, and lack their body. */
const actsAtOnce = ({ verb, path, body, bytes }: Endpoint): boolean =>
  verb !== 'GET' && !body && !bytes && paramNames(path).length === 0

/**
 * Whether the server refuses the call to somebody, whatever it is about: they are disabled, or have no right to it. It is made
 * without a body and about nothing, or, where it acts at once, in a session of its own: it may end that, and all others.
 */
export async function isRefused(
  server: TestServer,
  as: PersonaName | { token: string },
  endpoint: Endpoint,
): Promise<boolean> {
  const params = Object.fromEntries(paramNames(endpoint.path).map((name) => [name, 'nothing']))
  const who = actsAtOnce(endpoint) && typeof as === 'string' ? { token: await server.signInAnew(as) } : as
  const response = await server.fetch(
    { ...endpoint, path: fillPath(endpoint.path, params) as `/${string}` },
    { as: who },
  )
  const text = response.status === 403 ? await response.text() : (await response.body?.cancel(), '')
  if (actsAtOnce(endpoint) && typeof as === 'string') await server.signInAnew(as)
  return text.includes('You do not have the permission for this') || text.includes('"access_disabled"')
}
