import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { allEndpoints } from '@mainstay/contract/resources'
import type { PersonaName } from './personas'
import type { TestServer } from './start-server'

/** Every call of the contract. */
export const everyCall = Object.entries<Record<string, Endpoint>>(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table).map(([name, endpoint]) => ({ name: `${resource}.${name}`, endpoint })),
)

/** Every call that requires a sign-in. */
export const authenticatedCalls = everyCall.filter(({ endpoint }) => endpoint.needs !== 'public')

/** Whether a call has an effect even without a body or parameters. Other calls fail without them. */
const actsAtOnce = ({ verb, path, body, bytes }: Endpoint): boolean =>
  verb !== 'GET' && !body && !bytes && paramNames(path).length === 0

/**
 * Whether the server refuses the call because the user is disabled or lacks the right. The call is made without a body
 * on an object that does not exist. A call that has an effect even then is made in a separate session, because it may
 * end that session and all others.
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
  return text.includes('You do not have permission to do this') || text.includes('"access_disabled"')
}
