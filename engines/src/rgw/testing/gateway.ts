import process from 'node:process'

/** Environment of a server that uses the gateway to test with. Throws if none is configured. */
export function gatewayEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (it): it is [string, string] => it[0].startsWith('MAINSTAY_RGW_') && Boolean(it[1]),
  )
  if (named.length === 0) throw new Error('No gateway is named to test on: run this by npm run test:ceph')
  return { ...Object.fromEntries(named), MAINSTAY_S3_PORT: 'none' }
}
