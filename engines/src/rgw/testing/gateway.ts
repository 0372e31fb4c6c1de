import process from 'node:process'

/** Returns the environment for a server that uses the gateway under test. Throws if no gateway is configured. */
export function gatewayEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (it): it is [string, string] => it[0].startsWith('MAINSTAY_RGW_') && Boolean(it[1]),
  )
  if (named.length === 0) throw new Error('No gateway is configured for the test. Start it with npm run test:ceph')
  return { ...Object.fromEntries(named), MAINSTAY_S3_PORT: 'none' }
}
